import { spawn, spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

import { expect, it, onTestFinished } from 'vitest';

import { isProcessThere, thisHost, thisStart } from './this-process.ts';

const { pid } = process;
const gone = spawnSync(process.execPath, ['--version']).pid;

it('a process is there if it is alive, on every platform', () => {
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    expect(isProcessThere({ pid, ...thisStart() }, platform)).toBe(true);
    expect(isProcessThere({ pid: gone }, platform)).toBe(false);
  }
});

it('another process with its id is told from it on Linux, and taken for it elsewhere', () => {
  const other = { pid, started: '1' };
  expect(isProcessThere(other, 'linux')).toBe(process.platform !== 'linux');
  for (const platform of ['darwin', 'win32'] as const) expect(isProcessThere(other, platform)).toBe(true);
});

it('a child is there until it ends, whether its start is known or not', () => {
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const id = child.pid ?? 0;
  for (const platform of ['linux', 'darwin', 'win32'] as const)
    expect(isProcessThere({ pid: id }, platform)).toBe(true);
  expect(isProcessThere({ pid: id, started: '1' }, 'linux')).toBe(process.platform !== 'linux');
});

it.runIf(process.platform === 'linux')(
  'the machine has a name of its own where process ids are its own',
  () => {
    const namespace = readlinkSync('/proc/self/ns/pid');
    const isOutermost = namespace === 'pid:[4026531836]';
    expect(thisHost()).toBe(isOutermost ? hostname() : `${hostname()}/${namespace}`);
  },
);
