import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';
import { afterAll, expect } from 'vitest';

import { isShallotError } from '../../src/base/errors.ts';
import type { SessionRecord } from '../../src/contract/store.ts';
import {
  goToEnd,
  openStore,
  scenarioAgent,
  sessionId,
  watchedStore,
  type CrashPoint,
} from './crash-scenario.ts';
import { effectsIn, type Effect } from './effects.ts';
import { expectSingleWrites, expectUndisturbed, keptIn, type Kept } from './undisturbed.ts';

const root = mkdtempSync(join(tmpdir(), 'shallot-crash-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

// The bundle starts three times as fast. Inside node_modules it finds its packages.
const program = fileURLToPath(new URL(`../../node_modules/.cache/crash-${process.pid}.mjs`, import.meta.url));
await build({
  entryPoints: [fileURLToPath(new URL('crash-scenario.ts', import.meta.url))],
  outfile: program,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  // The scripted model imports the core by its package name.
  alias: { '@shallot/core': fileURLToPath(new URL('../../src', import.meta.url)) },
});
afterAll(() => rmSync(program));

/** Returns the state that an undisturbed run leaves behind, and the number of its commits. */
export async function undisturbed(): Promise<Kept & { readonly commits: number }> {
  const folder = newFolder('undisturbed');
  let commits = 0;
  const store = openStore(folder);
  const counting = watchedStore(store, (when) => void (commits += when === 'before' ? 1 : 0));
  const effects = effectsIn(folder);
  const agent = await scenarioAgent(counting, effects);
  const asked = await goToEnd(counting, agent, effects);
  await agent.close();
  await store.close?.();
  expect(asked.map(({ kind }) => kind)).toEqual(['approval']);
  expect(
    effects
      .all()
      .map(({ tool }) => tool)
      .toSorted(),
  ).toEqual(['bye', 'flaky', 'flaky', 'hello', 'look', 'look', 'note', 'pay', 'remove', 'stamp']);
  const record = await loaded(folder);
  const { core: _, ...ofPlugins } = record.state;
  expect(ofPlugins).toEqual({
    counts: { calls: { version: 1, value: 7 }, turns: { version: 1, value: 4 } },
    summary: { rounds: { version: 1, value: 1 } },
  });
  expect(record.run?.state).toMatchObject({
    counts: { gated: { version: 1, value: 6 }, ends: { version: 1, value: 1 } },
  });
  return { ...keptIn(record), commits };
}

async function loaded(folder: string): Promise<SessionRecord> {
  const store = openStore(folder);
  const record = await store.load(sessionId);
  await store.close?.();
  if (record === undefined) throw new Error('the session is lost');
  return record;
}

function newFolder(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  return folder;
}

function nameOf(point: CrashPoint): string {
  return `${point.at} ${'tool' in point ? point.tool : point.commit}`;
}

/** Cuts a run off at a point. Returns false if the run ended before it. */
export type Cut = (folder: string, point: CrashPoint) => Promise<boolean>;

/** Kills the process of a run. */
export const kill: Cut = async (folder, point) => {
  const child = spawn(process.execPath, ['--no-warnings', program, folder, ...nameOf(point).split(' ')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal !== 'SIGKILL') expect(code).toBe(0);
  return signal === 'SIGKILL';
};

/** Aborts a run by closing its agent. */
export const abort: Cut = async (folder, point) => {
  const store = openStore(folder);
  let commits = 0;
  let closing: Promise<void> | undefined;
  const watched = watchedStore(store, (when) => {
    if (when === 'before') commits += 1;
    if ('commit' in point && point.at === when && point.commit === commits) closing ??= agent.close();
  });
  const effects = effectsIn(folder);
  const agent = await scenarioAgent(watched, effects);
  const ended: unknown = await goToEnd(watched, agent, effects).catch((error: unknown) => error);
  const isAborted = isShallotError(ended, 'RUN_ABORTED') || isShallotError(ended, 'AGENT_CLOSED');
  if (!isAborted && ended instanceof Error) throw ended;
  await (closing ?? agent.close());
  await store.close?.();
  return isAborted;
};

/** Cuts a run off at a point, resumes it, and checks the outcome. Returns false if the run ended before the point. */
async function cutOff(cut: Cut, point: CrashPoint, kept: Kept): Promise<boolean> {
  const folder = newFolder(`${cut.name}-${nameOf(point).replace(' ', '-')}`);
  const isCut = await cut(folder, point);
  const store = openStore(folder);
  const left = await store.load(sessionId);
  const effects = effectsIn(folder);
  const before = effects.all();
  const agent = await scenarioAgent(store, effects);
  const asked = await goToEnd(store, agent, effects);
  await agent.close();
  const record = await store.load(sessionId);
  await store.close?.();

  const unknown = asked.filter(({ kind }) => kind === 'unknown-effect');
  expect(unknown).toHaveLength(intentsOf(left).length);
  expectUndisturbed(record, kept);
  checkEffects(before, effects.all(), finishedCalls(left));
  return isCut;
}

function intentsOf(record: SessionRecord | undefined): unknown[] {
  return Object.values(record?.journal ?? {}).filter(({ type }) => type === 'intent');
}

/** Returns the number of finished calls by tool. */
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
  expectSingleWrites(after);
  const keys = new Map<string, number>();
  for (const { tool, key } of after) keys.set(`${tool} ${key}`, (keys.get(`${tool} ${key}`) ?? 0) + 1);
  for (const [key, times] of keys) if (times > 2) expect.fail(`${key} was done ${times} times`);
  const since = after.slice(before.length).map(({ tool }) => tool);
  for (const tool of finished.keys()) {
    // `look` is called in two turns, so both calls must have finished.
    if (tool !== 'look' || finished.get(tool) === 2) expect(since).not.toContain(tool);
  }
}

/** Returns the points before and after each of the first `commits` commits. */
export function aroundCommits(commits: number): CrashPoint[] {
  return Array.from({ length: commits }, (_, index) => index + 1).flatMap((commit) => [
    { at: 'before', commit },
    { at: 'after', commit },
  ]);
}

const tools = ['look', 'stamp', 'pay', 'flaky', 'remove', 'note'];

/** The points right after the effects of tools. */
export const afterEffects: readonly CrashPoint[] = tools.map((tool) => ({ at: 'effect', tool }));

/** The points at which data is held for the next commit without waiting for it. */
export const beforeTurns: readonly CrashPoint[] = [
  ...tools.map((tool): CrashPoint => ({ at: 'result', tool })),
  ...['pay', 'remove', 'note'].map((tool): CrashPoint => ({ at: 'answer', tool })),
];

/** Cuts runs off at all points, two at a time. Returns the number of runs that were cut off. */
export async function sweep(cut: Cut, points: readonly CrashPoint[], kept: Kept): Promise<number> {
  let times = 0;
  const rest = points.values();
  const work = async (): Promise<void> => {
    for (const point of rest) {
      try {
        if (await cutOff(cut, point, kept)) times += 1;
      } catch (error) {
        throw new Error(
          `${cut.name} ${nameOf(point)}: ${error instanceof Error ? error.message : String(error)}`,
          { cause: error },
        );
      }
    }
  };
  await Promise.all([work(), work()]);
  return times;
}
