import { expect, it } from 'vitest';

import { tokensOf } from './pattern-tokens.ts';

it.each([
  ['', []],
  ['ab', ['atom a', 'atom b']],
  ['^a$', ['anchor ^', 'atom a', 'anchor $']],
  ['a|b', ['atom a', 'or |', 'atom b']],
  ['(a)', ['open (', 'atom a', 'close )']],
  ['(?:a)', ['open (?:', 'atom a', 'close )']],
  ['(?=a)(?!b)', ['open (?=', 'atom a', 'close )', 'open (?!', 'atom b', 'close )']],
  ['(?<=a)(?<!b)', ['open (?<=', 'atom a', 'close )', 'open (?<!', 'atom b', 'close )']],
  ['(?<name>a)', ['open (?<name>', 'atom a', 'close )']],
  ['(?i:a)(?i-m:b)', ['open (?i:', 'atom a', 'close )', 'open (?i-m:', 'atom b', 'close )']],
  ['a*b+c?', ['atom a', 'quantifier *', 'atom b', 'quantifier +', 'atom c', 'quantifier ?']],
  ['a*?b{2}?', ['atom a', 'quantifier *?', 'atom b', 'quantifier {2}?']],
  [
    'a{2}b{2,}c{2,13}',
    ['atom a', 'quantifier {2}', 'atom b', 'quantifier {2,}', 'atom c', 'quantifier {2,13}'],
  ],
  ['a{,3}', ['atom a', 'atom {', 'atom ,', 'atom 3', 'atom }']],
  ['[abc]d', ['atom [abc]', 'atom d']],
  ['[\\]a]b', ['atom [\\]a]', 'atom b']],
  ['[\\\\]a]', ['atom [\\\\]', 'atom a', 'atom ]']],
  ['[^]]', ['atom [^]', 'atom ]']],
  ['\\d\\.\\n', ['atom \\d', 'atom \\.', 'atom \\n']],
  ['\\b\\B', ['anchor \\b', 'anchor \\B']],
  ['\\1\\23a', ['back-reference \\1', 'back-reference \\23', 'atom a']],
  ['\\k<name>a', ['back-reference \\k<name>', 'atom a']],
  ['\\u0041\\u{1f600}\\x41', ['atom \\u0041', 'atom \\u{1f600}', 'atom \\x41']],
  ['\\cA\\p{L}\\P{Lu}', ['atom \\cA', 'atom \\p{L}', 'atom \\P{Lu}']],
])('%s is read token by token', (pattern, tokens) => {
  expect(tokensOf(pattern).map(({ type, text }) => `${type} ${text}`)).toEqual(tokens);
  expect(
    tokensOf(pattern)
      .map(({ text }) => text)
      .join(''),
  ).toBe(pattern);
});
