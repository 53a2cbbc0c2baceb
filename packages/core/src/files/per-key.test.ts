import { expect, it } from 'vitest';

import { perKey } from './per-key.ts';

it('tasks of one key take turns, and others do not wait for them', async () => {
  const inTurn = perKey();
  const lines: string[] = [];
  const task =
    (name: string, fails = false) =>
    async (): Promise<string> => {
      lines.push(`${name} begins`);
      await new Promise(setImmediate);
      lines.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const results = await Promise.allSettled([
    inTurn('a', task('one', true)),
    inTurn('a', task('two')),
    inTurn('b', task('other')),
    inTurn('a', task('three')),
  ]);
  expect(
    results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason))),
  ).toEqual(['Error: one', 'two', 'other', 'three']);
  expect(lines.filter((line) => !line.startsWith('other'))).toEqual([
    'one begins',
    'one ends',
    'two begins',
    'two ends',
    'three begins',
    'three ends',
  ]);
  expect(lines.indexOf('other begins')).toBeLessThan(lines.indexOf('one ends'));
  expect(await inTurn('a', task('four'))).toBe('four');
});

it('a task of which none is running starts at once', () => {
  const inTurn = perKey();
  const lines: string[] = [];
  void inTurn('a', async () => void lines.push('one'));
  expect(lines).toEqual(['one']);
});
