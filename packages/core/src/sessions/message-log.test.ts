import { expect, test } from 'vitest';

import type { Message } from '../contract/messages.ts';
import { MessageLog } from './message-log.ts';

test('the view is one frozen array until something changes, and stays as it was afterwards', () => {
  const log = new MessageLog(messages('a', 'b'));
  const before = log.view;
  expect(log.view).toBe(before);
  expect(Object.isFrozen(before)).toBe(true);

  log.append([]);
  expect(log.view).toBe(before);

  log.append(messages('c'));
  expect(ids(log.view)).toEqual(['a', 'b', 'c']);
  expect(ids(before)).toEqual(['a', 'b']);
});

test.each([
  { from: 0, to: 2, added: ['x'], result: ['x', 'c', 'd'] },
  { from: 1, to: 1, added: ['x', 'y'], result: ['a', 'x', 'y', 'b', 'c', 'd'] },
  { from: 2, to: 4, added: [], result: ['a', 'b'] },
  { from: 4, to: 4, added: ['x'], result: ['a', 'b', 'c', 'd', 'x'] },
])('$from to $to of four become $added', ({ from, to, added, result }) => {
  const log = new MessageLog(messages('a', 'b', 'c', 'd'));
  const before = log.view;
  log.replace(from, to, messages(...added));
  expect(ids(log.view)).toEqual(result);
  expect(log).toHaveLength(result.length);
  expect(ids(before)).toEqual(['a', 'b', 'c', 'd']);
});

test.each([
  [-1, 1],
  [1, 0],
  [0, 3],
  [0.5, 1],
  [Number.NaN, 1],
])('%d to %d of two is refused, and changes nothing', (from, to) => {
  const log = new MessageLog(messages('a', 'b'));
  expect(() => log.replace(from, to, messages('x'))).toThrow(RangeError);
  expect(ids(log.view)).toEqual(['a', 'b']);
});

function messages(...ids: string[]): Message[] {
  return ids.map((id) => Object.freeze({ id, role: 'user', content: [] }));
}

function ids(messages: readonly Message[]): string[] {
  return messages.map(({ id }) => id);
}
