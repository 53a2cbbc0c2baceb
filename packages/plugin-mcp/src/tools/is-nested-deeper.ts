/**
 * Returns true if a parsed JSON value is nested deeper than `maxDepth`. It does not recurse, because deep nesting
 * could overflow the stack.
 */
export function isNestedDeeper(value: unknown, maxDepth: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((each): unknown[] =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    );
  }
  return false;
}
