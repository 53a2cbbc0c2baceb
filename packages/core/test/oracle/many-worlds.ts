import { compareWorld } from './compare-world.ts';
import { describeWorld } from './describe-world.ts';
import { randomWorld } from './random-world.ts';
import { shrinkWorld } from './shrink-world.ts';

/** The events and sizes of many worlds. */
export interface ManyWorlds {
  /** The number of worlds in which each kind of event occurred. */
  readonly events: ReadonlyMap<string, number>;
  /** The median number of steps of a world. */
  readonly medianSteps: number;
}

/**
 * Compares the worlds of `count` seeds, starting with `first`. @throws an error that describes the first world that
 * differs, shrunk as far as possible
 */
export async function compareWorlds(first: number, count: number): Promise<ManyWorlds> {
  const events = new Map<string, number>();
  const steps: number[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const { course, steps: ofWorld, differences } = await compareWorld(randomWorld(seed));
    if (differences.length > 0) throw new Error(await failure(seed));
    steps.push(ofWorld);
    for (const event of course.events) events.set(event, (events.get(event) ?? 0) + 1);
  }
  return { events, medianSteps: steps.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? 0 };
}

async function failure(seed: number): Promise<string> {
  const world = randomWorld(seed);
  const differs = async (each: typeof world): Promise<boolean> =>
    (await compareWorld(each)).differences.length > 0;
  const smallest = await shrinkWorld(world, differs);
  return `The core differs from the oracle in the world of seed ${seed}; the smallest one that was found:\n${describeWorld(await compareWorld(smallest))}`;
}
