/**
 * A promise of somebody who may not listen to the signal; rejects as soon as that is aborted. What comes later is given
 * to `late`.
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
