import { RE2JS, RE2JSException } from 're2js';

import { Refusal } from './refusal.ts';

/** A pattern that lines are searched for. */
export interface LinePattern {
  /** Returns whether a line matches. */
  readonly isIn: (bytes: Buffer) => boolean;
  /** Returns false if a quick check shows that no line of a text matches. */
  readonly mayBeIn: (bytes: Buffer) => boolean;
  /** The number of bytes of a line that are searched. */
  readonly maxBytes: number;
  /** The number of comparisons per byte. */
  readonly cost: number;
}

const maxLength = 1000;
/** The largest program of a regular expression, and the most steps that it may take on one line. */
const maxProgram = 300;
const maxSteps = 150_000;
/** The cost of a step, in comparisons. */
const stepCost = 7;
/** The most comparisons that the engine's own search may make in one line: in the worst case the product of both lengths. */
const maxComparisons = 32 * 1024 * 1024;

/** Characters with a special meaning in a regular expression. */
const special = /[\\^$.*+?()[\]{}|]/;

/** Returns true if a pattern has different meanings as text and as a regular expression. */
export function isEither(pattern: string): boolean {
  return special.test(pattern);
}

/** Returns a pattern whose time is linear in the text: a regular expression unless `isLiteral`. @throws `Refusal` */
export function linePattern(pattern: string, isLiteral: boolean, ignoreCase: boolean): LinePattern {
  if (pattern === '') throw new Refusal('The pattern is empty. Write what to search for.');
  if (pattern.length > maxLength)
    throw new Refusal(`The pattern has ${pattern.length} characters; write at most ${maxLength}.`);
  if (/[\r\n]/.test(pattern))
    throw new Refusal(
      'The pattern has a line break, and lines are searched one by one. Search for one of its lines.',
    );
  const isText = isLiteral || !isEither(pattern);
  if (!isText || ignoreCase) return expression(isText ? RE2JS.quote(pattern) : pattern, ignoreCase);
  const wanted = Buffer.from(pattern, 'utf8');
  const maxBytes = Math.min(512 * 1024, Math.floor(maxComparisons / wanted.length));
  const isIn = (bytes: Buffer): boolean => bytes.includes(wanted);
  return { isIn, mayBeIn: isIn, maxBytes, cost: 1 + Math.floor(wanted.length / 32) };
}

function expression(source: string, ignoreCase: boolean): LinePattern {
  const compiled = compile(source, ignoreCase);
  const size = compiled.programSize();
  if (size > maxProgram)
    throw new Refusal(
      'The pattern is too large: shorten its repetitions, such as {100}, or its alternatives.',
    );
  const maxBytes = Math.floor(maxSteps / size);
  // To search several lines at once, anchors have to match at each line. This flag does not reach `\A` and `\z`, nor
  // patterns that set flags themselves.
  const inLines = /\\[AzZ]|\(\?/.test(source) ? undefined : compile(source, ignoreCase, RE2JS.MULTILINE);
  return {
    isIn: (bytes) => fitsLines(compiled, bytes),
    mayBeIn: (bytes) => inLines === undefined || bytes.length > maxBytes || fitsLines(inLines, bytes),
    maxBytes,
    cost: size * stepCost,
  };
}

/**
 * Returns whether an expression matches a text as it is, or without the CR before each line feed, so that `$` matches
 * before CRLF, too.
 */
function fitsLines(expression: RE2JS, bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  return expression.test(text) || (text.includes('\r') && expression.test(text.replaceAll(/\r$/gm, '')));
}

function compile(source: string, ignoreCase: boolean, flags = 0): RE2JS {
  try {
    return RE2JS.compile(source, flags | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new Refusal(
      `The regular expression cannot be used: ${error.message}. Its syntax is that of RE2, without back-references and lookaround. With literal: true the text itself is searched for.`,
    );
  }
}
