import { BracketLines } from './bracket-lines.ts';
import { quotedAt } from './quoted-at.ts';
import { redactJson } from './redact-json.ts';
import { assignmentSource } from './secret-names.ts';

/** Its `lastIndex` is the state of the current scan. */
const assignment = new RegExp(assignmentSource, 'gi');

/** Shorter unquoted values are treated as words of a sentence. */
const minBareLength = 4;

/**
 * Returns a text without the values assigned to secret names, in any notation: `api_key=…`, `"apiKey": "…"`, JSON
 * within JSON, `Authorization: Bearer …`, `['x-api-key'] => '…'`. Values of quoted names are quoted, so JSON in a text
 * stays valid.
 */
export function redactAssigned(text: string, censor: string): string {
  return (
    redactJson(text, { text: (inside) => redactAssigned(inside, censor), censor }) ??
    redactProse(text, censor)
  );
}

/** A character in each match of `assignment`; many texts have none. */
const assignmentSign = /[:=%]/;

/** Redacts text that is not JSON. If quotes and brackets are ambiguous, it removes more rather than less. */
function redactProse(text: string, censor: string): string {
  if (!assignmentSign.test(text)) return text;
  const brackets = new BracketLines(text);
  assignment.lastIndex = 0;
  let redacted = '';
  let from = 0;
  for (let match = assignment.exec(text); match !== null; match = assignment.exec(text)) {
    const [all, header] = match;
    const value = valueAt(text, assignment.lastIndex, header !== undefined, brackets);
    if (value === undefined) continue;
    const quote = value.isQuoted ? '' : quoteBehind(all);
    redacted += `${text.slice(from, value.start)}${quote}${censor}${quote}`;
    from = value.end;
    assignment.lastIndex = from;
  }
  return from === 0 ? text : redacted + text.slice(from);
}

/** Returns true if the last assigned value may continue after the text, or has not started yet. */
export function assignmentGoesOn(text: string): boolean {
  const brackets = new BracketLines(text);
  assignment.lastIndex = 0;
  for (let match = assignment.exec(text); match !== null; match = assignment.exec(text)) {
    const from = assignment.lastIndex;
    const start = afterSpaces(text, from);
    if (start === text.length) return true;
    const value = valueAt(text, from, match[1] !== undefined, brackets);
    if (value === undefined) continue;
    if (value.end === text.length || (value.isOpen === true && text.length > value.end)) return true;
    assignment.lastIndex = value.end;
  }
  return false;
}

/** Returns the closing quote of a name as it is escaped there; an empty string for a bare name. */
function quoteBehind(name: string): string {
  const [, backslashes = '', quote = ''] = /(\\*)(["'])\]?[ \t]*(?:=>|[:=]|%3[ad])$/i.exec(name) ?? [];
  // Nested JSON has 1, 3, 7 … backslashes before a quote; further ones belong to the name itself, and are doubled each
  // time.
  const next = backslashes.length + 1;
  return quote === '' ? '' : `${'\\'.repeat((next & -next) - 1)}${quote}`;
}

/** Matches the name of an environment variable in place of a value: `{ $env: NAME }`. */
const reference = /\{[ \t]{0,4}\$env[ \t]{0,4}:[ \t]{0,4}[A-Z_][A-Z0-9_]{0,99}[ \t]{0,4}\}/y;

interface Value {
  readonly start: number;
  readonly end: number;
  /** True if it is in quotes, which are kept. */
  readonly isQuoted?: boolean;
  /** True if it starts with a bracket that is not closed. */
  readonly isOpen?: boolean;
}

function valueAt(text: string, from: number, isLine: boolean, brackets: BracketLines): Value | undefined {
  const start = afterSpaces(text, from);
  const quoted = quotedAt(text, start);
  if (quoted !== undefined) return quoted.start === quoted.end ? undefined : quoted;
  reference.lastIndex = start;
  if (reference.test(text)) return undefined;
  const first = text[start];
  if (first === '{' || first === '[') return { start, ...brackets.closing(start) };
  const bare = isLine ? /[^"'\\\r\n]+/y : /(?!(?:undefined|null|true|false)\b)[^\s"'\\,;&#<>()[\]{}|`]+/y;
  bare.lastIndex = start;
  const [value] = bare.exec(text) ?? [];
  return value === undefined || value.length < minBareLength
    ? undefined
    : { start, end: start + value.length };
}

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}
