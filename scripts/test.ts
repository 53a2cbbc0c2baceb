// `npm test`: runs the checks of the repository, and prints a line with the duration for each. If one fails, its whole
// output is shown. `npm test -- lint types` runs only those stages. `npm test -- fast` runs what takes less than a
// minute; `npm test -- long`, the tests that take minutes and the coverage of the fast ones; `npm test -- database`,
// those that start a PostgreSQL server. With SHALLOT_THOROUGH=1 the long ones run their sweeps in full, which takes
// hours. The last lines report how many tests passed, and which stages failed.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { runToEnd, type Ended } from './run-to-end.ts';
import { root } from './workspace.ts';

interface Stage {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  /**
   * The name of an earlier stage. This one waits for it, and is skipped if it failed. Without it in the same call, this
   * one runs anyway.
   */
  readonly needs?: string;
  /** Returns a remark for the line of a stage that passed. Default: the last line that a script of ours printed. */
  readonly remark?: () => string;
}

/** Holds the report of each stage of tests, in a file named after the stage. */
const resultsFolder = join(root, 'node_modules', '.cache', 'test-results');
const coverageFile = join(root, 'coverage', 'coverage-summary.json');

const sources: readonly Stage[] = [
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'lint', command: ['oxlint'] },
  { name: 'types', command: ['tsc'] },
  { name: 'pages', command: ['tsc', '--build', 'packages/web', 'examples/web-chat'] },
];
const build: Stage = { name: 'build', command: ['turbo', 'run', 'build', '--output-logs=errors-only'] };

/** The groups run one after the other. The stages of a group start in this order, and two of them run side by side. */
type Groups = readonly (readonly Stage[])[];

/** The checks of `npm test` without arguments. */
const all: Groups = [
  // The tests come first: they take longest, and the slow ones mostly wait for processes, so there is CPU time for the
  // other checks.
  [
    tests('unit', ['fast', 'worked', 'slow']),
    ...sources,
    { name: 'unused', command: ['knip'] },
    build,
    { name: 'packages', command: ['node', 'scripts/check-packages.ts'], needs: 'build' },
    { name: 'api', command: ['node', 'scripts/check-public-api.ts'], needs: 'build' },
    { name: 'docs', command: ['node', 'scripts/check-docs.ts'] },
    { name: 'examples', command: ['node', 'scripts/check-examples.ts'] },
    { name: 'bench', command: bench('counts', 'files'), needs: 'build' },
  ],
];

/** The lanes that a single argument selects. */
const lanes: Readonly<Record<string, Groups>> = {
  fast: [[tests('unit', ['fast']), ...sources]],
  database: [[tests('database', ['slow'], 'packages/store-postgres/', 'examples/scale-out/')]],
  long: [
    [build],
    [{ ...tests('long', ['long']), needs: 'build' }],
    // Coverage is measured only in the tests' own process, so other lanes would add time and almost no coverage.
    [{ ...tests('coverage', ['fast'], '--coverage'), remark: coverageRemark }],
    [
      {
        name: 'bench',
        command: bench('layers-10', 'history', 'chunks-replaced', 'plugins', 'redaction'),
        needs: 'build',
      },
    ],
  ],
};

/**
 * A stage that takes longer is assumed to hang. The longest one, in the long lane, takes about half an hour on two
 * cores.
 */
const stageTimeoutMs = 60 * 60_000;

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
  rmSync(resultsFolder, { recursive: true, force: true });
  const outcomes: Outcomes = new Map();
  for (const group of lane ?? all) {
    const chosen = group.filter(({ name }) => lane !== undefined || only.length === 0 || only.includes(name));
    await runSideBySide(chosen, outcomes);
  }

  const ended = await Promise.all(
    [...outcomes].map(async ([name, passed]) => ({ name, passed: await passed })),
  );
  const failed = ended.filter(({ passed }) => !passed).map(({ name }) => name);
  const results = [...outcomes.keys()].flatMap((name) => testResults(name) ?? []);
  if (results.length > 0) {
    const [all, bad] = [sum(results, 'numPassedTests'), sum(results, 'numFailedTests')];
    console.log(`\n${all} passed, ${bad} failed`);
    const without = results.flatMap(withoutBrowser);
    if (without.length > 0)
      console.log(`Not run, because there is no browser:\n${without.map((each) => `  ${each}`).join('\n')}`);
  }
  const verdict = failed.length === 0 ? `All ${outcomes.size} stages passed` : `Failed: ${failed.join(', ')}`;
  console.log(`${verdict} (${seconds(started)} s)`);
  return failed.length === 0 ? 0 : 1;
}

/** The outcome of each stage that has begun: true if it passes. */
type Outcomes = Map<string, Promise<boolean>>;

async function runSideBySide(stages: readonly Stage[], outcomes: Outcomes): Promise<void> {
  const waiting = stages.values();
  const lane = async (): Promise<void> => {
    for (const stage of waiting) {
      const passed = runStage(stage, outcomes);
      outcomes.set(stage.name, passed);
      await passed;
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane));
}

async function runStage({ name, command, needs, remark }: Stage, outcomes: Outcomes): Promise<boolean> {
  if (needs !== undefined && (await outcomes.get(needs)) === false) {
    console.log(`✗ ${name.padEnd(9)}      skipped, because ${needs} failed`);
    return false;
  }
  const started = Date.now();
  const [program, ...args] = command;
  const ended = await runToEnd(program, args, { env: quiet, timeoutMs: stageTimeoutMs });
  const passed = ended.status === 0;
  const note = passed ? (remark?.() ?? lastLine(program, ended)) : `exit status ${ended.status}`;
  console.log(`${passed ? '✓' : '✗'} ${name.padEnd(9)} ${seconds(started).padStart(5)} s  ${note}`.trimEnd());
  if (!passed) console.log(`\n${forThisOutput(ended.output.trim())}\n`);
  return passed;
}

/**
 * Returns a stage with the tests of some lanes. They run on the pinned Node, or with `SHALLOT_TEST_ON=machine` on the
 * Node that started this.
 */
function tests(name: string, lanes: readonly string[], ...options: string[]): Stage {
  const { SHALLOT_TEST_ON, SHALLOT_MACHINE_NODE } = process.env;
  const node = SHALLOT_TEST_ON === 'machine' && SHALLOT_MACHINE_NODE ? SHALLOT_MACHINE_NODE : 'node';
  const script = join('node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultsFile(name)}`];
  const projects = lanes.flatMap((lane) => ['--project', lane]);
  return {
    name,
    command: [node, script, 'run', ...projects, ...options, ...reporters],
    remark: () => `${testResults(name)?.numPassedTests} tests`,
  };
}

/**
 * Returns the command that compares rows of the benchmark with their records: counts exactly, and ratios with a
 * tolerance for other machines.
 */
function bench(...rows: string[]): [string, ...string[]] {
  return ['node', join('bench', 'bench.ts'), ...rows, '--check', '--quick', '--tolerance', '0.5'];
}

interface TestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Returns the names of tests that did not run because there is no browser. */
function withoutBrowser({ testResults }: TestResults): string[] {
  return testResults
    .filter(({ name }) => name.includes('.browser.'))
    .flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'skipped' || status === 'pending')
        .map(({ fullName }) => `${relative(root, name)}: ${fullName}`),
    );
}

function resultsFile(stage: string): string {
  return join(resultsFolder, `${stage}.json`);
}

function testResults(stage: string): TestResults | undefined {
  const file = resultsFile(stage);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as TestResults) : undefined;
}

function sum(results: readonly TestResults[], count: 'numPassedTests' | 'numFailedTests'): number {
  return results.reduce((total, each) => total + each[count], 0);
}

function coverageRemark(): string {
  const { total } = JSON.parse(readFileSync(coverageFile, 'utf8')) as {
    total: Record<'lines' | 'branches', { pct: number }>;
  };
  return `${total.lines.pct} % of lines, ${total.branches.pct} % of branches`;
}

function lastLine(program: string, { stdout }: Ended): string {
  return program === 'node' ? (stdout.trim().split('\n').at(-1) ?? '') : '';
}

/** Removes colours unless stdout is a terminal: on CI some tools print them whatever they are told. */
function forThisOutput(text: string): string {
  return process.stdout.isTTY ? text : stripVTControlCharacters(text);
}

function seconds(since: number): string {
  return ((Date.now() - since) / 1000).toFixed(1);
}
