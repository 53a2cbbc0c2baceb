/** Returns true for objects and arrays. */
export function isObject(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns the value at a path of own members; undefined if there is none. */
export function memberAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (current, key) => (isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined),
    value,
  );
}

/** Returns true if a value has a brand of any copy of the core. False for a proxy that cannot be read. */
export function isBranded(value: unknown, brand: symbol): value is object {
  try {
    return isObject(value) && brand in value;
  } catch {
    // A proxy that cannot be read has no brand.
    return false;
  }
}
