/** The time limit for a command to end after a stop. */
export interface StopTime {
  /**
   * Returns the result of the work; rejects with the signal's reason after half of the time, since the rest is for
   * closing.
   */
  orLate<T>(work: Promise<T>): Promise<T>;
  /** The time left, in milliseconds; before a stop, all of it. */
  readonly left: number;
}

export function stopTime(signal: AbortSignal, ms: number): StopTime {
  let stoppedAt: number | undefined;
  return {
    async orLate(work) {
      const late = Promise.withResolvers<never>();
      let timer: NodeJS.Timeout | undefined;
      const stop = (): void => {
        stoppedAt = performance.now();
        // The maximum of a Node timer.
        timer = setTimeout(() => late.reject(signal.reason), Math.min(ms / 2, 2 ** 31 - 1));
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      try {
        return await Promise.race([work, late.promise]);
      } finally {
        clearTimeout(timer);
      }
    },
    get left() {
      return stoppedAt === undefined ? ms : Math.max(0, Math.round(ms - (performance.now() - stoppedAt)));
    },
  };
}
