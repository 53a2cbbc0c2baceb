/** Returns the object without undefined members, so that spreading it overrides nothing with undefined. */
export function withoutUndefined<T extends object>(value: T): T {
  // All members of T that may be undefined are optional.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
