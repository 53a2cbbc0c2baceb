/** Names a received value in an error. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') {
    return `an object with the keys ${Object.keys(value).slice(0, 6).join(', ') || '(none)'}`;
  }
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  if (typeof value === 'function') return 'a function';
  return `the ${typeof value} ${(value as number | boolean | bigint | symbol).toString()}`;
}
