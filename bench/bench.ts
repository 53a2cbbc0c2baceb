// `pnpm bench`: measures each cost that users pay, one row each, against the same work done by hand.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';

import { rounded } from './align.ts';
import {
  type Baseline,
  defaultBaseline,
  isWorse,
  readBaseline,
  recordedRow,
  slowness,
  summary,
  writeBaseline,
} from './baseline.ts';
import { createProfiling } from './hot-spots.ts';
import { installDependencies } from './install.ts';
import { layPublishedPackages } from './published-packages.ts';
import { rowTable } from './row-table.ts';
import { rows } from './rows.ts';
import type { Row, RowEffort } from './rows/row.ts';

const usage = `Usage: pnpm bench [ROW]… [--quick] [--rounds N] [--check] [--record] [--baseline FILE] [--profile]

  ROW              only this row, or those whose id begins so; default: all but those that
                   are marked in the list, which take minutes or an install
  --quick          one short round
  --rounds N       rounds, each in processes of its own (default 3; 5 with --record; 1 with --quick)
  --check          fails when a figure is worse than the recorded one by more than its noise
  --tolerance N    and by more than so much of it, on a machine that is not that of the record (default 0.05)
  --record         records the figures of these rows
  --baseline FILE  what is compared with or recorded (default: baseline.json)
  --profile        shows in which functions the time was spent; the figures are then too high
  --list           lists the rows`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    check: { type: 'boolean', default: false },
    tolerance: { type: 'string', default: '0.05' },
    record: { type: 'boolean', default: false },
    baseline: { type: 'string', default: defaultBaseline },
    profile: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const thorough: RowEffort = { warmupMs: 1500, sampleMs: 4, samples: 150, nodeArgs: [] };
const quick: RowEffort = { warmupMs: 1000, sampleMs: 4, samples: 60, nodeArgs: [] };
type Rounds = Readonly<Record<string, number>>[];

if (values.help) console.log(usage);
else if (values.list) for (const row of rows) console.log(listed(row));
else process.exitCode = await measureAll(chosenRows());

function listed({ id, title, isApart }: Row): string {
  return `${id.padEnd(20)}${title}${isApart ? '  (only when named)' : ''}`;
}

function chosenRows(): readonly Row[] {
  const unknown = positionals.filter((name) => !rows.some(({ id }) => id.startsWith(name)));
  if (unknown.length > 0) throw new TypeError(`there is no row ${unknown.join(', ')}: see --list`);
  const isNamed = ({ id }: Row): boolean =>
    positionals.some((name) => (rows.some((row) => row.id === name) ? id === name : id.startsWith(name)));
  return positionals.length === 0 ? rows.filter(({ isApart }) => !isApart) : rows.filter(isNamed);
}

async function measureAll(chosen: readonly Row[]): Promise<number> {
  if (chosen.some(({ isApart }) => isApart)) installDependencies();
  layPublishedPackages();
  const baseline: Record<string, Baseline[string]> = { ...readBaseline(values.baseline) };
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  const worse: string[] = [];
  for (const row of chosen) {
    const rounds = await measureRow(row, baseline);
    console.log(`${rowTable(row, rounds, baseline[row.id])}\n`);
    worse.push(...worseFigures(row, rounds, baseline));
    const slow = values.check ? slowness(row, rounds, baseline[row.id]) : undefined;
    if (slow !== undefined)
      console.log(
        `${row.id} is not judged: ${row.figures[row.control ?? '']?.label} is ${rounded(slow)} times its record, so this machine has other work.\n`,
      );
    if (!values.record) continue;
    baseline[row.id] = recordedRow(rounds, row, commit.trim());
    writeBaseline(values.baseline, baseline);
  }
  if (!values.check) return 0;
  console.log(
    worse.length === 0
      ? 'No figure is worse than the recorded one'
      : `Worse than recorded:\n${worse.join('\n')}`,
  );
  return worse.length === 0 ? 0 : 1;
}

/**
 * Measures the rounds of a row. With `--check`, stops after the first round that is on an idle machine and has no
 * figure that is worse than recorded.
 */
async function measureRow(row: Row, baseline: Baseline): Promise<Rounds> {
  const isOne = (values.quick || values.profile) && !values.check;
  const most = Number(values.rounds ?? (values.record ? 5 : isOne ? 1 : 3));
  if (!Number.isInteger(most) || most < 1)
    throw new TypeError(`--rounds is ${values.rounds}: give a whole number from 1`);
  const rounds: Rounds = [];
  while (rounds.length < most) {
    rounds.push(await measureRound(row));
    const isGood =
      slowness(row, rounds, baseline[row.id]) === undefined &&
      worseFigures(row, rounds, baseline).length === 0;
    if (values.check && isGood) break;
  }
  return rounds;
}

async function measureRound(row: Row): Promise<Readonly<Record<string, number>>> {
  const effort = values.quick ? quick : thorough;
  if (!values.profile) return await row.measure(effort);
  const profiling = createProfiling();
  try {
    const measured = await row.measure({ ...effort, nodeArgs: profiling.nodeArgs });
    console.log(`${row.id}\n${profiling.hotSpots()}\n`);
    return measured;
  } finally {
    profiling.remove();
  }
}

/** Returns a line for each figure that is worse than recorded. On a busy machine only counts are judged. */
function worseFigures(row: Row, rounds: Rounds, baseline: Baseline): string[] {
  const isSlow = slowness(row, rounds, baseline[row.id]) !== undefined;
  return Object.entries(row.figures).flatMap(([key, figure]) => {
    const recorded = baseline[row.id]?.figures[key];
    const measured = summary(rounds.map((round) => round[key] ?? Number.NaN));
    if (isSlow && figure.kind === 'ratio') return [];
    if (recorded === undefined || !isWorse(figure, measured, recorded, Number(values.tolerance))) return [];
    return [`  ${row.id}: ${figure.label}: ${rounded(measured.low)}, recorded ${rounded(recorded.high)}`];
  });
}
