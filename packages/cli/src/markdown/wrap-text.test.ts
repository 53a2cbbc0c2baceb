import stringWidth from 'fast-string-width';
import { describe, expect, it } from 'vitest';

import { wrapText } from './wrap-text.ts';

describe('breaking text into lines', () => {
  it('breaks at spaces, long words anywhere, and scripts without spaces where the line is full', () => {
    expect(wrapText('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrapText('a verylongword b', 6)).toEqual(['a very', 'longwo', 'rd b']);
    expect(wrapText('漢字 日本語日本語', 9)).toEqual(['漢字 日本', '語日本語']);
    expect(wrapText('👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 4)).toEqual(['👨‍👩‍👧👨‍👩‍👧', '👨‍👩‍👧']);
    expect(wrapText('one\ntwo', 80)).toEqual(['one', 'two']);
    expect(wrapText('', 10)).toEqual(['']);
  });

  it('is never wider than it may be, and loses nothing but spaces', () => {
    const text = 'Some words, 日本語 and 한국어 too, with-a-very-long-one-in-between: 👩🏽‍🚀 end';
    for (let width = 2; width < 40; width++) {
      const lines = wrapText(text, width);
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }
  });
});
