/** An object without the keys whose value is undefined: they say nothing, and must not replace what says something. */
export function withoutUndefined<T extends object>(value: T): T {
  // An absent key and an undefined one are the same to whoever reads a T.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
