/** Returns numbers from 0 up to, not including, a limit, the same ones for the same seed. */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed + 1;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}
