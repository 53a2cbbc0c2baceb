import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, it, onTestFinished } from 'vitest';

import { turnTaker, type Turn } from '../test/taking-turns.ts';

it('limits of a session are exact over two processes that take turns', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-limits-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = join(folder, 'sessions.db');
  const here = await turnTaker(database);
  const program = fileURLToPath(new URL('../test/taking-turns.ts', import.meta.url));
  const other = fork(program, [database], { execArgv: ['--no-warnings'] });
  onTestFinished(() => void other.kill());
  await once(other, 'message');
  const turns: Turn[] = [];
  for (let round = 0; round < 3; round += 1) {
    turns.push(await here.take());
    other.send('take');
    // The other process sends what it did.
    turns.push(((await once(other, 'message')) as [Turn])[0]);
  }
  await here.agent.close();
  other.send('close');
  await once(other, 'exit');
  expect(turns.map(({ executed, sent, stopReason }) => `${executed} ${sent} ${stopReason}`)).toEqual([
    '3 2 answer',
    '3 2 answer',
    '3 2 answer',
    '1 2 answer',
    '0 1 limit',
    '0 0 limit',
  ]);
});
