import { withClosedFence } from './split-markdown.ts';

/** A memory file to send. */
export interface MemoryEntry {
  readonly path: string;
  /** The text without comments; not empty. */
  readonly text: string;
  /** The number of imports between it and its source. */
  readonly depth: number;
}

/** A file that is sent only in part: its size, and the number of bytes sent. */
export interface CutFile {
  readonly path: string;
  readonly bytes: number;
  readonly sent: number;
}

interface Spent {
  readonly text: string;
  /** The files that the text contains, in the order of the text. */
  readonly files: readonly string[];
  readonly cut: readonly CutFile[];
}

const separator = '\n\n';

/**
 * Joins files, each below its path, to a text of at most `maxBytes` bytes. The most specific files come first to use
 * the budget: the last source before the others, and all sources before their imports. The first file that does not
 * fit is cut at its end, and those after it are left out. `sources` has a list for each source: the source and its
 * imports.
 */
export function spendBudget(sources: readonly (readonly MemoryEntry[])[], maxBytes: number): Spent {
  const sent = new Map<MemoryEntry, string>();
  const cut: CutFile[] = [];
  let left = maxBytes;
  const bySpecificity = sources.toReversed().flat();
  for (const entry of bySpecificity.toSorted((a, b) => a.depth - b.depth)) {
    const whole = `${entry.path}\n${entry.text}`;
    const room = left - (sent.size === 0 ? 0 : separator.length);
    const bytes = Buffer.byteLength(whole);
    if (bytes <= room) {
      sent.set(entry, whole);
      left = room - bytes;
      continue;
    }
    const part = cutEntry(entry, room);
    if (part !== undefined) sent.set(entry, part.text);
    cut.push({ path: entry.path, bytes: Buffer.byteLength(entry.text), sent: part?.bytes ?? 0 });
    left = 0;
  }
  const inOrder = sources.flat().filter((entry) => sent.has(entry));
  const texts = inOrder.map((entry) => sent.get(entry));
  return { text: texts.join(separator), files: inOrder.map(({ path }) => path), cut };
}

/** Returns as much of a file's beginning as fits, and a line that says so; undefined if nothing fits. */
function cutEntry(
  { path, text }: MemoryEntry,
  room: number,
): { readonly text: string; readonly bytes: number } | undefined {
  const total = Buffer.byteLength(text);
  const noteFor = (bytes: number): string => `\n[cut here: these are the first ${bytes} of ${total} bytes]`;
  const free = room - Buffer.byteLength(`${path}\n${noteFor(total)}`);
  let head = beginningOf(text, free);
  let closed = withClosedFence(head);
  for (let over = Buffer.byteLength(closed) - free; over > 0 && head !== '';) {
    head = beginningOf(text, Buffer.byteLength(head) - over);
    closed = withClosedFence(head);
    over = Buffer.byteLength(closed) - free;
  }
  const bytes = Buffer.byteLength(head);
  return bytes === 0 ? undefined : { text: `${path}\n${closed}${noteFor(bytes)}`, bytes };
}

/**
 * Returns the longest beginning of at most `maxBytes` bytes. It consists of whole characters, and of whole lines if
 * less than half is lost.
 */
function beginningOf(text: string, maxBytes: number): string {
  if (maxBytes <= 0) return '';
  const bytes = Buffer.from(text);
  let end = Math.min(maxBytes, bytes.length);
  // The bytes of a character after its first are 10xxxxxx.
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  if (end === bytes.length) return text;
  const line = bytes.lastIndexOf('\n', end - 1);
  return bytes.subarray(0, line > end / 2 ? line : end).toString();
}
