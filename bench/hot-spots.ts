import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The part of V8's CPU profile format that is read here. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const shown = 20;

/** A folder for the CPU profile of one process. */
export interface Profiling {
  readonly nodeArgs: readonly string[];
  /** Returns the functions with the highest self time, one per line. */
  hotSpots(): string;
  remove(): void;
}

export function createProfiling(): Profiling {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-bench-profile-'));
  return {
    nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
    hotSpots: () =>
      readdirSync(folder)
        .map((file) => summary(join(folder, file)))
        .join('\n'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function summary(file: string): string {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  let total = 0;
  for (const [index, id] of profile.samples.entries()) {
    const name = names.get(id) ?? '';
    const time = profile.timeDeltas[index] ?? 0;
    if (name === '(idle)') continue;
    times.set(name, (times.get(name) ?? 0) + time);
    total += time;
  }
  return [...times]
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, shown)
    .map(([name, time]) => `  ${((time / total) * 100).toFixed(1).padStart(5)} %  ${name}`)
    .join('\n');
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName;
  return `${functionName || '(anonymous)'}  ${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`;
}
