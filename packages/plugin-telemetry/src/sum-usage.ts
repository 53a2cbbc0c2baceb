import type { Usage } from '@shallot/core';

/** Adds what one model call has used; undefined as long as no provider has reported any. */
export function sumUsage(sum: Usage | undefined, usage: Usage | undefined): Usage | undefined {
  if (sum === undefined || usage === undefined) return sum ?? usage;
  return {
    input: sum.input + usage.input,
    output: sum.output + usage.output,
    total: sum.total + usage.total,
    ...added('cacheRead', sum, usage),
    ...added('cacheWrite', sum, usage),
    ...added('reasoning', sum, usage),
  };
}

function added(key: 'cacheRead' | 'cacheWrite' | 'reasoning', a: Usage, b: Usage): Partial<Usage> {
  const one = a[key];
  const other = b[key];
  return one === undefined && other === undefined ? {} : { [key]: (one ?? 0) + (other ?? 0) };
}
