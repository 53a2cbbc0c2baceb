import { describe, expect, test } from 'vitest';

import { isKnownBeginning } from '../../base/is-known-beginning.ts';
import type { Message } from '../../contract/messages.ts';
import { MessageLog } from './message-log.ts';

test('the view is one frozen array until something changes, and stays as it was afterwards', () => {
  const log = MessageLog.of(messages('a', 'b'));
  const before = log.view;
  expect(log.view).toBe(before);
  expect(Object.isFrozen(before)).toBe(true);

  log.append([]);
  expect(log.view).toBe(before);

  log.append(messages('c'));
  expect(ids(log.view)).toEqual(['a', 'b', 'c']);
  expect(ids(before)).toEqual(['a', 'b']);
});

test('long views of a log are known to begin alike until messages are replaced', () => {
  const log = MessageLog.of(messages(...Array.from({ length: 200 }, (_, index) => `m${index}`)));
  const other = log.fork(199);
  const before = log.view;
  log.append(messages('a'));
  other.append(messages('b'));
  expect(isKnownBeginning(before, 200, log.view)).toBe(true);
  expect(isKnownBeginning(log.view, 199, before)).toBe(true);
  expect(isKnownBeginning(log.view, 201, before)).toBe(false);
  expect(isKnownBeginning(before, 200, other.view)).toBe(false);
  log.replace(0, 1, messages('x'));
  expect(isKnownBeginning(before, 200, log.view)).toBe(false);
});

test.each([
  { from: 0, to: 2, added: ['x'], result: ['x', 'c', 'd'] },
  { from: 1, to: 1, added: ['x', 'y'], result: ['a', 'x', 'y', 'b', 'c', 'd'] },
  { from: 2, to: 4, added: [], result: ['a', 'b'] },
  { from: 4, to: 4, added: ['x'], result: ['a', 'b', 'c', 'd', 'x'] },
])('$from to $to of four become $added', ({ from, to, added, result }) => {
  const log = MessageLog.of(messages('a', 'b', 'c', 'd'));
  const before = log.view;
  log.replace(from, to, messages(...added));
  expect(ids(log.view)).toEqual(result);
  expect(log).toHaveLength(result.length);
  expect(ids(before)).toEqual(['a', 'b', 'c', 'd']);
});

describe('a log that goes its own way', () => {
  const [a, b, c, d, e] = messages('a', 'b', 'c', 'd', 'e') as [Message, Message, Message, Message, Message];

  test('leaves the other as it is, whichever adds first', () => {
    const log = MessageLog.of([a, b]);
    const other = log.fork();
    log.append([c]);
    expect(other.view).toEqual([a, b]);
    expect(other.at(2)).toBeUndefined();
    other.append([d]);
    log.append([e]);
    expect([log.view, other.view]).toEqual([
      [a, b, c, e],
      [a, b, d],
    ]);
  });

  test('adds the same, part of it or more', () => {
    const log = MessageLog.of([a]);
    const others = [log.fork(), log.fork(), log.fork(), log.fork()];
    log.append([b, c]);
    const added = [[b], [b, c], [b, c, d], [b, d]];
    for (const [index, other] of others.entries()) other.append(added[index] ?? []);
    expect(others.map(({ view }) => view)).toEqual(added.map((list) => [a].concat(list)));
    others[0]?.append([e]);
    log.append([e]);
    expect([others[0]?.view, others[2]?.view, log.view]).toEqual([
      [a, b, e],
      [a, b, c, d],
      [a, b, c, e],
    ]);
  });

  test('begins with fewer messages, and replaces its own', () => {
    const log = MessageLog.of([a, b, c]);
    const other = log.fork(2);
    other.replace(0, 1, [d]);
    log.append([e]);
    expect([other.view, log.view]).toEqual([
      [d, b],
      [a, b, c, e],
    ]);
    expect([other.untouched, log.untouched]).toEqual([0, 4]);
  });

  test('has used the ids of calls in its own messages, and no others', () => {
    const log = MessageLog.of([calling('a')]);
    const other = log.fork();
    log.append([calling('b')]);
    expect([log, other].map((each) => [each.hasCall('a'), each.hasCall('b')])).toEqual([
      [true, true],
      [true, false],
    ]);
    other.append([calling('c')]);
    log.append([calling('d')]);
    expect(['a', 'b', 'c', 'd'].map((id) => log.hasCall(id))).toEqual([true, true, false, true]);
    expect(['a', 'b', 'c', 'd'].map((id) => other.hasCall(id))).toEqual([true, false, true, false]);
  });
});

test('a position is found before and after what was added', () => {
  const log = MessageLog.of(messages('a', 'b'));
  log.append(messages('c', 'd'));
  expect([0, 1, 2, 3, -1, -4].map((index) => log.at(index)?.id)).toEqual(['a', 'b', 'c', 'd', 'd', 'a']);
  expect([4, -5].map((index) => log.at(index))).toEqual([undefined, undefined]);
  expect([0, 1, 2, 3, 4].map((from) => ids(log.copy(from)).join(''))).toEqual(['abcd', 'bcd', 'cd', 'd', '']);
  expect(['a', 'c', 'x'].map((wanted) => log.findLast(({ id }) => id === wanted))).toEqual([0, 2, -1]);
});

test('the ids of calls are those of all messages that there have been', () => {
  const log = MessageLog.of([calling('a')]);
  log.append([calling('b')]);
  expect(['a', 'b', 'c'].map((id) => log.hasCall(id))).toEqual([true, true, false]);
  log.append([calling('c')]);
  log.replace(0, 3, [calling('d')]);
  expect(['a', 'b', 'c', 'd', 'e'].map((id) => log.hasCall(id))).toEqual([true, true, true, true, false]);
});

test('the ids of calls and of messages stay known when no message is left', () => {
  const log = MessageLog.of([calling('a')]);
  log.replace(0, 1, []);
  for (const each of [log, log.fork()]) {
    expect([each.hasCall('a'), each.hasMessage('m-a')]).toEqual([true, true]);
    each.replace(0, 0, [calling('b')]);
    expect(['a', 'b', 'c'].map((id) => each.hasCall(id))).toEqual([true, true, false]);
  }
});

test.each([
  [-1, 1],
  [1, 0],
  [0, 3],
  [0.5, 1],
  [Number.NaN, 1],
])('%d to %d of two is refused, and changes nothing', (from, to) => {
  const log = MessageLog.of(messages('a', 'b'));
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
