/** A value as messages show it: short, and on one line. */
export function show(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`;
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const text = toText(value).replaceAll(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // Cyclic, or with a getter that throws: what kind of thing it is says enough.
    return Object.prototype.toString.call(value);
  }
}
