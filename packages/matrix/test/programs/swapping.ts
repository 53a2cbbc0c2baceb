/**
 * Alternates between a directory and a link to another one, as many times as the arguments say, and then prints that
 * number.
 */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const [root = '', times = '0'] = process.argv.slice(2);
const at = (name: string): string => join(root, name);

for (let swap = 0; swap < Number(times); swap += 1) {
  const isLink = swap % 2 === 1;
  renameSync(at('docs'), at(isLink ? 'link' : 'directory'));
  takePlace(isLink ? 'directory' : 'link');
  // Gives other processes CPU time in either state.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}
process.stdout.write(`${times}\n`);

function takePlace(name: string): void {
  try {
    renameSync(at(name), at('docs'));
  } catch {
    // Between the two renames a tool has written there, and thereby created the directory.
    rmSync(at('docs'), { recursive: true });
    takePlace(name);
  }
}
