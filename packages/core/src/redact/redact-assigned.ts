import { assignmentSource } from './secret-names.ts';

/** Keeps its place in the text while one text is read, from start to end. */
const assignment = new RegExp(assignmentSource, 'gi');

/** Shorter values without quotes are words of a sentence. */
const minBareLength = 4;

/**
 * A text without the values that are assigned to a secret's name in it, in any notation: `api_key=…`, `"apiKey": "…"`,
 * the same in JSON inside of JSON, `Authorization: Bearer …`, `['x-api-key'] => '…'`. Quotes stay, and a number in JSON becomes null, so
 * that JSON stays JSON.
 */
export function redactAssigned(text: string, censor: string): string {
  assignment.lastIndex = 0;
  let redacted = '';
  let from = 0;
  for (let match = assignment.exec(text); match !== null; match = assignment.exec(text)) {
    for (const [start, end] of valuesAt(text, assignment.lastIndex, match[1] !== undefined)) {
      const isJsonNumber = match[0].includes('"') && /^-?[\d.eE+-]+$/.test(text.slice(start, end));
      redacted += text.slice(from, start) + (isJsonNumber ? 'null' : censor);
      from = end;
    }
    assignment.lastIndex = Math.max(assignment.lastIndex, from);
  }
  return from === 0 ? text : redacted + text.slice(from);
}

type Span = readonly [start: number, end: number];

function valuesAt(text: string, from: number, isLine: boolean): Span[] {
  const at = afterSpaces(text, from);
  const quoted = quotedAt(text, at);
  if (quoted !== undefined) return quoted[0] === quoted[1] ? [] : [quoted];
  if (text[at] === '[') return listAt(text, at + 1);
  const bare = isLine ? /[^"'\\\r\n]+/y : /(?!(?:undefined|null|true|false)\b)[^\s"'\\,;&#<>()[\]{}|`]+/y;
  bare.lastIndex = at;
  const [value] = bare.exec(text) ?? [];
  return value === undefined || value.length < minBareLength ? [] : [[at, at + value.length]];
}

function listAt(text: string, from: number): Span[] {
  const spans: Span[] = [];
  for (let at = from; ;) {
    at = afterSpaces(text, at);
    const span = quotedAt(text, at);
    if (span === undefined) return spans;
    spans.push(span);
    // Over the closing quote with its backslashes, and a comma.
    const next = /\\{0,15}["'`][ \t]{0,8},?/y;
    next.lastIndex = span[1];
    if (!next.test(text)) return spans;
    at = next.lastIndex;
  }
}

/** What stands between a quote here and the one that closes it; to the end of the line when none does. */
function quotedAt(text: string, at: number): Span | undefined {
  const opening = /(\\{0,15})(["'`])/y;
  opening.lastIndex = at;
  const [all = '', escape = '', quote = ''] = opening.exec(text) ?? [];
  if (all === '') return undefined;
  const start = at + all.length;
  let backslashes = 0;
  let end = start;
  for (; end < text.length; end += 1) {
    const character = text[end];
    if (character === '\n') break;
    // A quote inside has one level of escaping more than the quotes around.
    if (character === quote && backslashes % (2 * (escape.length + 1)) === escape.length) {
      return [start, end - escape.length];
    }
    backslashes = character === '\\' ? backslashes + 1 : 0;
  }
  return [start, end];
}

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}
