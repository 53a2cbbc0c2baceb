/** A whole number from 0 up to, not including, `limit`. */
export type Random = (limit: number) => number;

/** The seed that `SHALLOT_SEED` names, or a new one: what a test says of it repeats the test. */
export const seed: number = Number(process.env['SHALLOT_SEED'] ?? Date.now() % 1_000_000);

/** Numbers that follow from a seed. */
export function randomFrom(from: number): Random {
  let state = Math.imul(from, 2_654_435_761);
  return (limit) => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
}

/** Some of a list, each once, in random order. */
export function randomSome<T>(list: readonly T[], count: number, random: Random): T[] {
  const rest = [...list];
  return Array.from({ length: Math.min(count, rest.length) }, () =>
    rest.splice(random(rest.length), 1),
  ).flat();
}
