import type { JsonValue } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { redactionOf, texts } from '../test/cuts.ts';
import { RedactedProgress } from './redacted-progress.ts';

/** Returns the output after each piece, and after the end. */
async function leavesOf(pieces: readonly JsonValue[], action: 'redact' | 'block' = 'redact') {
  const left: JsonValue[] = [];
  const progress = new RedactedProgress(redactionOf({ action }), (data) => void left.push(data));
  const counts: number[] = [];
  for (const piece of pieces) {
    await progress.push(piece);
    counts.push(left.length);
  }
  await progress.end();
  return { left, counts };
}

describe('progress of a tool', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['two pieces', ['to anna@exam', 'ple.org now'], ['to ', '[redacted email] now']],
    ['three pieces', ['4111 11', '11 1111', ' 1111 x'], ['', '', '[redacted card] x']],
    ['none', ['reading file 1', 'reading file 2'], ['reading file 1', 'reading file 2']],
  ])('has no match that goes through %s', async (_, pieces, expected) => {
    expect((await leavesOf(pieces)).left).toEqual(expected);
  });

  it('has none in texts of the same key, and keeps the rest of each piece', async () => {
    const { left } = await leavesOf([
      { out: 'to anna@exam', percent: 10, note: 'a' },
      { out: 'ple.org now', percent: 20 },
      { percent: 30, password: 'abcdefgh' },
      [1, 'bob@example.org'],
    ]);
    expect(left).toEqual([
      { out: 'to ', percent: 10, note: 'a' },
      { out: '[redacted email] now', percent: 20 },
      { percent: 30, password: '[redacted secret]' },
      [1, '[redacted email]'],
    ]);
  });

  it('waits no longer than for the piece that shows that nothing goes beyond it', async () => {
    const { counts } = await leavesOf(['one two ', 'three four ', { percent: 1 }]);
    expect(counts).toEqual([0, 1, 1]);
  });

  it('stops at what is blocked', async () => {
    const { left } = await leavesOf(['all is well, ', 'so far; anna@example.org ', 'and more '], 'block');
    expect(left).toEqual(['all is well, ']);
  });

  it.each(texts)('is in pieces what it is as a whole, wherever it is cut: %s', async (text) => {
    const whole = redactionOf().text(text);
    for (let at = 1; at < text.length; at += 1) {
      const pieces = [text.slice(0, at), text.slice(at, at + 3), text.slice(at + 3)];
      const { left } = await leavesOf(pieces);
      expect(left).toHaveLength(pieces.length);
      expect(left.map(String).join('')).toBe(whole);
    }
  });
});
