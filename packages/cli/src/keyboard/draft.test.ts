import { describe, expect, it } from 'vitest';

import { completeWord } from './complete-word.ts';
import { draftOf, emptyDraft, type Draft } from './draft.ts';
import { editByKey, pastedText } from './edit-keys.ts';
import { layOut } from './lay-out.ts';

/** The draft after keys, each by its name, or as text; `|` shows the cursor. */
function typed(from: string, ...names: string[]): string {
  const cursor = from.indexOf('|');
  let draft: Draft = cursor === -1 ? draftOf(from) : { text: from.replace('|', ''), cursor };
  for (const name of names) {
    const [, prefix = '', key = ''] = /^([CM]-)?(.*)$/s.exec(name) ?? [];
    const isText = prefix === '' && /^.$/su.test(key);
    draft =
      editByKey(draft, {
        name: key,
        ctrl: prefix === 'C-',
        meta: prefix === 'M-',
        sequence: key,
        at: 0,
        isBurst: false,
        ...(isText && { text: key }),
      }) ?? draft;
  }
  return `${draft.text.slice(0, draft.cursor)}|${draft.text.slice(draft.cursor)}`;
}

describe('editing a draft', () => {
  it('moves and removes by graphemes, words and lines', () => {
    expect(typed('a👨‍👩‍👧e\u0301', 'backspace')).toBe('a👨‍👩‍👧|');
    expect(typed('a👨‍👩‍👧', 'left', 'x')).toBe('ax|👨‍👩‍👧');
    expect(typed('|👨‍👩‍👧b', 'right', 'C-d')).toBe('👨‍👩‍👧|');
    expect(typed('one two-three', 'C-w')).toBe('one two-|');
    expect(typed('one two', 'M-b', 'M-b', 'M-f', 'M-d')).toBe('one|');
    expect(typed('one\ntwo', 'C-u')).toBe('one\n|');
    expect(typed('one\nt|wo\nx', 'home', 'C-k')).toBe('one\n|\nx');
    expect(typed('one\ntw|o', 'end', 'M-return', 'enter')).toBe('one\ntwo\n\n|');
    expect(typed('|', 'backspace', 'C-d', 'left', 'right', 'C-w', 'M-d')).toBe('|');
  });

  it('takes no control characters, neither typed nor pasted', () => {
    expect(typed('a', '\u001b', '\u0000', '\u009b')).toBe('a|');
    expect(pastedText('a\r\nb\rc\td\u001b[2J\u0007\u0085')).toBe('a\nb\nc\td[2J');
  });
});

describe('laying a draft out', () => {
  it('breaks it into rows, and knows where the cursor is', () => {
    expect(layOut(emptyDraft, 10)).toEqual({ rows: [''], row: 0, column: 0 });
    expect(layOut(draftOf('abcdefgh'), 5)).toEqual({ rows: ['abcde', 'fgh'], row: 1, column: 3 });
    expect(layOut({ text: 'abcdefgh', cursor: 5 }, 5)).toMatchObject({ row: 1, column: 0 });
    expect(layOut(draftOf('abcde'), 5)).toMatchObject({ row: 0, column: 5 });
    expect(layOut({ text: 'a\n\nb', cursor: 2 }, 5)).toEqual({ rows: ['a', '', 'b'], row: 1, column: 0 });
    expect(layOut(draftOf('日本語'), 5)).toEqual({ rows: ['日本', '語'], row: 1, column: 2 });
    expect(layOut(draftOf('\té\u202e'), 30)).toEqual({ rows: ['    é⟨U+202E⟩'], row: 0, column: 13 });
    expect(layOut(draftOf('日本'), 0).rows).toEqual(['日', '本']);
  });
});

describe('completing a word', () => {
  const words = ['/plugins', '/pending', '/usage'];
  it('goes as far as the choices agree', () => {
    expect(completeWord('/u', words)).toEqual({ text: '/usage ', choices: ['/usage'] });
    expect(completeWord('/', ['/plugins', '/pl'])).toEqual({ text: '/pl', choices: ['/plugins', '/pl'] });
    expect(completeWord('/p', words)).toEqual({ text: '/p', choices: ['/plugins', '/pending'] });
    expect(completeWord('/x', words)).toEqual({ text: '/x', choices: [] });
    expect(completeWord('', words)).toEqual({ text: '', choices: [] });
  });
});
