import { describe, expect, it } from 'vitest';

import { showArguments } from './show-arguments.ts';

describe('arguments as a person sees them', () => {
  it('are all there, one a line, text of several lines as a block', () => {
    const input = { path: '/a', lines: 'one\ntwo', options: { deep: [1] }, 'odd key': null };
    expect(showArguments(input)).toBe(
      'path: "/a"\nlines: \n  | one\n  | two\noptions: {\n    "deep": [\n      1\n    ]\n  }\n"odd key": null',
    );
    expect(showArguments({})).toBe('(no arguments)');
    expect(showArguments('plain')).toBe('"plain"');
  });

  it.each([
    ['a text', { path: 'a\u202Eb' }],
    ['a text of several lines', { path: 'one\na\u202Eb' }],
    ['a list', { paths: ['a\u202Eb'] }],
    ['a nested object', { options: { path: 'a\u202Eb' } }],
    ['a nested key', { options: { 'a\u202Eb': true } }],
    ['a key', { 'a\u202Eb': true }],
    ['what is no object', 'a\u202Eb'],
  ])('show hidden characters in %s', (_where, input) => {
    expect(showArguments(input)).toContain('a⟨U+202E⟩b');
    expect(showArguments(input)).not.toContain('\u202E');
  });

  it('let nothing that was typed look like the number of a hidden character', () => {
    const input = { path: '⟨U+202E⟩ ⟨U+202e⟩ \u202E ⟨U+⟩ ⟨x⟩', lines: 'a\n⟨U+0000⟩' };
    expect(showArguments(input)).toBe(
      'path: "⟨U+27E8⟩U+202E⟩ ⟨U+27E8⟩U+202e⟩ ⟨U+202E⟩ ⟨U+⟩ ⟨x⟩"\nlines: \n  | a\n  | ⟨U+27E8⟩U+0000⟩',
    );
  });
});
