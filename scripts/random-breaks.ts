// Makes random breaks in the sources of the core, one at a time, and reports how many of them the fast tests of their
// room notice: node scripts/random-breaks.ts [--seed 1] [--breaks 60]. It works on the last commit, in a worktree of
// its own. Breaks listed in equivalent-breaks.ts change nothing, so others are drawn in their place.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { createVitest, type Vitest } from 'vitest/node';

import { equivalentBreaks } from './equivalent-breaks.ts';
import { applyBreak, listBreaks, type Break } from './list-breaks.ts';
import { mustPass } from './must-pass.ts';
import { runToEnd } from './run-to-end.ts';

const sources = 'packages/core/src';
/** The time after which the tests of a room are assumed to hang. */
const timeoutMs = 90_000;

interface Candidate {
  readonly broken: Break;
  readonly file: string;
  readonly text: string;
}

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, breaks: { type: 'string', default: '60' } },
});
const count = Number(values.breaks);
let vitest: Vitest;
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-breaks-')));
try {
  await mustPass('git', ['worktree', 'add', '--detach', folder, 'HEAD']);
  await mustPass('pnpm', ['install', '--frozen-lockfile', '--trust-lockfile', '--offline'], { cwd: folder });
  const drawn = draw(Number(values.seed)).slice(0, count);
  vitest = await startVitest();
  let noticed = 0;
  for (const candidate of drawn) {
    const started = Date.now();
    const isNoticed = await notice(candidate);
    if (isNoticed) noticed += 1;
    const seconds = ((Date.now() - started) / 1000).toFixed(0).padStart(4);
    console.log(`${isNoticed ? '✓ noticed' : '✗ MISSED '} ${seconds} s  ${describe(candidate)}`);
  }
  console.log(`${noticed} of ${drawn.length} breaks noticed (seed ${values.seed})`);
} finally {
  await runToEnd('git', ['worktree', 'remove', '--force', folder]);
  rmSync(folder, { recursive: true, force: true });
}
// Runners that were left with a test without end never close.
process.exit();

/** Returns all breaks in a random order that depends only on the seed. */
function draw(seed: number): Candidate[] {
  const all = globSync(`${sources}/**/*.ts`, { cwd: folder })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return listBreaks(file, text).map((broken) => ({ broken, file, text }));
    });
  const random = randomFrom(seed);
  return all
    .filter((candidate) => !isEquivalent(candidate))
    .map((candidate) => ({ candidate, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ candidate }) => candidate);
}

/**
 * Returns true if a fast test fails or hangs with the break: of those beside the file, or else of those of the whole room.
 */
async function notice(candidate: Candidate): Promise<boolean> {
  const path = join(folder, candidate.file);
  const [room = ''] = relative(sources, candidate.file).split('/');
  const wholeRoom = room.endsWith('.ts') ? sources : join(sources, room);
  const beside = dirname(candidate.file);
  const write = (text: string): void => {
    writeFileSync(path, text);
    vitest.invalidateFile(path);
  };
  write(applyBreak(candidate.text, candidate.broken));
  try {
    for (const place of new Set(room.endsWith('.ts') ? [wholeRoom] : [beside, wholeRoom])) {
      if (await fails(testsIn(place, room.endsWith('.ts')))) return true;
    }
    return false;
  } finally {
    write(candidate.text);
  }
}

/** Returns the fast tests of a folder, without those of subfolders if `isFlat`. */
function testsIn(place: string, isFlat: boolean): string[] {
  return globSync(`${place}/${isFlat ? '' : '**/'}*.test.ts`, { cwd: folder }).filter(
    (file) => !/\.(?:slow|long)\.test\.ts$/.test(file),
  );
}

async function fails(tests: readonly string[]): Promise<boolean> {
  const modules = new Set(tests.map((file) => join(folder, file)));
  if (modules.size === 0) return false;
  vitest.state.clearErrors();
  const specifications = await vitest.globTestSpecifications([...modules]);
  const running = vitest.runTestSpecifications(
    specifications.filter(({ moduleId }) => modules.has(moduleId)),
  );
  const waiting = new AbortController();
  const timeout = wait(timeoutMs, undefined, waiting).catch(() => undefined);
  const outcome = await Promise.race([running, timeout]);
  waiting.abort();
  // The runner sets the exit code of this process if a test fails.
  process.exitCode = 0;
  if (outcome === undefined) {
    // A test without end keeps its worker from stopping, and the runner with it.
    spawnSync('pkill', ['-KILL', '-P', String(process.pid)]);
    vitest = await startVitest();
    return true;
  }
  // The outcome also contains the results of earlier calls.
  const results = outcome.testModules.filter(({ moduleId }) => modules.has(moduleId));
  return outcome.unhandledErrors.length > 0 || results.some((each) => !each.ok());
}

/** Starts the runner for all breaks, once, because a start takes longer than the tests of a room. Drops its output. */
function startVitest(): Promise<Vitest> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const options = { root: folder, project: ['fast'], watch: false, bail: 1, reporters: [{}] };
  return createVitest(options, {}, { stdout: nowhere, stderr: nowhere });
}

function isEquivalent(candidate: Candidate): boolean {
  const broken = brokenLine(candidate);
  return equivalentBreaks.some((each) => each.file === candidate.file && each.broken === broken);
}

function describe(candidate: Candidate): string {
  return `${candidate.file}:${lineOf(candidate)}  ${brokenLine(candidate)}`;
}

/** Returns the first line that the break changes, in its changed form. */
function brokenLine(candidate: Candidate): string {
  return (applyBreak(candidate.text, candidate.broken).split('\n')[lineOf(candidate) - 1] ?? '').trim();
}

function lineOf({ text, broken: { start } }: Candidate): number {
  return text.slice(0, start).split('\n').length;
}

function randomFrom(seed: number): () => number {
  let state = seed * 7919 + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
