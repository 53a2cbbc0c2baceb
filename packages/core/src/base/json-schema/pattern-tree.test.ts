import { expect, it } from 'vitest';

import { patternTree, type PatternNode } from './pattern-tree.ts';

/** Writes a tree in one line: a choice in angle brackets, a sequence in parentheses. */
function shown(node: PatternNode): string {
  switch (node.type) {
    case 'atom':
      return node.text;
    case 'sequence':
      return `(${node.items.map(shown).join(' ')})`;
    case 'choice':
      return node.items.length === 1
        ? node.items.map(shown).join('')
        : `<${node.items.map(shown).join('|')}>`;
    case 'repeat':
      return `${shown(node.item)}{${node.min},${node.max}}`;
    case 'look':
      return `look${shown(node.item)}`;
  }
}

it.each([
  ['', '()'],
  ['ab', '(a b)'],
  ['a|b|', '<(a)|(b)|()>'],
  ['(a|b)c', '(<(a)|(b)> c)'],
  ['((a)b)', '(((a) b))'],
  ['a*', '(a{0,Infinity})'],
  ['a+?', '(a{1,Infinity})'],
  ['a?', '(a{0,1})'],
  ['a{3}', '(a{3,3})'],
  ['a{3,}', '(a{3,Infinity})'],
  ['a{3,17}?', '(a{3,17})'],
  ['(?:ab){2}c', '((a b){2,2} c)'],
  ['(?=a)(?!b)(?<=c)(?<!d)', '(look(a) look(b) look(c) look(d))'],
  ['(?<name>a)(?i:b)', '((a) (b))'],
  ['^a\\b$', '(a)'],
  ['[a-z]\\d', '([a-z] \\d)'],
  ['^*', '()'],
])('%s is the tree %s', (pattern, tree) => {
  expect(shown(patternTree(pattern) ?? { type: 'atom', text: 'none' })).toBe(tree);
});

it.each(['(a)\\1', '(?<n>a)\\k<n>'])('a pattern with a back-reference has no tree: %s', (pattern) => {
  expect(patternTree(pattern)).toBeUndefined();
});
