// `npm test`: the checks of the repository, each as one line with its duration; the output of one that fails is shown
// whole. `npm test -- lint types` runs only those, `npm test -- fast` what takes less than a minute, `npm test -- long`
// the tests that take minutes. The last lines say how many tests passed and which stages failed.
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

const format: Stage = { name: 'format', command: ['oxfmt', '--check'] };
const lint: Stage = { name: 'lint', command: ['oxlint'] };
const types: Stage = { name: 'types', command: ['tsc'] };
const build: Stage = { name: 'build', command: ['turbo', 'run', 'build', '--output-logs=errors-only'] };

/** Stages of one group run side by side; the tests run alone, because they keep every core busy. */
type Groups = readonly (readonly Stage[])[];

/** What is checked without arguments. */
const all: Groups = [
  [format, lint, types, { name: 'unused', command: ['knip'] }, build],
  [{ name: 'unit', command: vitest(['fast', 'worked', 'slow'], '--coverage'), remark: coverageRemark }],
  [
    { name: 'packages', command: ['node', 'scripts/check-packages.ts'], needs: 'build' },
    { name: 'api', command: ['node', 'scripts/check-public-api.ts'], needs: 'build' },
    { name: 'docs', command: ['node', 'scripts/check-docs.ts'] },
    { name: 'examples', command: ['node', 'scripts/check-examples.ts'] },
    { name: 'bench', command: bench('counts', 'files'), needs: 'build' },
  ],
];

/** What an argument alone stands for. */
const lanes: Readonly<Record<string, Groups>> = {
  fast: [[format, lint, types], [{ name: 'unit', command: vitest(['fast']), remark: testsRemark }]],
  long: [
    [build],
    [{ name: 'long', command: vitest(['long']), needs: 'build', remark: testsRemark }],
    [
      {
        name: 'bench',
        command: bench('layers-10', 'history', 'chunks-replaced', 'plugins', 'redaction'),
        needs: 'build',
      },
    ],
  ],
};

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
  const lane = only.length === 1 ? lanes[only[0] ?? ''] : undefined;
  const names = all.flat().map((stage) => stage.name);
  const unknown = lane === undefined ? only.filter((name) => !names.includes(name)) : [];
  if (unknown.length > 0) {
    const known = `${names.join(', ')}; or one of ${Object.keys(lanes).join(', ')} alone`;
    console.error(`Unknown stage ${unknown.join(', ')}; there are ${known}.`);
    return 2;
  }
  const started = Date.now();
  rmSync(resultsFile, { force: true });
  const outcomes = new Map<string, boolean>();
  for (const group of lane ?? all) {
    const chosen = group.filter(({ name }) => lane !== undefined || only.length === 0 || only.includes(name));
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
  const ended = await runToEnd(program, args, { env: quiet, timeoutMs: 30 * 60_000 });
  const passed = ended.status === 0;
  const note = passed ? (remark?.() ?? lastLine(program, ended)) : `exit status ${ended.status}`;
  console.log(`${passed ? '✓' : '✗'} ${name.padEnd(9)} ${seconds(started).padStart(5)} s  ${note}`.trimEnd());
  if (!passed) console.log(`\n${forThisOutput(ended.output.trim())}\n`);
  return passed;
}

/** Some projects of vitest's, on the pinned Node or, with `SHALLOT_TEST_ON=machine`, on the Node that started this. */
function vitest(projects: readonly string[], ...options: string[]): [string, ...string[]] {
  const { SHALLOT_TEST_ON, SHALLOT_MACHINE_NODE } = process.env;
  const node = SHALLOT_TEST_ON === 'machine' && SHALLOT_MACHINE_NODE ? SHALLOT_MACHINE_NODE : 'node';
  const script = join('node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultsFile}`];
  return [node, script, 'run', ...projects.flatMap((name) => ['--project', name]), ...options, ...reporters];
}

/** Rows of the benchmark against what was recorded of them: counts exactly, ratios with room for another machine. */
function bench(...rows: string[]): [string, ...string[]] {
  return ['node', join('bench', 'bench.ts'), ...rows, '--check', '--quick', '--tolerance', '0.25'];
}

interface TestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

function testResults(): TestResults | undefined {
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as TestResults) : undefined;
}

function testsRemark(): string {
  return `${testResults()?.numPassedTests} tests`;
}

function coverageRemark(): string {
  const { total } = JSON.parse(readFileSync(coverageFile, 'utf8')) as {
    total: Record<'lines' | 'branches', { pct: number }>;
  };
  return `${testsRemark()}; ${total.lines.pct} % of lines, ${total.branches.pct} % of branches`;
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
