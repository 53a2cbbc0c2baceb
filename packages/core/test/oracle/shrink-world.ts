import type { PluginPlan, RunPlan, World } from './model/world.ts';

/** The maximum number of attempts; more are not worth their time. */
const mostAttempts = 400;

/** Removes everything from a world without which it still fails. Returns the smallest world that was found. */
export async function shrinkWorld(world: World, fails: (world: World) => Promise<boolean>): Promise<World> {
  let smallest = world;
  let attempts = 0;
  let candidates = smallerWorlds(smallest);
  for (
    let next = candidates.next();
    next.done !== true && attempts < mostAttempts;
    next = candidates.next()
  ) {
    attempts += 1;
    if (!(await fails(next.value))) continue;
    smallest = next.value;
    candidates = smallerWorlds(smallest);
  }
  return smallest;
}

/** Yields worlds that each lack one thing, the largest things first. */
function* smallerWorlds(world: World): Generator<World> {
  if (world.runs.length > 1) yield { ...world, runs: world.runs.slice(0, -1) };
  for (const plugins of fewer(world.plugins, fewerTaps)) yield { ...world, plugins };
  for (const disturbances of fewer(world.disturbances)) yield { ...world, disturbances };
  for (const runs of eachOf(world.runs, fewerSteps)) yield { ...world, runs };
  if (world.isStreamed) yield { ...world, isStreamed: false };
  if (world.toolConcurrency > 1) yield { ...world, toolConcurrency: 1 };
  if (world.answersApart) yield { ...world, answersApart: false };
  if (world.store === 'slow' || world.store === 'sqlite') yield { ...world, store: 'watched' };
  for (const [index, { moments }] of world.disturbances.entries())
    if (moments > 1)
      yield {
        ...world,
        disturbances: world.disturbances.with(index, {
          ...at(world.disturbances, index),
          moments: moments - 1,
        }),
      };
}

function* fewerTaps(plugin: PluginPlan): Generator<PluginPlan> {
  for (const taps of fewer(plugin.taps)) yield { ...plugin, taps };
  for (const taps of eachOf(plugin.taps, function* (tap) {
    for (const acts of fewer(tap.acts)) yield { ...tap, acts };
    if (tap.pace === 'slow') yield { ...tap, pace: 'async' as const };
  }))
    yield { ...plugin, taps };
}

function* fewerSteps(run: RunPlan): Generator<RunPlan> {
  if (run.steps.length > 0) yield { steps: run.steps.slice(0, -1) };
  for (const steps of eachOf(run.steps, function* (answers) {
    if (answers.length > 1) for (const fewerAnswers of fewer(answers)) yield fewerAnswers;
    for (const fewerCalls of eachOf(answers, function* (calls) {
      if (calls.length > 1) yield calls.slice(0, -1);
      for (const simpler of eachOf(calls, function* (call) {
        for (const acts of fewer(call.acts)) yield { ...call, acts };
      }))
        yield simpler;
    }))
      yield fewerCalls;
  }))
    yield { steps };
}

/** Yields the list without each of its items in turn, then with each item made smaller. */
function* fewer<T>(items: readonly T[], smaller?: (item: T) => Generator<T>): Generator<readonly T[]> {
  for (const index of items.keys()) yield items.toSpliced(index, 1);
  if (smaller !== undefined) yield* eachOf(items, smaller);
}

function* eachOf<T>(items: readonly T[], smaller: (item: T) => Generator<T>): Generator<readonly T[]> {
  for (const [index, item] of items.entries())
    for (const each of smaller(item)) yield items.with(index, each);
}

function at<T>(items: readonly T[], index: number): T {
  // The index is always within the list.
  return items[index] as T;
}
