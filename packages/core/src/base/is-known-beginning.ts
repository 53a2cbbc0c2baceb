/** The growing lists, by the lists that are their beginnings. */
const grownFrom = new WeakMap<readonly unknown[], object>();

/** Notes that a frozen list is the beginning of a growing list, to which items are only appended. */
export function noteBeginning(list: readonly unknown[], growing: object): void {
  grownFrom.set(list, growing);
}

/** Returns true if a list is known to begin with the first `length` items of another one, without comparing them. */
export function isKnownBeginning(
  before: readonly unknown[],
  length: number,
  list: readonly unknown[],
): boolean {
  if (list.length < length || before.length < length) return false;
  if (before === list) return true;
  const growing = grownFrom.get(before);
  return growing !== undefined && grownFrom.get(list) === growing;
}
