/** Quotes a text as one word for a POSIX shell, for commands to copy. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) && !text.startsWith('-')
    ? text
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
