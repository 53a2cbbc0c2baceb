/** Longer times than this do not fit a timer of Node's: they are no limit. */
export const maxTimerMs = 2 ** 31 - 1;

/** For `startTimeoutMs`. */
export const defaultStartTimeoutMs = 60_000;

/** For `closeTimeoutMs`. */
export const defaultCloseTimeoutMs = 10_000;

/** What a promise gives, or the error that `late` makes when it has not settled within so many milliseconds. */
export async function inTime<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  if (ms > maxTimerMs) return promise;
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}
