// Loaded before a program (`node --import ./kill-at.ts`), whose last argument is a number: the process kills itself at the
// n-th point that it comes to. There is one before each change of a file by Node, and one in the middle of each write.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

const last = Number(process.argv.at(-1));
const { writeFileSync, writeSync } = fs;
const write = promisify(fs.write);
let points = 0;

/** Comes to a point; what is given is done before the process dies there. */
export function point(leave = (): void => {}): void {
  points += 1;
  if (points !== last) return;
  leave();
  process.kill(process.pid, 'SIGKILL');
}

for (const name of ['fsync', 'renameSync', 'unlinkSync'] as const) {
  const change = fs[name] as (...args: unknown[]) => unknown;
  Reflect.set(fs, name, (...args: unknown[]) => {
    point();
    return change(...args);
  });
}

function writeOrDie(fd: number, bytes: Uint8Array, offset: number, length: number): Promise<unknown> {
  point();
  point(() => void writeSync(fd, bytes, offset, Math.floor(length / 2)));
  return write(fd, bytes, offset, length);
}
Object.defineProperty(fs.write, promisify.custom, { value: writeOrDie });

fs.writeFileSync = (file, data, options) => {
  point();
  point(() => writeFileSync(file, '', options));
  writeFileSync(file, data, options);
};

syncBuiltinESMExports();
