/** The longest time between two turns of the event loop, in milliseconds. */
export interface StandStill {
  /** By the clock: what else the machine does makes it longer. */
  readonly wallMs: number;
  /** CPU time of this thread: what it waits for, a disk for instance, is not in it. */
  readonly cpuMs: number;
}

/** Watches for how long the event loop does not turn. */
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
