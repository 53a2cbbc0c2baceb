import { expect, it } from 'vitest';

import { message } from '../../../../testing/src/store/store-samples.ts';
import { maxInboxEntries, type InboxEntry } from '../../contract/work/inbox.ts';
import { MemoryInbox } from './memory-inbox.ts';

const entry = (id: string, rest: object = {}): InboxEntry => ({ id, message: message(id), ...rest });
const idsIn = (entries: readonly InboxEntry[]): string => entries.map(({ id }) => id).join('');

function filled(...entries: readonly InboxEntry[]): MemoryInbox {
  const inbox = new MemoryInbox();
  for (const each of entries) inbox.add('s', each);
  return inbox;
}

it('entries are kept once, in the order in which they were sent', () => {
  const inbox = filled(entry('b'), entry('a'));
  inbox.add('s', entry('b', { by: 'again' }));
  expect(inbox.list({})).toEqual([entry('b'), entry('a')]);
  expect(inbox.isEmpty).toBe(false);
  expect(filled().list({})).toEqual([]);
  expect(filled().isEmpty).toBe(true);
});

it('entries are listed for a run, unless they wait for its end, and by id', () => {
  const inbox = filled(entry('a', { after: 'r' }), entry('b', { after: 'q' }), entry('c'));
  expect(idsIn(inbox.list({}))).toBe('abc');
  expect(idsIn(inbox.list({ run: 'r' }))).toBe('bc');
  expect(idsIn(inbox.list({ run: 'r', ids: ['a', 'c'] }))).toBe('c');
  expect(idsIn(inbox.list({ ids: [] }))).toBe('');
});

it('an entry can be withdrawn until it is held, and again under its id once it was taken', () => {
  const inbox = filled(entry('a'), entry('b'));
  expect(inbox.remove('a')).toBe(true);
  expect(inbox.remove('a')).toBe(false);
  inbox.list({ ids: ['b'] });
  inbox.add('s', entry('c'));
  inbox.list({ ids: ['b'], hold: true });
  expect([inbox.remove('b'), inbox.remove('c')]).toEqual([false, true]);
  inbox.take(['b', 'gone']);
  expect(inbox.isEmpty).toBe(true);
  inbox.add('s', entry('b'));
  expect(inbox.remove('b')).toBe(true);
});

it('an inbox takes no more entries than it may hold', () => {
  const inbox = filled(...Array.from({ length: maxInboxEntries }, (_, n) => entry(`${n}`)));
  expect(() => inbox.add('s', entry('more'))).toThrow(expect.objectContaining({ code: 'INBOX_FULL' }));
  inbox.add('s', entry('7'));
  inbox.remove('7');
  inbox.add('s', entry('more'));
  expect(inbox.list({})).toHaveLength(maxInboxEntries);
});
