/** Swaps a directory and a link to another one, as often as it is told, and says so at its end. */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const [root = '', times = '0'] = process.argv.slice(2);
const at = (name: string): string => join(root, name);

for (let swap = 0; swap < Number(times); swap += 1) {
  const isLink = swap % 2 === 1;
  renameSync(at('docs'), at(isLink ? 'link' : 'directory'));
  takePlace(isLink ? 'directory' : 'link');
  // Others have to get at the processor, too, in either state.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}
process.stdout.write(`${times}\n`);

function takePlace(name: string): void {
  try {
    renameSync(at(name), at('docs'));
  } catch {
    // A tool has written there between the two, and so made the directory.
    rmSync(at('docs'), { recursive: true });
    takePlace(name);
  }
}
