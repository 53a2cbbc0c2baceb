/** A text after substitution, and the names of unset variables. */
export interface Expanded {
  readonly text: string;
  readonly missing: readonly string[];
}

/** The beginning of a reference; a default ends at the next brace. */
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(:-|\})/y;

/**
 * Substitutes `${NAME}` and `${NAME:-default}` in one pass. A default is used if the variable is unset or empty; other
 * text, and a reference to an unset variable without a default, is not changed.
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
    // The reference has no end.
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
