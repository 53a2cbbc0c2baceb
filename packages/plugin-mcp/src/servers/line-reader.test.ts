import { expect, it } from 'vitest';

import { LineReader } from './line-reader.ts';

const read = (pieces: readonly string[], maxBytes = 100): string[] => {
  const reader = new LineReader(maxBytes);
  return pieces.flatMap((piece) => Array.from(reader.push(Buffer.from(piece))));
};

it('lines come whole, however the bytes arrive', () => {
  expect(read(['a\nb', 'c\r\n', '\n', 'd'])).toEqual(['a', 'bc', '']);
  const bytes = Buffer.from('ä👋\n');
  const reader = new LineReader(100);
  const lines = [...bytes].flatMap((byte) => Array.from(reader.push(Buffer.from([byte]))));
  expect(lines).toEqual(['ä👋']);
});

it('a line that is too long is an error, also when its end never comes', () => {
  expect(read(['x'.repeat(100), '\n'])).toEqual(['x'.repeat(100)]);
  expect(() => read(['x'.repeat(60), 'x'.repeat(60)])).toThrow('a line is longer than 100 bytes');
  expect(() => read([`${'x'.repeat(101)}\n`])).toThrow('a line is longer than 100 bytes');
});
