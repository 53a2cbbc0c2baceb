/** A text as one word of a POSIX shell, for commands that are shown to be copied. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) && !text.startsWith('-')
    ? text
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
