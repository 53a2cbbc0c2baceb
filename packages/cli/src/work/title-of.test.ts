import { memoryStore } from '@shallot/core';
import { setTitle } from '@shallot/core/work';
import { expect, it } from 'vitest';

import { titleOf } from './title-of.ts';

it.each([
  ['Tea?', 'Tea?'],
  ['  What\n\tis  this?\u0007 ', 'What is this?'],
  [
    'one two three four five six seven eight nine ten eleven twelve',
    'one two three four five six seven eight nine ten eleven…',
  ],
  ['x'.repeat(100), `${'x'.repeat(59)}…`],
  ['👩‍👩‍👧'.repeat(40), undefined],
  ['\u001b[2J\ud800 yes', '[2J yes'],
])('the title of %j is its first words, and one that a store takes', async (text, title) => {
  const made = titleOf(text) ?? '';
  expect(made).toBe(title ?? made);
  expect(Array.from(made).length).toBeLessThanOrEqual(60);
  await expect(setTitle(memoryStore(), 's', made)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

it('text without words has no title', () => {
  expect(titleOf(' \n\u0000')).toBeUndefined();
});
