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

test('what is shared never changes, and is shared on as long as nothing does', () => {
  const given = messages('a', 'b');
  const log = new MessageLog(given);
  expect(log.shared).toBe(given);
  log.append(messages('c'));
  const grown = log.shared;
  expect(log.shared).toBe(grown);
  log.append(messages('d'));
  log.replace(0, 1, []);
  expect(ids(given)).toEqual(['a', 'b']);
  expect(ids(grown)).toEqual(['a', 'b', 'c']);
  expect(ids(log.shared)).toEqual(['b', 'c', 'd']);
});

test('a position is found before and after what was added', () => {
  const log = new MessageLog(messages('a', 'b'));
  log.append(messages('c', 'd'));
  expect([0, 1, 2, 3, -1, -4].map((index) => log.at(index)?.id)).toEqual(['a', 'b', 'c', 'd', 'd', 'a']);
  expect([4, -5].map((index) => log.at(index))).toEqual([undefined, undefined]);
  expect([0, 1, 2, 3, 4].map((from) => ids(log.copy(from)).join(''))).toEqual(['abcd', 'bcd', 'cd', 'd', '']);
  expect(['a', 'c', 'x'].map((wanted) => log.findLast(({ id }) => id === wanted))).toEqual([0, 2, -1]);
});

test('the ids of calls are those of all messages that there have been', () => {
  const log = new MessageLog([calling('a')]);
  log.append([calling('b')]);
  expect(log.knownCallIds).toBeUndefined();
  expect([...log.callIds]).toEqual(['a', 'b']);
  log.append([calling('c')]);
  log.replace(0, 3, [calling('d')]);
  expect([...log.callIds]).toEqual(['a', 'b', 'c', 'd']);
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

function calling(id: string): Message {
  return { id: `m-${id}`, role: 'assistant', content: [{ type: 'tool-call', id, name: 'look', input: {} }] };
}

function ids(messages: readonly Message[]): string[] {
  return messages.map(({ id }) => id);
}
