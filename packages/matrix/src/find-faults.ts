import type { PluginEntry } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';

import { caseNames, type CaseName } from './cases.ts';
import { checkInvariants } from './check-invariants.ts';
import type { LayerName } from './layers.ts';
import { aspects, outcomeFor } from './outcomes.ts';
import { play, type Played } from './play.ts';

/** Layers, outermost first, with their plugins. */
export interface Stack {
  readonly order: readonly LayerName[];
  readonly plugins: (fallback: ChatModel) => readonly PluginEntry[];
  /** True if the script is played in a child run, inside of these layers; the plugins then have their names as ids. */
  readonly isInChild?: true;
}

type Mode = 'streamed' | 'whole';

/** The extent of the cases to try. */
interface Effort {
  /** The commits at which a process crashes: each of them, or only the second. */
  readonly crashes: 'all' | 'one';
  readonly modes: readonly Mode[];
}

export const fewCases: Effort = { crashes: 'one', modes: ['streamed'] };
export const allCases: Effort = { crashes: 'all', modes: ['streamed', 'whole'] };

/** Plays all cases with a stack. Returns the deviations from the table and the invariants. */
export async function findFaults(stack: Stack, { crashes, modes }: Effort): Promise<string[]> {
  const faults: string[] = [];
  for (const mode of modes) {
    for (const what of caseNames) faults.push(...(await playCase(stack, what, { mode, commit: 2 })).faults);
    // The first process crashes at its first commit, the next one at its second, until a process ends without so many
    // commits.
    for (let commit = 1, isOver = crashes === 'one'; !isOver; commit += 1) {
      const { faults: found, played } = await playCase(stack, 'crash', { mode, commit });
      faults.push(...found);
      isOver = played?.isCrashed !== true;
    }
  }
  return faults;
}

/** Plays one case with a stack. */
export async function playCase(
  { order, plugins, isInChild }: Stack,
  what: CaseName,
  { mode, commit }: { readonly mode: Mode; readonly commit: number },
): Promise<{ readonly faults: readonly string[]; readonly played?: Played }> {
  const title = `${order.join(' > ')}: ${what}, ${mode}, at commit ${commit}`;
  try {
    const inChild = isInChild && { childPlugins: order };
    const played = await play({ what, plugins, isStreamed: mode === 'streamed', commit, ...inChild });
    const isOver = what === 'crash' && !played.isCrashed;
    const faults = aspects.flatMap((aspect) => {
      const expected = isOver && aspect === 'ends' ? 'completed' : outcomeFor(aspect, what, order);
      const seen = played.seen[aspect];
      return seen === expected ? [] : [`${title}: ${aspect} is "${seen}" instead of "${expected}"`];
    });
    checkInvariants(played);
    return { faults, played };
  } catch (error) {
    return { faults: [`${title}: ${error instanceof Error ? error.message : String(error)}`] };
  }
}
