// Loaded before a program (`node --import ./kill-at.ts`) whose last argument is a number N: the process kills itself at
// the N-th point that it reaches. There is a point before each change that Node makes to a file, and one in the middle
// of each write.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

const last = Number(process.argv.at(-1));
const { writeFileSync, writeSync } = fs;
const write = promisify(fs.write);
let points = 0;

/** Marks a point. If the process is to die here, calls `leave` first. */
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
