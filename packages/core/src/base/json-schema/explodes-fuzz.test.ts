import { array, assert, constantFrom, letrec, oneof, property, tuple } from 'fast-check';
import { expect, it } from 'vitest';

import { explodes } from './explodes.ts';
import type { PatternNode } from './pattern-tree.ts';

/** More steps than a pattern of a few loops takes for a short text unless they multiply with each character. */
const budget = 400_000;

const words = [
  'a',
  'b',
  'ab',
  'ba',
  'aa',
  'aab',
  'abb',
  'aba',
  'bab',
  'abab',
  'aabb',
  'abba',
  'aaab',
  'abbb',
  'aaa',
  'bbb',
];

const { node } = letrec<{ node: PatternNode }>((tie) => ({
  node: oneof(
    { maxDepth: 3, depthSize: 'small' },
    constantFrom('a', 'b', '[ab]').map((text) => ({ type: 'atom', text }) as const),
    array(tie('node'), { minLength: 2, maxLength: 3 }).map((items) => ({ type: 'sequence', items }) as const),
    array(tie('node'), { minLength: 2, maxLength: 3 }).map((items) => ({ type: 'choice', items }) as const),
    tuple(tie('node'), constantFrom([0, Infinity], [1, Infinity], [0, 1], [1, 3])).map(
      ([item, [min = 0, max = 0]]) => ({ type: 'repeat', item, min, max }) as const,
    ),
  ),
}));

it('finds every random pattern whose matching takes steps that multiply with each character', () => {
  let found = 0;
  let judged = 0;
  const patterns = node.filter((each) => loopsOf(each) > 0 && loopsOf(each) <= 2);
  assert(
    property(patterns, (pattern) => {
      const isJudged = explodes(`^${written(pattern)}$`);
      const blowsUp = words.some((word) => stepsFor(pattern, `${word.repeat(20)}!`) > budget);
      expect(isJudged || !blowsUp).toBe(true);
      if (isJudged) judged += 1;
      if (blowsUp) found += 1;
    }),
    { numRuns: 150 },
  );
  // Both happen, and most of those that are refused are seen to blow up: some need other words than these.
  expect(found).toBeGreaterThan(6);
  expect(judged - found).toBeLessThan(found);
});

/** Counts unbounded loops, copies of bounded ones included. */
function loopsOf(pattern: PatternNode): number {
  switch (pattern.type) {
    case 'atom':
      return 0;
    case 'repeat':
      return pattern.max === Infinity ? 1 + loopsOf(pattern.item) : pattern.max * loopsOf(pattern.item);
    case 'look':
      return loopsOf(pattern.item);
    default:
      return pattern.items.reduce((sum, item) => sum + loopsOf(item), 0);
  }
}

function written(pattern: PatternNode): string {
  switch (pattern.type) {
    case 'atom':
      return pattern.text;
    case 'look':
      return `(?=${written(pattern.item)})`;
    case 'sequence':
      return `(?:${pattern.items.map(written).join('')})`;
    case 'choice':
      return `(?:${pattern.items.map(written).join('|')})`;
    case 'repeat':
      return `(?:${written(pattern.item)}){${pattern.min},${pattern.max === Infinity ? '' : pattern.max}}`;
  }
}

/** Counts the steps of a backtracking matcher that has to take the whole text, up to one more than the budget. */
function stepsFor(pattern: PatternNode, text: string): number {
  let steps = 0;
  const match = (node: PatternNode, at: number, next: (at: number) => boolean): boolean => {
    steps += 1;
    if (steps > budget) return true;
    switch (node.type) {
      case 'atom':
        return (node.text === '[ab]' ? 'ab' : node.text).includes(text[at] ?? '-') && next(at + 1);
      case 'look':
        return match(node.item, at, () => true) && next(at);
      case 'choice':
        return node.items.some((item) => match(item, at, next));
      case 'sequence': {
        const from = (index: number, position: number): boolean => {
          const item = node.items[index];
          return item === undefined ? next(position) : match(item, position, (to) => from(index + 1, to));
        };
        return from(0, at);
      }
      case 'repeat': {
        const again = (count: number, position: number): boolean =>
          (count < node.max &&
            // As in JavaScript, an optional round that takes nothing is none.
            match(
              node.item,
              position,
              (to) => (to > position || count < node.min) && again(count + 1, to),
            )) ||
          (count >= node.min && next(position));
        return again(0, at);
      }
    }
  };
  match(pattern, 0, (at) => at === text.length);
  return steps;
}
