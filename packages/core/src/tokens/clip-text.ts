/**
 * Shortens a string to its head and tail with a note between them, together at most `maxLength` characters, if the note
 * fits. A string that fits is returned unchanged. `headShare` is the share of the head in the remaining text.
 */
export function clipText(text: string, maxLength: number, note: string, headShare = 1 / 2): string {
  if (text.length <= maxLength) return text;
  const room = Math.max(0, maxLength - note.length);
  const head = Math.ceil(room * headShare);
  return wholeEnd(text.slice(0, head)) + note + wholeStart(text.slice(text.length - (room - head)));
}

/** Drops half of a surrogate pair at the end. */
function wholeEnd(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

function wholeStart(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}
