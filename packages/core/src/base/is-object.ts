/** Whether a value is an object, a list among them. */
export function isObject(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** What stands at a path in a value, among its own members; undefined where nothing does. */
export function memberAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (current, key) => (isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined),
    value,
  );
}

/** Whether a value bears a brand of ours, of any copy of the core. Of a proxy that cannot be read: no. */
export function isBranded(value: unknown, brand: symbol): value is object {
  try {
    return isObject(value) && brand in value;
  } catch {
    // A proxy that cannot be read is none of ours.
    return false;
  }
}
