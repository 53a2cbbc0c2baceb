/** Returns a function that draws integers from 0 to a limit, exclusive. The same seed gives the same numbers. */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed + 1;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}
