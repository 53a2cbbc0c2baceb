/** The time that a command has to end in, once it is asked to. */
export interface StopTime {
  /** What the work gives; rejects with the signal's reason when half of the time is over: the rest is for closing. */
  orLate<T>(work: Promise<T>): Promise<T>;
  /** What is left of it, in milliseconds. */
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
        // More does not fit a timer of Node's.
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
