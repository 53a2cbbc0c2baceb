/** The maximum nesting; deeper values overflow the stack of serializers. */
const maxDepth = 200;

/** Describes the first member of a value that is not plain JSON, with its path; undefined if there is none. */
export function jsonFault(value: unknown, path: string, depth = 0): string | undefined {
  const found = plainFault(value, depth);
  if (found !== undefined) return `${path} is ${found}, which is not valid JSON.`;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    const fault = jsonFault(member, at, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function plainFault(value: unknown, depth: number): string | undefined {
  if (value === null || ['string', 'boolean', 'undefined'].includes(typeof value)) return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (depth > maxDepth) return `nested more than ${maxDepth} levels deep`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value) || prototype === Object.prototype || prototype === null) return undefined;
  return `an instance of ${value.constructor.name}`;
}
