import { describe, expect, it } from 'vitest';

import { LiveOutput } from './live-output.ts';
import { Output } from './output.ts';
import { Tail } from './tail.ts';

it.each([1, 2, 3, 5, 7, 10, 11, 25])('A tail of 10 bytes has the last ones, in pieces of %i', (size) => {
  const all = Buffer.from('abcdefghijklmnopqrstuvwxyz');
  const tail = new Tail(10);
  for (let at = 0; at < all.length; at += size) {
    tail.push(all.subarray(at, at + size));
    const seen = Math.min(all.length, at + size);
    expect(tail.read().toString()).toBe(all.toString('latin1', Math.max(0, seen - 10), seen));
    expect(tail.dropped).toBe(Math.max(0, seen - 10));
  }
  tail.clear();
  expect([tail.read().toString(), tail.isEmpty]).toEqual(['', true]);
});

it.each([1, 3, 19, 20, 21])('An output of 20 bytes is whole, in pieces of %i', async (size) => {
  const all = Buffer.from('abcdefghijklmnopqrst');
  const output = new Output(20);
  for (let at = 0; at < all.length; at += size) output.push(all.subarray(at, at + size));
  expect(await output.show()).toEqual({ text: all.toString(), isCut: false, isBinary: false });
  output.push(Buffer.from('u'));
  expect((await output.show()).text).toMatch(/^abcdefghij\n\[1 of 21 bytes .*\]\nlmnopqrstu$/);
});

it('An output of some megabytes lets others work while it is made readable, and has no control sequences', async () => {
  const line = (text: string): string => `\u001B[31m${text}\u001B[0m é\n`;
  const output = new Output(8_000_000);
  // One line is longer than a slice.
  const words = ['tea', 'cake'.repeat(100), 'x'.repeat(400_000), `a\u001B[1mb`.repeat(50_000)];
  let plain = '';
  for (let round = 0; round < 3; round += 1) {
    for (const word of words) {
      for (let at = 0, bytes = Buffer.from(line(word)); at < bytes.length; at += 65_521)
        output.push(bytes.subarray(at, at + 65_521));
      plain += `${word.replaceAll('\u001B[1m', '')} é\n`;
    }
  }
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    turning = setImmediate(turn);
  };
  let turning = setImmediate(turn);
  const { text, isCut } = await output.show();
  clearImmediate(turning);
  expect([text === plain, isCut]).toEqual([true, false]);
  expect(turns).toBeGreaterThan(5);
});

describe('what is reported of an output', () => {
  const live = (...pieces: readonly string[]) => {
    const reports: string[] = [];
    const output = new LiveOutput((text) => reports.push(text));
    for (const piece of pieces) output.push(Buffer.from(piece));
    const before = [...reports];
    output.end();
    return { before, atEnd: reports.slice(before.length) };
  };

  it('comes at once, and by the line', () => {
    expect(live('one\ntw', 'o\n')).toEqual({ before: ['one\n'], atEnd: ['two\n'] });
    expect(live('$ ')).toEqual({ before: [], atEnd: ['$ '] });
  });

  it('is the last of it, if there is much', () => {
    const { before, atEnd } = live('one\n', 'x'.repeat(5000), '\nend\n');
    expect(before).toEqual(['one\n']);
    expect(atEnd).toEqual([`[3005 bytes are not shown]\n${'x'.repeat(1995)}\nend\n`]);
  });

  it('is its size, if it is binary', () => {
    expect(live('\0\n').before).toEqual(['[2 bytes of binary output]\n']);
  });

  it('is left to the reader without colours', () => {
    expect(live('\u001B[31mred\u001B[0m\n').before).toEqual(['red\n']);
  });
});
