/** The range of a match in a text. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns all matches of a global pattern from an index on that `isOne` accepts. After a rejected match, the search
 * continues one character later.
 */
export function findAll(
  pattern: RegExp,
  text: string,
  from: number,
  isOne: (match: string, start: number) => boolean = () => true,
): Stretch[] {
  const found: Stretch[] = [];
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [all] = match;
    if (isOne(all, match.index)) found.push({ start: match.index, end: match.index + all.length });
    else pattern.lastIndex = match.index + 1;
  }
  return found;
}
