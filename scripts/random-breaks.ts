// Makes random breaks in the shipped sources of the core, one after the other, and tells how many of them the fast tests
// of their room notice: node scripts/random-breaks.ts [--seed 1] [--breaks 60]. It works in a worktree of its own, on the
// last commit. Breaks that change nothing are listed in equivalent-breaks.ts, and others are drawn in their place.
import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';

import { equivalentBreaks } from './equivalent-breaks.ts';
import { applyBreak, listBreaks, type Break } from './list-breaks.ts';
import { mustPass } from './must-pass.ts';
import { runToEnd } from './run-to-end.ts';

const sources = 'packages/core/src';
/** A room whose tests take longer hangs. */
const timeoutMs = 10 * 60_000;

interface Candidate {
  readonly broken: Break;
  readonly file: string;
  readonly text: string;
}

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, breaks: { type: 'string', default: '60' } },
});
const count = Number(values.breaks);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-breaks-')));
try {
  await mustPass('git', ['worktree', 'add', '--detach', folder, 'HEAD']);
  await mustPass('pnpm', ['install', '--frozen-lockfile', '--trust-lockfile', '--offline'], { cwd: folder });
  const drawn = draw(Number(values.seed)).slice(0, count);
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

/** All breaks in a random order, which is the same for the same seed. */
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

/** Returns whether a fast test of the room fails with the break: first those beside the file, then those of the whole room. */
async function notice(candidate: Candidate): Promise<boolean> {
  const path = join(folder, candidate.file);
  const [room = ''] = relative(sources, candidate.file).split('/');
  const wholeRoom = room.endsWith('.ts') ? sources : join(sources, room);
  const beside = dirname(candidate.file);
  writeFileSync(path, applyBreak(candidate.text, candidate.broken));
  try {
    for (const place of new Set(room.endsWith('.ts') ? [wholeRoom] : [beside, wholeRoom])) {
      if (await fails(testsIn(place, room.endsWith('.ts')))) return true;
    }
    return false;
  } finally {
    writeFileSync(path, candidate.text);
  }
}

/** The fast tests of a folder; for files that are in no room, those that are in none either. */
function testsIn(place: string, isFlat: boolean): string[] {
  return globSync(`${place}/${isFlat ? '' : '**/'}*.test.ts`, { cwd: folder }).filter(
    (file) => !/\.(?:slow|long)\.test\.ts$/.test(file),
  );
}

async function fails(tests: readonly string[]): Promise<boolean> {
  if (tests.length === 0) return false;
  const args = ['run', '--project', 'fast', '--bail', '1', ...tests];
  const { status } = await runToEnd('node', [join('node_modules', 'vitest', 'vitest.mjs'), ...args], {
    cwd: folder,
    timeoutMs,
  });
  return status !== 0;
}

function isEquivalent(candidate: Candidate): boolean {
  const broken = brokenLine(candidate);
  return equivalentBreaks.some((each) => each.file === candidate.file && each.broken === broken);
}

function describe(candidate: Candidate): string {
  return `${candidate.file}:${lineOf(candidate)}  ${brokenLine(candidate)}`;
}

/** The first line that the break changes, as it reads then. */
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
