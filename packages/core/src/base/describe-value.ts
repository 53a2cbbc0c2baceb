/** Returns the type of a value with its article; `null` and `undefined` without. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Describes a value for an error without the content of its members, which may be private. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.slice(0, 60));
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'symbol':
      return `the ${typeof value} ${value.toString()}`;
    case 'object':
      if (value === null || Array.isArray(value)) return kindOf(value);
      return `an object with the keys ${Object.keys(value).slice(0, 6).join(', ') || '(none)'}`;
    default:
      return kindOf(value);
  }
}

/** Returns a value from a config or a program as a short text on one line. */
export function showValue(value: unknown): string {
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
    // Cyclic, or with a getter that throws: show only its class.
    return Object.prototype.toString.call(value);
  }
}
