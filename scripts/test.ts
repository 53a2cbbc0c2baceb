// `npm test`: every check of the repository, each as one line with its duration; the output of one that fails is shown
// whole. `npm test -- lint types` runs only those. The last lines say how many tests passed and which stages failed.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { runToEnd, type Ended } from './run-to-end.ts';
import { root } from './workspace.ts';

interface Stage {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** A stage that must have passed; without it this one is skipped. */
  readonly needs?: string;
  /** One remark for the line of a stage that passed; default: the last line of what a script of ours printed. */
  readonly remark?: () => string;
}

const resultsFile = join(root, 'coverage', 'results.json');
const coverageFile = join(root, 'coverage', 'coverage-summary.json');

// Stages of one group run side by side; the tests run alone, because some of them measure time.
const groups: readonly (readonly Stage[])[] = [
  [
    { name: 'format', command: ['oxfmt', '--check'] },
    { name: 'lint', command: ['oxlint'] },
    { name: 'types', command: ['tsc'] },
    { name: 'unused', command: ['knip'] },
    { name: 'build', command: ['turbo', 'run', 'build', '--output-logs=errors-only'] },
  ],
  [{ name: 'unit', command: unitTests(), remark: testsRemark }],
  [
    { name: 'packages', command: ['node', 'scripts/check-packages.ts'], needs: 'build' },
    { name: 'docs', command: ['node', 'scripts/check-docs.ts'] },
    { name: 'examples', command: ['node', 'scripts/check-examples.ts'] },
  ],
];

const quiet = {
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { FORCE_COLOR: undefined, NO_COLOR: '1' }),
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(128 + constants.signals[signal]));
}
process.exitCode = await main(process.argv.slice(2));

async function main(only: readonly string[]): Promise<number> {
  const names = groups.flat().map((stage) => stage.name);
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    console.error(`Unknown stage ${unknown.join(', ')}; there are ${names.join(', ')}.`);
    return 2;
  }
  const started = Date.now();
  rmSync(resultsFile, { force: true });
  const outcomes = new Map<string, boolean>();
  for (const group of groups) {
    const chosen = group.filter((stage) => only.length === 0 || only.includes(stage.name));
    await runSideBySide(chosen, outcomes);
  }

  const failed = [...outcomes].filter(([, passed]) => !passed).map(([name]) => name);
  const tests = testResults();
  if (tests) console.log(`\n${tests.numPassedTests} passed, ${tests.numFailedTests} failed`);
  const verdict = failed.length === 0 ? `All ${outcomes.size} stages passed` : `Failed: ${failed.join(', ')}`;
  console.log(`${verdict} (${seconds(started)} s)`);
  return failed.length === 0 ? 0 : 1;
}

async function runSideBySide(stages: readonly Stage[], outcomes: Map<string, boolean>): Promise<void> {
  const waiting = stages.values();
  const lane = async (): Promise<void> => {
    for (const stage of waiting) outcomes.set(stage.name, await runStage(stage, outcomes));
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane));
}

async function runStage(
  { name, command, needs, remark }: Stage,
  outcomes: Map<string, boolean>,
): Promise<boolean> {
  if (needs !== undefined && outcomes.get(needs) === false) {
    console.log(`✗ ${name.padEnd(9)}      skipped, because ${needs} failed`);
    return false;
  }
  const started = Date.now();
  const [program, ...args] = command;
  const ended = await runToEnd(program, args, { env: quiet, timeoutMs: 15 * 60_000 });
  const passed = ended.status === 0;
  const note = passed ? (remark?.() ?? lastLine(program, ended)) : `exit status ${ended.status}`;
  console.log(`${passed ? '✓' : '✗'} ${name.padEnd(9)} ${seconds(started).padStart(5)} s  ${note}`.trimEnd());
  if (!passed) console.log(`\n${forThisOutput(ended.output.trim())}\n`);
  return passed;
}

/** Vitest on the pinned Node or, with `SHALLOT_TEST_ON=machine`, on the Node that started this. */
function unitTests(): [string, ...string[]] {
  const { SHALLOT_TEST_ON, SHALLOT_MACHINE_NODE } = process.env;
  const node = SHALLOT_TEST_ON === 'machine' && SHALLOT_MACHINE_NODE ? SHALLOT_MACHINE_NODE : 'node';
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultsFile}`];
  return [node, vitest, 'run', '--coverage', ...reporters];
}

interface TestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

function testResults(): TestResults | undefined {
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as TestResults) : undefined;
}

function testsRemark(): string {
  const { total } = JSON.parse(readFileSync(coverageFile, 'utf8')) as {
    total: Record<'lines' | 'branches', { pct: number }>;
  };
  return `${testResults()?.numPassedTests} tests; ${total.lines.pct} % of lines, ${total.branches.pct} % of branches`;
}

function lastLine(program: string, { stdout }: Ended): string {
  return program === 'node' ? (stdout.trim().split('\n').at(-1) ?? '') : '';
}

/** Some tools colour what they print on CI, whatever they are told. */
function forThisOutput(text: string): string {
  return process.stdout.isTTY ? text : stripVTControlCharacters(text);
}

function seconds(since: number): string {
  return ((Date.now() - since) / 1000).toFixed(1);
}
