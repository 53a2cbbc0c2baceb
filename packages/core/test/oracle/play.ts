// Plays worlds, and prints the smallest one in which the core differs from the oracle:
// node packages/core/test/oracle/play.ts FIRST_SEED [WORLDS], or
// node packages/core/test/oracle/play.ts WORLD, with a world as it was printed.
// With `as-it-is` as the third argument, the world is not made smaller.
import { compareWorld, type Comparison } from './compare-world.ts';
import { describeWorld } from './describe-world.ts';
import type { World } from './model/world.ts';
import { randomWorld } from './random-world.ts';
import { shrinkWorld } from './shrink-world.ts';

const [, , first = '1', count = '1', size] = process.argv;
const worlds = first.startsWith('{')
  ? [JSON.parse(first) as World]
  : Array.from({ length: Number(count) }, (_, index) => randomWorld(Number(first) + index));

let played = 0;
for (const world of worlds) {
  played += 1;
  const comparison = await compareWorld(world);
  if (comparison.differences.length === 0) continue;
  console.log(describeWorld(size === 'as-it-is' ? comparison : await smallestOf(world)));
  process.exitCode = 1;
  break;
}
console.log(`${played} worlds played.`);
// Simulated processes that died may still have timers.
process.exit();

async function smallestOf(world: World): Promise<Comparison> {
  const smallest = await shrinkWorld(
    world,
    async (each) => (await compareWorld(each)).differences.length > 0,
  );
  return compareWorld(smallest);
}
