import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it, vi } from 'vitest';

import { BracketLines, type BracketEnd } from './bracket-lines.ts';
import { behindQuoted } from './quoted-at.ts';
import { createRedactor } from './redactor.ts';

describe('a closing bracket', () => {
  it.each<[string, string]>([
    ['{a}b', '{a}'],
    ['{a [b] {c}} d', '{a [b] {c}}'],
    ['{\n a: [1,\n 2]\n}\nb', '{\n a: [1,\n 2]\n}'],
    ['{ "}" \n} b', '{ "}" \n}'],
    [`{ "it is open \n'}' } b`, `{ "it is open \n'}' }`],
    ['{{\n}\n}}}', '{{\n}\n}'],
  ])('of %j is found', (text, value) => {
    expect(text.slice(0, new BracketLines(text).closing(0).end)).toBe(value);
  });

  it('is found from each bracket as by counting from there', () => {
    const text = '{ a\n[ "b]\n { c } d\n}} [\n{ [\n] }\n]]{ \n';
    const lines = new BracketLines(text);
    for (const { index } of text.matchAll(/[{[]/g)) {
      const { end, isOpen } = new BracketLines(text.slice(index)).closing(0);
      expect(lines.closing(index), `at ${index}`).toEqual({ end: end + index, ...(isOpen && { isOpen }) });
    }
  });

  it('is found in any text from each bracket as by counting from there', () => {
    const piece = constantFrom('{', '}', '[', ']', '\n', '\n{', '}\n', '"', "\\'", 'a');
    const text = array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    assert(
      property(text, (given) => {
        const lines = new BracketLines(given);
        for (const { index } of given.matchAll(/[{[]/g))
          expect(lines.closing(index), `at ${index}`).toEqual(counted(given, index));
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  it('that is missing lets the value end with its line', () => {
    expect(new BracketLines('a {b [c]\n d').closing(2)).toEqual({ end: 8, isOpen: true });
    expect(new BracketLines('{b').closing(0)).toEqual({ end: 2, isOpen: true });
  });
});

/** The end of the bracket at a position, found sign by sign. */
function counted(text: string, from: number): BracketEnd {
  let depth = 0;
  for (let at = from; at < text.length;) {
    const [sign = ''] = /^(?:\\{0,15}["'`]|[^])/.exec(text.slice(at)) ?? [];
    if (/["'`]$/.test(sign)) at = behindQuoted(text, at);
    else {
      at += 1;
      depth += '{['.includes(sign) ? 1 : '}]'.includes(sign) ? -1 : 0;
      if (depth === 0) return { end: at };
    }
  }
  const end = text.indexOf('\n', from);
  return { end: end === -1 ? text.length : end, isOpen: true };
}

it.each(['token: {\n', '"password": [{\n', `x" token: {\n`, 'token: {a}}\n', 'token: {\n}\n'])(
  'twice as many lines of %j are twice the work',
  (line) => {
    const { text } = createRedactor({ environment: false });
    const work = (count: number): number => {
      const exec = vi.spyOn(RegExp.prototype, 'exec');
      text(line.repeat(count));
      const { length } = exec.mock.calls;
      exec.mockRestore();
      return length;
    };
    expect(work(400) / work(200)).toBeLessThan(2.2);
  },
);
