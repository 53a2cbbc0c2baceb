/** Returns the known word closest to a mistyped one, if one is close enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: likeness(word, candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best === undefined || best.distance === Number.POSITIVE_INFINITY ? undefined : best.candidate;
}

/** Returns the edit distance of two words, ignoring case; infinity if they are too different. */
export function likeness(word: string, other: string): number {
  const distance = editDistance(word.toLowerCase(), other.toLowerCase());
  const hasMuchInCommon = distance <= Math.max(1, Math.floor(word.length / 3));
  return hasMuchInCommon && distance < Math.max(word.length, other.length)
    ? distance
    : Number.POSITIVE_INFINITY;
}

/** Returns the number of insertions, deletions, replacements and swaps of neighbours between two words. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(replaced, swapped, at(last, j) + 1, at(row, j - 1) + 1));
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
