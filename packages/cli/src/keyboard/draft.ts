/** A text being edited, and the cursor: an index between two graphemes. */
export interface Draft {
  readonly text: string;
  readonly cursor: number;
}

export const emptyDraft: Draft = { text: '', cursor: 0 };

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Longer graphemes are split, so that the cost per key does not grow with the text. */
const longestGrapheme = 256;

export function draftOf(text: string): Draft {
  return { text, cursor: text.length };
}

export function insert({ text, cursor }: Draft, more: string): Draft {
  return { text: text.slice(0, cursor) + more + text.slice(cursor), cursor: cursor + more.length };
}

/** Returns the draft with the cursor at another index. */
export function moveTo(draft: Draft, cursor: number): Draft {
  return { ...draft, cursor };
}

/** Removes the text between the cursor and another index. */
export function removeTo({ text, cursor }: Draft, other: number): Draft {
  const [from, to] = cursor < other ? [cursor, other] : [other, cursor];
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

export function before({ text, cursor }: Draft): number {
  const start = Math.max(0, cursor - longestGrapheme);
  const last = [...graphemes.segment(text.slice(start, cursor))].at(-1);
  return last === undefined ? 0 : start + last.index;
}

export function after({ text, cursor }: Draft): number {
  const [first] = graphemes.segment(text.slice(cursor, cursor + longestGrapheme));
  return cursor + (first?.segment.length ?? 0);
}

export function wordBefore({ text, cursor }: Draft): number {
  return cursor - (/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(text.slice(0, cursor))?.[0].length ?? 0);
}

export function wordAfter({ text, cursor }: Draft): number {
  return cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0);
}

export function lineStart({ text, cursor }: Draft): number {
  return text.lastIndexOf('\n', cursor - 1) + 1;
}

export function lineEnd({ text, cursor }: Draft): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

/** Returns the index one line above the cursor; undefined on the first line. */
export function lineAbove(draft: Draft): number | undefined {
  const start = lineStart(draft);
  if (start === 0) return undefined;
  const above = lineStart(moveTo(draft, start - 1));
  return Math.min(above + draft.cursor - start, start - 1);
}

/** Returns the index one line below the cursor; undefined on the last line. */
export function lineBelow(draft: Draft): number | undefined {
  const end = lineEnd(draft);
  if (end === draft.text.length) return undefined;
  const below = moveTo(draft, end + 1);
  return Math.min(end + 1 + draft.cursor - lineStart(draft), lineEnd(below));
}
