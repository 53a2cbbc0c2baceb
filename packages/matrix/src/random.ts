/** Returns an integer from 0 to `limit`, exclusive. */
export type Random = (limit: number) => number;

/** Returns the seed in `SHALLOT_SEED`, or a new one. Tests print it, so that they can be repeated. */
export const seed: number = Number(process.env['SHALLOT_SEED'] ?? Date.now() % 1_000_000);

/** Returns a random number generator that follows from a seed. */
export function randomFrom(from: number): Random {
  let state = Math.imul(from, 2_654_435_761);
  return (limit) => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
}

/** Returns distinct members of a list, in random order. */
export function randomSome<T>(list: readonly T[], count: number, random: Random): T[] {
  const rest = [...list];
  return Array.from({ length: Math.min(count, rest.length) }, () =>
    rest.splice(random(rest.length), 1),
  ).flat();
}
