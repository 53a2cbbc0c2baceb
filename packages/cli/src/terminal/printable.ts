/**
 * Removes control characters except tabs and line feeds, since text from models and tools could otherwise control the
 * terminal: titles, links, cleared screens.
 */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what it is about
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** Returns printable text on one line, shortened to a length in characters (default: 160). */
export function oneLine(text: string, maxLength = 160): string {
  const line = printable(text.slice(0, maxLength * 4).replace(/\s+/g, ' ')).trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
