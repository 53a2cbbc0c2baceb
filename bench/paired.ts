// `pnpm bench:paired <commit>`: compares the working tree with a commit, slice by slice in one process.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import type { PairedCost } from './measures/paired-cost.ts';
import { measurePaired, type Side } from './paired-job.ts';
import { layPublishedPackages } from './published-packages.ts';
import type { SubjectName } from './subjects.ts';
import { plainRun, type Workload } from './workload.ts';

const usage = `Usage: pnpm bench:paired <commit> [--row ID]… [--turns N] [--own-subjects]

  <commit>        what the working tree is held against; both are built
  --row ID        only the rows whose id begins so; may be repeated
  --turns N       how often each build has its turn (default 400)
  --own-subjects  each build runs the subjects of its own commit: for builds with other names in their API, if you
                  have made sure that both subjects do the same`;

/** An even number, so that each build comes first equally often. */
const processes = 6;

const tenLayers: Workload = { ...plainRun, layers: 10 };

/** Rows with plugins are measured twice: with async taps, and with plain functions. */
const rows: Readonly<Record<string, Workload>> = {
  'layers-0': plainRun,
  'layers-10': tenLayers,
  'layers-50': { ...plainRun, layers: 50 },
  'steps-50': { ...tenLayers, steps: 50 },
  'history-10000': { ...tenLayers, history: 10_000 },
  'input-10000': { ...tenLayers, history: 10_000, historyIn: 'input' },
  'chunks-untouched': { ...tenLayers, steps: 0, chunks: 200 },
  'chunks-transformed': { ...tenLayers, steps: 0, chunks: 200, transform: true },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    row: { type: 'string', multiple: true, default: [] },
    turns: { type: 'string', default: '400' },
    'own-subjects': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [commit] = positionals;
if (values.help || commit === undefined || positionals.length > 1) console.log(usage);
else await compare(commit);

async function compare(commit: string): Promise<void> {
  layPublishedPackages();
  const folder = mkdtempSync(join(tmpdir(), 'shallot-paired-'));
  const other = join(folder, 'checkout');
  run('git', ['worktree', 'add', '--detach', other, commit], import.meta.dirname);
  try {
    run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline', '--reporter=silent'], other);
    run('pnpm', ['build', '--output-logs=errors-only'], other);
    // Both builds run this commit's subjects, so that "10 plugins" means the same in both.
    if (!values['own-subjects']) laySubjects(join(other, 'bench'));
    run(
      process.execPath,
      ['-e', `import('./published-packages.ts').then((m) => m.layPublishedPackages())`],
      join(other, 'bench'),
    );
    console.log(`The working tree to ${commit}, CPU time; in brackets where nine of ten medians lie\n`);
    for (const [id, workload] of Object.entries(rows)) {
      if (values.row.length > 0 && !values.row.some((name) => id.startsWith(name))) continue;
      for (const [taps, subject] of Object.entries(subjectsFor(workload))) {
        const { ratio, low, high } = await pair(
          join(other, 'bench'),
          subject,
          workload,
          Number(values.turns),
        );
        console.log(`  ${`${id}${taps}`.padEnd(25)} ${shown(ratio)}  [${shown(low)} – ${shown(high)}]`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    run('git', ['worktree', 'prune'], import.meta.dirname);
  }
}

function subjectsFor({ layers }: Workload): Readonly<Record<string, SubjectName>> {
  return layers === 0 ? { '': 'shallot' } : { ' async': 'shallot', ' plain': 'shallot-plain' };
}

/** Replaces the subjects of another commit, and what they import, with those of this folder. */
function laySubjects(bench: string): void {
  for (const name of readdirSync(import.meta.dirname)) {
    if (name === 'subjects' || name.endsWith('.ts'))
      cpSync(join(import.meta.dirname, name), join(bench, name), { recursive: true });
  }
}

/**
 * Compares two builds in several processes. The build that is loaded and run first has an advantage or a disadvantage,
 * so each is first equally often; and no two processes compile the code alike.
 */
async function pair(
  other: string,
  subject: SubjectName,
  workload: Workload,
  turns: number,
): Promise<Pick<PairedCost, 'ratio' | 'low' | 'high'>> {
  const own: Side = { subject, workload };
  const before: Side = { ...own, folder: other };
  const logs: { readonly ratio: number; readonly low: number; readonly high: number }[] = [];
  for (let process = 0; process < processes; process += 1) {
    const isSwapped = process % 2 === 1;
    const { ratio, low, high } = await pairedCost(
      isSwapped ? [own, before] : [before, own],
      turns / processes,
    );
    const [least, most] = isSwapped ? [1 / high, 1 / low] : [low, high];
    logs.push({ ratio: Math.log(isSwapped ? 1 / ratio : ratio), low: Math.log(least), high: Math.log(most) });
  }
  const mean = (key: 'ratio' | 'low' | 'high'): number =>
    Math.exp(logs.reduce((sum, log) => sum + log[key], 0) / logs.length);
  return { ratio: mean('ratio'), low: mean('low'), high: mean('high') };
}

async function pairedCost(sides: [Side, Side], turns: number): Promise<PairedCost> {
  const effort = { warmupMs: 1500, sliceMs: 4, turns, mostMs: 300_000 };
  const [, second] = await measurePaired({ sides, effort });
  if (second === undefined) throw new Error('two builds are needed');
  return second;
}

function shown(ratio: number): string {
  return ratio.toFixed(3);
}

function run(program: string, args: readonly string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
