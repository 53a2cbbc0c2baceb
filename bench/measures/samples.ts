/** The time limits of measurements. The rounds of `--quick` are shorter. */
export interface Effort {
  readonly warmupMs: number;
  readonly sampleMs: number;
  readonly samples: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) return Number.NaN;
  const lower = sorted[middle - 1];
  return sorted.length % 2 === 1 || lower === undefined ? upper : (lower + upper) / 2;
}

/** CPU time of this process since `since`, all threads, in microseconds. */
export function cpuMicros(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}

/** Heap in use after a full collection, in bytes. */
export function settledHeap(): number {
  if (!globalThis.gc) throw new Error('this measurement needs node --expose-gc');
  for (let pass = 0; pass < 3; pass += 1) globalThis.gc();
  return process.memoryUsage().heapUsed;
}
