/** What stands between two quotes, which stay. */
export interface Quoted {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: true;
}

/** What stands between a quote here and the one that closes it; to the end of the line when none does. */
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
    // A quote inside has one level of escaping more than the quotes around.
    if (character === quote && backslashes % (2 * (escape.length + 1)) === escape.length) {
      return { start, end: end - escape.length, isQuoted: true };
    }
    backslashes = character === '\\' ? backslashes + 1 : 0;
  }
  return { start, end, isQuoted: true };
}

/** The place behind what is quoted here, and behind the quote that closes it. */
export function behindQuoted(text: string, at: number): number {
  const quoted = quotedAt(text, at);
  if (quoted === undefined) return at + 1;
  const closing = /\\{0,15}["'`]/y;
  closing.lastIndex = quoted.end;
  return closing.test(text) ? closing.lastIndex : quoted.end;
}
