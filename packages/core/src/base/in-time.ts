/** The longest time that a Node.js timer supports; longer times mean no limit. */
export const maxTimerMs = 2 ** 31 - 1;

/** The default of `startTimeoutMs`. */
export const defaultStartTimeoutMs = 60_000;

/** The default of `closeTimeoutMs`. */
export const defaultCloseTimeoutMs = 10_000;

/** Returns the promise's result, or rejects with the error of `late` if it has not settled after `ms` milliseconds. */
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
