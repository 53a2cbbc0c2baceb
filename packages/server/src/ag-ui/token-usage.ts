/** The tokens of model calls, as the core counts them. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly total: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

const names = {
  inputTokens: 'input',
  outputTokens: 'output',
  totalTokens: 'total',
  reasoningTokens: 'reasoning',
  cachedInputTokens: 'cacheRead',
  cacheWriteInputTokens: 'cacheWrite',
} as const satisfies Readonly<Record<string, keyof TokenCounts>>;

/** Returns the usage of a run since an earlier count, as one entry for all of its models; undefined if it is unknown. */
export function usageSince(
  usage: TokenCounts | undefined,
  before: TokenCounts | undefined,
): readonly object[] | undefined {
  if (usage === undefined) return undefined;
  const counts = Object.entries(names).flatMap(([name, key]) => {
    const count = usage[key];
    return count === undefined ? [] : [[name, Math.max(0, count - (before?.[key] ?? 0))] as const];
  });
  return [Object.fromEntries(counts)];
}
