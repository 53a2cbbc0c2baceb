import type { PluginEntry } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';

import { caseNames, type CaseName } from './cases.ts';
import { checkInvariants } from './check-invariants.ts';
import type { LayerName } from './layers.ts';
import { aspects, outcomeFor } from './outcomes.ts';
import { play, type Played } from './play.ts';

/** Layers in their order, outermost first, and the plugins that they are. */
export interface Stack {
  readonly order: readonly LayerName[];
  readonly plugins: (fallback: ChatModel) => readonly PluginEntry[];
}

type Mode = 'streamed' | 'whole';

/** How much of the cases is tried. */
interface Effort {
  /** A process dies at each of its commits, and not only at the second. */
  readonly crashes: 'all' | 'one';
  readonly modes: readonly Mode[];
}

export const fewCases: Effort = { crashes: 'one', modes: ['streamed'] };
export const allCases: Effort = { crashes: 'all', modes: ['streamed', 'whole'] };

/** Plays all cases with a stack, and gives what is not as the table and the invariants say. */
export async function findFaults(stack: Stack, { crashes, modes }: Effort): Promise<string[]> {
  const faults: string[] = [];
  for (const mode of modes) {
    for (const what of caseNames) faults.push(...(await playCase(stack, what, { mode, commit: 2 })).faults);
    // A process dies at its first commit, another at its second, until there is none that comes so far.
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
  { order, plugins }: Stack,
  what: CaseName,
  { mode, commit }: { readonly mode: Mode; readonly commit: number },
): Promise<{ readonly faults: readonly string[]; readonly played?: Played }> {
  const title = `${order.join(' > ')}: ${what}, ${mode}, at commit ${commit}`;
  try {
    const played = await play({ what, plugins, isStreamed: mode === 'streamed', commit });
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
