/** What a detector has found: a stretch of a text, and of what kind it is. */
export interface Range {
  readonly start: number;
  /** Behind the last character. */
  readonly end: number;
  readonly kind: string;
  /** What is put around the replacement, so that JSON stays JSON. */
  readonly quote?: string;
}

/** Ranges in their order, those that overlap as one: it is of the kind of that which begins first, or is longer. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const sorted = ranges.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const merged: Range[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last === undefined || range.start >= last.end) merged.push(range);
    else if (range.end > last.end) merged[merged.length - 1] = { ...last, end: range.end };
  }
  return merged;
}
