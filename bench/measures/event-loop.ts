/** The longest time between two turns of the event loop, in milliseconds. */
export interface StandStill {
  /** Wall time, so other work on the machine lengthens it. */
  readonly wallMs: number;
  /** CPU time of this thread, so waiting, for instance for a disk, does not count. */
  readonly cpuMs: number;
}

/** Measures the longest time between two turns of the event loop, until it is stopped. */
export function watchEventLoop(): { stop(): StandStill } {
  const longest = { wallMs: 0, cpuMs: 0 };
  let last = { wallMs: performance.now(), cpuMs: threadCpuMs() };
  let running = true;
  const note = (): void => {
    const now = { wallMs: performance.now(), cpuMs: threadCpuMs() };
    longest.wallMs = Math.max(longest.wallMs, now.wallMs - last.wallMs);
    longest.cpuMs = Math.max(longest.cpuMs, now.cpuMs - last.cpuMs);
    last = now;
  };
  const turn = (): void => {
    note();
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop() {
      running = false;
      note();
      return longest;
    },
  };
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
