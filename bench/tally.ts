import { chunkText } from './script.ts';
import type { Workload } from './workload.ts';

/** The places in a run that a layer can have. */
export const layerPlaces = ['beforeModel', 'afterModel', 'wrapModelCall', 'wrapToolCall'] as const;
export type LayerPlace = (typeof layerPlaces)[number];

/** Counts of what a subject did, updated by its model, tool and layers. */
export interface Tally {
  modelCalls: number;
  toolCalls: number;
  beforeModel: number;
  afterModel: number;
  wrapModelCall: number;
  wrapToolCall: number;
  /** The chunks that a transforming layer replaced. */
  transformed: number;
  /** The characters of the answer that reached the consumer of the stream. */
  delivered: number;
}

export function createTally(): Tally {
  return {
    modelCalls: 0,
    toolCalls: 0,
    beforeModel: 0,
    afterModel: 0,
    wrapModelCall: 0,
    wrapToolCall: 0,
    transformed: 0,
    delivered: 0,
  };
}

/** Throws unless `tally` shows exactly the work of `runs` runs, at the places where the subject can have layers. */
export function assertTally(
  tally: Tally,
  workload: Workload,
  places: readonly LayerPlace[],
  runs: number,
): void {
  const { layers, steps, calls, chunks } = workload;
  const modelCalls = (steps + 1) * runs;
  const toolCalls = steps * calls * runs;
  const expected: Partial<Record<keyof Tally, number>> = { modelCalls, toolCalls };
  for (const place of layerPlaces) {
    const calls = place === 'wrapToolCall' ? toolCalls : modelCalls;
    expected[place] = places.includes(place) ? layers * calls : 0;
  }
  expected.delivered = chunks * chunkText.length * runs;
  expected.transformed = workload.transform ? chunks * layers * runs : 0;

  const wrong = Object.entries(expected).filter(([key, count]) => tally[key as keyof Tally] !== count);
  if (wrong.length === 0) return;
  const found = wrong.map(([key, count]) => `${key}: ${tally[key as keyof Tally]}, expected ${count}`);
  throw new Error(`not the same work in ${runs} runs: ${found.join('; ')}`);
}
