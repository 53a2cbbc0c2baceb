/** A match: a range of a text, and its kind. */
export interface Range {
  readonly start: number;
  /** The index after the last character. */
  readonly end: number;
  readonly kind: string;
  /** The quotes to add around the replacement, so that JSON stays valid. */
  readonly quote?: string;
}

/** Sorts ranges, and merges overlapping ones. The kind is that of the first or, at the same start, the longest. */
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
