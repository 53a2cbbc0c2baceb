import type { Message } from '@shallot/core';

import { caseNames } from './cases.ts';
import { playCase, type Stack } from './find-faults.ts';
import { layerNames, layers, type LayerName } from './layers.ts';
import type { Played } from './play.ts';
import { randomFrom, randomSome } from './random.ts';

interface Placed {
  readonly name: LayerName;
  readonly priority: number;
}

/** The priority at which `limits` counts model calls. */
const countingPriority = 2;

/**
 * Plays a random case with three to eight layers at random priorities. All of this follows from a seed. Returns the
 * faults.
 */
export async function playRandomStack(seed: number): Promise<readonly string[]> {
  const random = randomFrom(seed);
  const placed = randomSome(layerNames, 3 + random(6), random).map((name) => ({
    name,
    priority: random(101),
  }));
  const what = caseNames[random(caseNames.length)] ?? 'nothing';
  const mode = random(4) === 0 ? 'whole' : 'streamed';
  const commit = what === 'crash' ? 1 + random(6) : 2;
  const { faults, played } = await playCase(stackOf(placed), what, { mode, commit });
  return played === undefined ? faults : [...faults, ...wrongCounts(placed, played)];
}

function stackOf(placed: readonly Placed[]): Stack {
  return {
    order: placed.toSorted((a, b) => b.priority - a.priority).map(({ name }) => name),
    plugins: (fallback) =>
      placed.map(({ name, priority }) => ({ use: layers[name](fallback), id: name, priority })),
  };
}

/**
 * Returns a fault for each wrong count of `limits`. The counts must be exact wherever the layer stands, unless the run crashed or a
 * layer inside the counting one repeats model calls.
 */
function wrongCounts(placed: readonly Placed[], { record, world, isCrashed }: Played): string[] {
  const repeats = placed.filter(({ name }) => name === 'model-retry' || name === 'model-fallback');
  const isCounted = placed.some(({ name }) => name === 'limits');
  if (!isCounted || isCrashed || repeats.some(({ priority }) => priority <= countingPriority)) return [];
  const counts = JSON.stringify(record.run?.state['limits']?.['run']?.value) ?? '';
  const exact = { modelCalls: world.sent, toolCalls: callsOf(record.messages) };
  return Object.entries(exact).flatMap(([what, count]) =>
    new RegExp(`"${what}":${count}\\b`).test(counts) ? [] : [`limits: not ${count} ${what} in ${counts}`],
  );
}

/** Returns the number of calls that the script's run has answered. */
function callsOf(messages: readonly Message[]): number {
  return messages.filter((message) => message.role === 'tool' && !message.callId.startsWith('old')).length;
}
