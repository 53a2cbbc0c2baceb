import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { expect, it, onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../test/programs/run-line.ts', import.meta.url));

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const closed = once(child, 'close');
  return { child, result: async () => (await closed, JSON.parse(printed) as unknown), closed };
}

/** Returns whether a process is running; one that has ended and was not reaped is not. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.includes('Z');
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(10);
}

it.each([
  ['that heeds TERM', ''],
  ['that ignores TERM', 'trap "" TERM; '],
])('A command %s goes with an agent that is killed, and is asked about, not repeated', async (_, trap) => {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-killed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const command = `${trap}echo ran >> ran; sh -c '${trap}echo $$ > inner; while :; do sleep 0.1; done' & echo $$ > outer; while :; do sleep 0.1; done`;

  const first = start(folder, command);
  const begun = until(() =>
    ['inner', 'outer'].every((name) => existsSync(join(folder, name)) && file(name) !== ''),
  );
  const ended = first.closed.then(() => Promise.reject(new Error('The agent ended before its command ran.')));
  await Promise.race([begun, ended]);
  ended.catch(() => undefined);
  const pids = ['inner', 'outer'].map((name) => Number(file(name)));
  expect(pids.map(isRunning)).toEqual([true, true]);
  first.child.kill('SIGKILL');
  await first.closed;
  await until(() => !pids.some(isRunning));

  const asked = { outcome: 'interrupted', asked: ['unknown-effect'], results: [] };
  expect(await start(folder, command).result()).toEqual(asked);
  const answer = { action: 'result', result: 'It was begun once.' };
  expect(await start(folder, command, JSON.stringify(answer)).result()).toEqual({
    outcome: 'completed',
    asked: [],
    results: ['It was begun once.'],
  });
  expect(file('ran')).toBe('ran\n');
});
