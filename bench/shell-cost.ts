// Runs in its own process: `node shell-cost.ts`. Measures the wall milliseconds of a command, against `sh -c` started
// by hand.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { createAgent } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import { shell } from '@shallot/plugin-shell';

import { median } from './measures/samples.ts';
import { takeTurns } from './measures/turns.ts';
import { oneCall } from './one-call.ts';

const lines = { none: ':', long: 'seq 1 200000' };
const root = mkdtempSync(join(tmpdir(), 'shallot-bench-shell-'));
try {
  const [none, long] = [await compared(lines.none, 60), await compared(lines.long, 20)];
  const figures = {
    ratio: median(none.map(([ours, theirs]) => ours / theirs)),
    oursMs: median(none.map(([ours]) => ours)),
    handMs: median(none.map(([, theirs]) => theirs)),
    longOverMs: median(long.map(([ours, theirs]) => ours - theirs)),
    longHandMs: median(long.map(([, theirs]) => theirs)),
  };
  process.stdout.write(`\n${JSON.stringify(figures)}\n`);
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function compared(command: string, samples: number) {
  const agent = await createAgent({
    model: oneCall('shell', { command }),
    files: diskFiles(root),
    plugins: [shell({ unattended: true })],
    log: 'silent',
  });
  const timers = [() => timed(() => agent.run('Go.')), () => timed(() => byHand(command))] as const;
  const turns = await takeTurns(timers, { warmup: 5, samples });
  await agent.close();
  return turns;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function byHand(command: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', command], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
}
