/** The time and samples that a measurement takes. Those of `--quick` are smaller. */
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

/** Returns the CPU time of all threads of this process since `since`, in microseconds. */
export function cpuMicros(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}

/** Returns the heap in use after full collections, in bytes. */
export function settledHeap(): number {
  if (!globalThis.gc) throw new Error('this measurement needs node --expose-gc');
  for (let pass = 0; pass < 3; pass += 1) globalThis.gc();
  return process.memoryUsage().heapUsed;
}
