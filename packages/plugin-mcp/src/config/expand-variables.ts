/** A text with its variables filled in, and those that are not set. */
export interface Expanded {
  readonly text: string;
  readonly missing: readonly string[];
}

/** A reference begins here; what its default is like is seen by where it ends. */
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(:-|\})/y;

/**
 * Fills in `${NAME}` and `${NAME:-default}`, in one pass. A default is used where the variable is not set, or empty; what
 * is no reference stays as it is.
 */
export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): Expanded {
  const missing: string[] = [];
  let filled = '';
  let at = 0;
  for (let start = text.indexOf('${'); start !== -1; start = text.indexOf('${', at)) {
    filled += text.slice(at, start);
    at = start;
    reference.lastIndex = start;
    const [whole = '${', name = '', rest] = reference.exec(text) ?? [];
    const end = rest === ':-' ? text.indexOf('}', start) : start + whole.length - 1;
    // Nothing ends any more.
    if (end === -1) break;
    const value = env[name];
    if (rest === ':-')
      filled += value === undefined || value === '' ? text.slice(start + whole.length, end) : value;
    else filled += rest === undefined ? whole : (value ?? whole);
    if (rest === '}' && value === undefined) missing.push(name);
    at = end + 1;
  }
  return { text: filled + text.slice(at), missing };
}
