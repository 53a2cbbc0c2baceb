import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';

import type { Message } from './messages.ts';
import type { SessionRecord } from './store.ts';
import {
  effectOf,
  goToEnd,
  openStore,
  readEffects,
  scenarioAgent,
  session,
  watchedStore,
  type CrashPoint,
  type Effect,
} from './testing-programs/crash-scenario.ts';

const root = mkdtempSync(join(tmpdir(), 'shallot-crash-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

// Bundled, it starts three times as fast; inside node_modules it finds its packages.
const program = fileURLToPath(new URL(`../node_modules/.cache/crash-${process.pid}.mjs`, import.meta.url));
await build({
  entryPoints: [fileURLToPath(new URL('testing-programs/crash-scenario.ts', import.meta.url))],
  outfile: program,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
});
afterAll(() => rmSync(program));

/** What the run leaves behind when nothing happens to it, and how many commits it makes. */
async function undisturbed(): Promise<{ readonly history: unknown; readonly commits: number }> {
  const folder = newFolder('undisturbed');
  let commits = 0;
  const store = openStore(folder);
  const counting = watchedStore(store, (when) => void (commits += when === 'before' ? 1 : 0));
  const agent = await scenarioAgent(folder, counting);
  const asked = await goToEnd(folder, counting, agent);
  expect(asked.map(({ kind }) => kind)).toEqual(['approval']);
  expect(
    readEffects(folder)
      .map(({ tool }) => tool)
      .toSorted(),
  ).toEqual(['bye', 'flaky', 'flaky', 'hello', 'look', 'look', 'note', 'pay', 'remove', 'stamp']);
  const record = await loaded(folder);
  expect(record.state).toEqual({ summary: { rounds: { version: 1, value: 1 } } });
  return { history: historyOf(record.messages), commits };
}

async function loaded(folder: string): Promise<SessionRecord> {
  const store = openStore(folder);
  const record = await store.load(session);
  await store.close?.();
  if (record === undefined) throw new Error('the session is lost');
  return record;
}

function newFolder(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  return folder;
}

/** Messages without what may differ from one run to another. */
function historyOf(messages: readonly Message[]): unknown {
  return messages.map(({ id: _id, ...message }) => message);
}

function nameOf(point: CrashPoint): string {
  return point.at === 'effect' ? `effect ${point.tool}` : `${point.at} ${point.commit}`;
}

/** Kills a run at a point, and looks at what it left and at what becomes of it. */
async function crash(point: CrashPoint, history: unknown): Promise<'killed' | 'finished'> {
  const folder = newFolder(nameOf(point).replace(' ', '-'));
  const child = spawn(process.execPath, ['--no-warnings', program, folder, ...nameOf(point).split(' ')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal !== 'SIGKILL') expect(code).toBe(0);

  const store = openStore(folder);
  const left = await store.load(session);
  const before = readEffects(folder);
  const agent = await scenarioAgent(folder, store);
  const asked = await goToEnd(folder, store, agent);
  await agent.close();
  const record = await store.load(session);
  await store.close?.();

  const unknown = asked.filter(({ kind }) => kind === 'unknown-effect');
  expect(unknown).toHaveLength(intentsOf(left).length);
  expect(historyOf(record?.messages ?? [])).toEqual(history);
  expect(new Set(record?.messages.map(({ id }) => id)).size).toBe(record?.messages.length);
  expect(record).toMatchObject({ journal: {}, run: { status: 'completed', answers: {}, interrupts: [] } });
  expect(record?.state).toEqual({ summary: { rounds: { version: 1, value: 1 } } });
  expect(record?.claim).toBeUndefined();
  checkEffects(before, readEffects(folder), finishedCalls(left));
  return signal === null ? 'finished' : 'killed';
}

function intentsOf(record: SessionRecord | undefined): unknown[] {
  return Object.values(record?.journal ?? {}).filter(({ type }) => type === 'intent');
}

/** The tools whose calls had come to their end, with how often. */
function finishedCalls(record: SessionRecord | undefined): Map<string, number> {
  const finished = new Map<string, number>();
  const messages = [
    ...(record?.messages ?? []),
    ...Object.values(record?.journal ?? {}).flatMap((entry) =>
      entry.type === 'final' ? [entry.message] : [],
    ),
  ];
  for (const message of messages) {
    if (message.role === 'tool') finished.set(message.name, (finished.get(message.name) ?? 0) + 1);
  }
  return finished;
}

function checkEffects(
  before: readonly Effect[],
  after: readonly Effect[],
  finished: ReadonlyMap<string, number>,
): void {
  const keys = new Map<string, number>();
  for (const { tool, key } of after) keys.set(`${tool} ${key}`, (keys.get(`${tool} ${key}`) ?? 0) + 1);
  for (const [key, times] of keys) {
    const [tool = ''] = key.split(' ');
    if (times > (effectOf(tool) === 'write' ? 1 : 2)) expect.fail(`${key} was done ${times} times`);
  }
  for (const tool of ['pay', 'remove', 'note']) {
    const times = after.filter((effect) => effect.tool === tool).length;
    if (times !== 1) expect.fail(`${tool} was done ${times} times`);
  }
  const since = after.slice(before.length).map(({ tool }) => tool);
  for (const tool of finished.keys()) {
    // `look` is called in two turns.
    if (tool !== 'look' || finished.get(tool) === 2) expect(since).not.toContain(tool);
  }
}

/** Works through the points, two at a time. */
async function sweep(points: readonly CrashPoint[], history: unknown): Promise<number> {
  let killed = 0;
  const rest = points.values();
  const work = async (): Promise<void> => {
    for (const point of rest) {
      try {
        if ((await crash(point, history)) === 'killed') killed += 1;
      } catch (error) {
        throw new Error(
          `killed ${nameOf(point)}: ${error instanceof Error ? error.message : String(error)}`,
          { cause: error },
        );
      }
    }
  };
  await Promise.all([work(), work()]);
  return killed;
}

describe('a run that is killed', () => {
  it('goes on at every point as if nothing had happened', { timeout: 120_000 }, async () => {
    const { history, commits } = await undisturbed();
    expect(commits).toBeGreaterThan(20);
    const points: CrashPoint[] = Array.from({ length: commits }, (_, index) => index + 1).flatMap(
      (commit) => [
        { at: 'before', commit },
        { at: 'after', commit },
      ],
    );
    for (const tool of ['look', 'stamp', 'pay', 'flaky', 'remove', 'note'])
      points.push({ at: 'effect', tool });
    const killed = await sweep(points, history);
    expect(killed).toBeGreaterThan(points.length - 4);
  });
});
