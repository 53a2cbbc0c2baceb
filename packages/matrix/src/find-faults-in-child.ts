import type { CaseName } from './cases.ts';
import { playCase, type Stack } from './find-faults.ts';
import { layers, type LayerName } from './layers.ts';
import { outcomeFor } from './outcomes.ts';

/**
 * Plays cases in a child that one layer surrounds, and returns the deviations from the table. Cases in which a run
 * would fail are left out, because a failed child is only a failed call for its parent.
 */
export async function findFaultsInChild(name: LayerName, cases: readonly CaseName[]): Promise<string[]> {
  const faults: string[] = [];
  for (const what of cases) {
    if (outcomeFor('ends', what, [name]).startsWith('failed')) continue;
    faults.push(...(await playCase(inChild(name), what, { mode: 'streamed', commit: 2 })).faults);
  }
  return faults;
}

/**
 * Simulates a crash at each commit of parent and child, one after another. Returns the deviations and the number of
 * crashes.
 */
export async function findFaultsOfCrashes(
  name: LayerName,
): Promise<{ readonly faults: readonly string[]; readonly deaths: number }> {
  const faults: string[] = [];
  for (let commit = 1; ; commit += 1) {
    const { faults: found, played } = await playCase(inChild(name), 'crash', { mode: 'streamed', commit });
    faults.push(...found);
    if (played?.isCrashed !== true) return { faults, deaths: commit - 1 };
  }
}

function inChild(name: LayerName): Stack {
  return {
    order: [name],
    plugins: (fallback) => [{ use: layers[name](fallback), id: name }],
    isInChild: true,
  };
}
