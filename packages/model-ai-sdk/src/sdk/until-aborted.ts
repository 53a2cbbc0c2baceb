/**
 * Returns the result of work that may ignore the signal; rejects as soon as the signal is aborted. A later result is
 * passed to `late`.
 */
export function untilAborted<T>(
  work: PromiseLike<T>,
  signal: AbortSignal,
  late?: (value: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let given = false;
    const abort = (): void => {
      given = true;
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    work.then(
      (value) => {
        signal.removeEventListener('abort', abort);
        if (given) late?.(value);
        else resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    );
  });
}
