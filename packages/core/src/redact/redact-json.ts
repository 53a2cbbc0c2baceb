import { isSecretName } from './secret-names.ts';

/** Shorter numbers are likely to be counts. */
const minNumberLength = 4;
const cutNumber = /[\d.eE+-]{0,32}\[redacted\][\d.eE+-]{0,32}/g;

export interface JsonRedaction {
  /** Redacts a string, without its quotes and escapes. */
  readonly text: (text: string) => string;
  readonly censor: string;
}

/**
 * Returns a JSON text without the values whose keys name a secret, and with each string redacted separately. Everything
 * else keeps its form. Undefined if the text is not JSON.
 */
export function redactJson(json: string, { text, censor }: JsonRedaction): string | undefined {
  if (!isJson(json)) return undefined;
  let redacted = '';
  let from = 0;
  function replace(start: number, end: number, replacement: string): void {
    redacted += json.slice(from, start) + replacement;
    from = end;
  }
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', at)) {
    const end = behindString(json, at);
    const literal = json.slice(at, end);
    const inside = String(JSON.parse(literal));
    const clean = text(inside);
    if (clean !== inside) replace(at, end, JSON.stringify(clean));
    const value = startOfValue(json, end);
    at = value ?? end;
    if (value === undefined || !isSecretName(inside)) continue;
    at = behindValue(json, value);
    if (isHidden(json.slice(value, at))) replace(value, at, `"${censor}"`);
  }
  return redacted + json.slice(from);
}

/**
 * Repairs JSON from which secrets were cut, by quoting cut numbers. Text that cannot be repaired is returned as it is.
 */
export function mendJson(
  cut: string,
  { before, censor }: { readonly before: string; readonly censor: string },
): string {
  if (cut === before || isJson(cut) || !isJson(before)) return cut;
  let mended = '';
  for (let at = 0; at < cut.length;) {
    const quote = cut.indexOf('"', at);
    const start = quote === -1 ? cut.length : quote;
    const end = behindString(cut, start);
    mended += cut.slice(at, start).replace(cutNumber, `"${censor}"`) + cut.slice(start, end);
    at = end;
  }
  return isJson(mended) ? mended : cut;
}

function isJson(text: string): boolean {
  if (!/^\s*["[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Not JSON: the caller treats it as prose.
    return false;
  }
}

/** Returns the position of the value of a key; undefined after a string that is not a key. */
function startOfValue(json: string, from: number): number | undefined {
  const colon = /\s*:\s*/y;
  colon.lastIndex = from;
  return colon.test(json) ? colon.lastIndex : undefined;
}

function behindString(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function behindValue(json: string, from: number): number {
  if (json[from] === '"') return behindString(json, from);
  const sign = json[from] === '{' || json[from] === '[' ? /["{}[\]]/g : /[\s,}\]]/g;
  sign.lastIndex = from;
  let depth = 0;
  for (let match = sign.exec(json); match !== null; match = sign.exec(json)) {
    const [found] = match;
    if (found === '{' || found === '[') depth += 1;
    else if (found === '"') sign.lastIndex = behindString(json, match.index);
    else if (depth === 0) return match.index;
    else if (--depth === 0) return sign.lastIndex;
  }
  return json.length;
}

/** Returns true for values that may be secrets: not empty, and not a constant or a short number. */
function isHidden(value: string): boolean {
  return (
    !['""', 'null', 'true', 'false'].includes(value) &&
    (/^["{[]/.test(value) || value.length >= minNumberLength)
  );
}
