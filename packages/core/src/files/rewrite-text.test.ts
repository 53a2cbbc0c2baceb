import { array, assert, constantFrom, nat, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { replaceInText, rewriteText } from './rewrite-text.ts';

describe('several edits', () => {
  const text = 'one\ntwo\nthree\n';

  it('are made at once, each in the text as it was, in any order', () => {
    const edits = [
      { old: 'three', replacement: 'two' },
      { old: 'two', replacement: 'three' },
      { old: 'one ', replacement: '1' },
    ];
    expect(replaceInText(text, edits)).toEqual({ text: '1\nthree\ntwo\n', count: 3, isLoose: true });
    expect(replaceInText(text, [])).toEqual({ text, count: 0 });
  });

  it.each([
    [
      'overlap',
      [
        { old: 'one\ntwo', replacement: '' },
        { old: 'two\nthree', replacement: '' },
      ],
      'the edits 1 and 2',
    ],
    [
      'are equal',
      [
        { old: 'two', replacement: 'a' },
        { old: 'two', replacement: 'b' },
      ],
      'the edits 1 and 2',
    ],
    [
      'do not all fit',
      [
        { old: 'two', replacement: 'a' },
        { old: 'four', replacement: 'b' },
      ],
      'edit 2 of 2: the text',
    ],
  ])('that %s are refused', (_, edits, said) => {
    expect(() => replaceInText(text, edits)).toThrow(said);
  });
});

describe('replacing a part of a text', () => {
  it('replaces what occurs once, and with all each of them, without overlaps', () => {
    expect(replaceInText('a b c', { old: 'b', replacement: '$&' })).toEqual({ text: 'a $& c', count: 1 });
    expect(replaceInText('aaaaa', { old: 'aa', replacement: 'b', all: true })).toEqual({
      text: 'bba',
      count: 2,
    });
    expect(() => replaceInText('a a', { old: 'a', replacement: 'b' })).toThrow('occurs 2 times');
    expect(() => replaceInText('a', { old: 'b', replacement: 'c' })).toThrow('is not in the file');
    expect(() => replaceInText('a', { old: '', replacement: 'c' })).toThrow('is empty');
  });

  it('keeps CRLF where all lines end so, and mixed line ends as they are', () => {
    const edit = { old: 'b\nc', replacement: 'd\ne\nf' };
    expect(replaceInText('a\r\nb\r\nc\r\n', edit).text).toBe('a\r\nd\r\ne\r\nf\r\n');
    expect(replaceInText('a\r\nb\nc', edit).text).toBe('a\r\nd\ne\nf');
    expect(replaceInText('a\nb\r\nc', edit)).toEqual({ text: 'a\nd\r\ne\r\nf', count: 1, isLoose: true });
  });

  it.each([
    ['white space at the end of a line of the file', 'if (a) {  \n\tb();\t\n}\n', 'if (a) {\n\tb();\n}'],
    [
      'white space at the end of a line of the wanted text',
      'if (a) {\n\tb();\n}\n',
      'if (a) {  \n\tb(); \n}',
    ],
    ['mixed line ends', 'if (a) {\r\n\tb();\n}\n', 'if (a) {\n\tb();\n}'],
    ['quotes', 'say(\u201Cno\u201D, \u2018x\u2019)\n', 'say("no", \'x\')'],
  ])('takes the one passage that differs in %s', (_, text, old) => {
    const replaced = replaceInText(`before\n${text}after \n`, { old, replacement: 'new' });
    expect(replaced.isLoose).toBe(true);
    expect(replaced.text.split(/\r?\n/)).toEqual(['before', 'new', 'after ', '']);
  });

  it('takes no passage when two differ so, or when it differs in more', () => {
    expect(() => replaceInText('a: \nb\na:\t\nb', { old: 'a:\nb', replacement: 'c' })).toThrow(
      'is not in the file',
    );
    expect(() => replaceInText('\tdone();', { old: '  done();', replacement: 'c' })).toThrow(
      'is not in the file',
    );
    // The two overlap.
    expect(() => replaceInText('a \na \na \n', { old: 'a\na', replacement: 'c' })).toThrow(
      'is not in the file',
    );
    expect(() => replaceInText('a\n\n\nb', { old: ' \n ', replacement: 'c' })).toThrow('is not in the file');
  });

  it('takes white space at the end of the wanted text only where a line ends', () => {
    for (const [text, old] of [
      ['const ab = 1;', 'const a '],
      ['zero\none\r\n    two', 'one\n  '],
      ['x = "a"b', 'x = \u201Ca\u201D '],
    ] as const)
      expect(() => replaceInText(text, { old, replacement: 'new ' })).toThrow('is not in the file');
    const text = 'const ab;\nconst a\nconst abc;';
    expect(replaceInText(text, { old: 'const a \t', replacement: 'let a' })).toEqual({
      text: 'const ab;\nlet a\nconst abc;',
      count: 1,
      isLoose: true,
    });
    expect(replaceInText('a = \u2018b\u2019c', { old: "= 'b", replacement: '= d' }).text).toBe(
      'a = d\u2019c',
    );
  });

  it('shows the lines most like a passage that is not there', () => {
    const text = [
      'function one() {',
      '  return 1;',
      '}',
      'function two() {',
      '  const a = 2;',
      '  return a;',
      '}',
    ];
    const old = 'function two() {\n    const a = 2;\n    return b;\n}';
    expect(() => replaceInText(text.join('\n'), { old, replacement: '' })).toThrow(
      'is not in the file; the lines most like it are\n4: function two() {\n5:   const a = 2;\n6:   return a;\n7: }',
    );
  });

  it.each([
    [`${'a'.repeat(90)}c`, `${'a'.repeat(400)}c${'a'.repeat(95)}ca`],
    ['a'.repeat(100), 'a'.repeat(250)],
    [`${'ab'.repeat(50)}c`, 'ab'.repeat(200)],
    [`b${'a'.repeat(80)}`, `${'a'.repeat(90)}b${'a'.repeat(85)}b${'a'.repeat(10)}`],
    ['x'.repeat(65), 'y'],
  ])('finds long texts as the engine does', (wanted, text) => {
    const edit = { old: wanted, replacement: '-', all: true };
    expect(replaceInText(`${wanted}${text}`, edit).text).toBe(`${wanted}${text}`.split(wanted).join('-'));
  });
});

describe('a long text', () => {
  it('is found as the engine does, however often it almost occurs', () => {
    const part = tuple(constantFrom('a', 'ab', 'aab', 'abaab'), nat(40)).map(([each, times]) =>
      each.repeat(times),
    );
    const wanted = tuple(part, constantFrom('', 'c', 'b'), part).map((parts) => `ab${parts.join('')}a`);
    const pieces = array(tuple(nat(160), constantFrom('', 'c', 'a', 'b')), { maxLength: 12 });
    assert(
      property(wanted, pieces, (old, given) => {
        const text = `${old}c${given.map(([length, end]) => `${old.slice(0, length)}${end}`).join('')}`;
        const { text: replaced } = replaceInText(text, { old, replacement: '-', all: true });
        expect(replaced).toBe(text.split(old).join('-'));
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it('is found exactly, not only loosely', () => {
    const edit = { old: 'two', replacement: 'TWO' };
    expect(replaceInText('one two three', edit)).toEqual({ text: 'one TWO three', count: 1 });
  });
});

it('A text that is written anew gets the line ends of the one before', () => {
  expect(rewriteText('a\r\nb', 'c\nd\r\n')).toBe('c\r\nd\r\n');
  expect(rewriteText('a\nb\r\n', 'c\nd')).toBe('c\nd');
  expect(rewriteText(undefined, 'c\nd')).toBe('c\nd');
});
