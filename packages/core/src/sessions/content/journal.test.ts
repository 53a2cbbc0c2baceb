import { expect, it } from 'vitest';

import type { JournalEntry } from '../../contract/store.ts';
import { callOf, callOnceKey, callPrefix, executionKey, finalKey } from './journal-keys.ts';
import { Journal } from './journal.ts';

const intent = (id: string): JournalEntry => ({ type: 'intent', id });
const raw = (): JournalEntry => ({ type: 'raw', result: { content: [] } });
const once = (value: number): JournalEntry => ({ type: 'once', value });

const entries: readonly (readonly [string, JournalEntry])[] = [
  [executionKey('a', 10), intent('ten')],
  [executionKey('a', 2), raw()],
  [executionKey('a', 1), intent('one')],
  [callOnceKey('a', 'p', 'k'), once(1)],
  [executionKey('a:1', 0), intent('other')],
  [finalKey('b'), once(2)],
];

it('the executions of a call are in their order, without anything else of it', () => {
  const journal = new Journal(entries);
  expect([...journal.executions('a')]).toEqual([
    [1, intent('one')],
    [2, raw()],
    [10, intent('ten')],
  ]);
  expect(journal.lastExecution('a')).toEqual(intent('ten'));
  expect([...journal.executions('a:1')]).toEqual([[0, intent('other')]]);
  expect([...journal.executions('b')]).toEqual([]);
  expect(journal.lastExecution('b')).toBeUndefined();
});

it('the entries of a call follow each change', () => {
  const journal = new Journal(entries);
  const keysOf = (call: string): string[] => journal.clearedCall(call).map(({ key }) => key);
  expect(keysOf('a')).toEqual(entries.slice(0, 4).map(([key]) => key));
  journal.apply([
    { key: executionKey('a', 11), entry: raw() },
    { key: executionKey('c', 0), entry: raw() },
    { key: executionKey('a', 1), entry: null },
    { key: executionKey('a:1', 0), entry: null },
    { key: executionKey('d', 0), entry: null },
    { key: finalKey('a'), entry: once(3) },
  ]);
  expect([...journal.executions('a').keys()]).toEqual([2, 10, 11]);
  expect(journal.lastExecution('c')).toEqual(raw());
  expect([keysOf('a:1'), keysOf('d')]).toEqual([[], []]);
  journal.apply([{ key: executionKey('a:1', 3), entry: raw() }]);
  expect(keysOf('a:1')).toEqual([executionKey('a:1', 3)]);
  expect(journal.clearedCall('c')).toEqual([{ key: executionKey('c', 0), entry: null }]);
  expect(journal.get(finalKey('a'))).toEqual(once(3));
  expect(journal.get(executionKey('a', 1))).toBeUndefined();
});

it('a journal is copied and cleared as a whole', () => {
  const journal = new Journal(entries);
  const fork = journal.fork();
  fork?.apply(fork.cleared() ?? []);
  expect(fork?.toRecord()).toEqual({});
  expect([fork?.cleared(), fork?.fork()]).toEqual([undefined, undefined]);
  expect(journal.toRecord()).toEqual(Object.fromEntries(entries));
  expect(journal.cleared()).toEqual(entries.map(([key]) => ({ key, entry: null })));
  expect(Object.isFrozen(journal.toRecord())).toBe(true);
});

it.each(['a', 'a:b', 'call:', '100%', '%3A', ''])('the keys of the call %j name it, and no other', (id) => {
  const prefix = callPrefix(id);
  for (const key of [executionKey(id, 3), callOnceKey(id, 'place', 'key:1')]) {
    expect(key.startsWith(prefix)).toBe(true);
    expect(callOf(key)).toBe(prefix);
  }
  expect(callPrefix(`${id}:1`).startsWith(prefix)).toBe(false);
  expect(callOf(finalKey(id))).toBeUndefined();
});
