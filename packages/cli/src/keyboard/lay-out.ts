import stringWidth from 'fast-string-width';

import { readable } from '../terminal/visible.ts';
import type { Draft } from './draft.ts';

/** A text as rows of a terminal, and the cursor position. */
export interface Layout {
  readonly rows: readonly string[];
  readonly row: number;
  /** The column of the cursor, from 0. */
  readonly column: number;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Breaks a draft into rows of at most `room` columns, or of two if that is less. Tabs become spaces; control characters are
 * removed.
 */
export function layOut({ text, cursor }: Draft, room: number): Layout {
  const rows: string[] = [];
  let place = { row: 0, column: 0 };
  let start = 0;
  for (const line of text.split('\n')) {
    const parts = breakLine(line, Math.max(room, 2));
    let left = cursor - start;
    for (const [index, part] of parts.entries()) {
      const isHere =
        left >= 0 && (left < part.length || (left === part.length && index === parts.length - 1));
      if (isHere) place = { row: rows.length, column: stringWidth(show(part.slice(0, left))) };
      left -= part.length;
      rows.push(show(part));
    }
    start += line.length + 1;
  }
  return { rows, ...place };
}

function breakLine(line: string, room: number): readonly string[] {
  // ASCII needs no graphemes, whose segmentation is slow.
  if (/^[ -~]*$/.test(line)) return line.match(new RegExp(`.{1,${room}}`, 'g')) ?? [''];
  const parts: string[] = [];
  let last = '';
  let used = 0;
  for (const { segment } of graphemes.segment(line)) {
    const wide = stringWidth(show(segment));
    if (used + wide > room && last !== '') {
      parts.push(last);
      last = '';
      used = 0;
    }
    last += segment;
    used += wide;
  }
  return [...parts, last];
}

function show(text: string): string {
  return readable(text.replaceAll('\t', '    '));
}
