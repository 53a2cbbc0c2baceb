/** A text between two quotes, which are kept. */
export interface Quoted {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: true;
}

/**
 * Returns the text between a quote here and its closing one; to the end of the line if that is missing. Returns
 * undefined without a quote here.
 */
export function quotedAt(text: string, at: number): Quoted | undefined {
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
    // A nested quote has one level of escaping more than the enclosing quotes.
    if (character === quote && backslashes % (2 * (escape.length + 1)) === escape.length) {
      return { start, end: end - escape.length, isQuoted: true };
    }
    backslashes = character === '\\' ? backslashes + 1 : 0;
  }
  return { start, end, isQuoted: true };
}

/**
 * Returns the position after the quoted text that starts here and its closing quote; the next position without a quote
 * here.
 */
export function behindQuoted(text: string, at: number): number {
  const quoted = quotedAt(text, at);
  if (quoted === undefined) return at + 1;
  const closing = /\\{0,15}["'`]/y;
  closing.lastIndex = quoted.end;
  return closing.test(text) ? closing.lastIndex : quoted.end;
}
