/** Returns true for an object of JSON. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a string of an object; an empty string if the object has none under this key. */
export function textAt(object: Readonly<Record<string, unknown>>, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}
