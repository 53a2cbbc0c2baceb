const now = Date.now.bind(Date);
let ahead = 0;

/** Moves the clock forward by two minutes, so that all claims expire. */
export function passTime(): void {
  ahead += 120_000;
}

/** Calls a function during which `passTime` takes effect. */
export async function inPassingTime<T>(work: () => Promise<T>): Promise<T> {
  const own = Date.now;
  ahead = 0;
  Date.now = () => now() + ahead;
  try {
    return await work();
  } finally {
    Date.now = own;
  }
}
