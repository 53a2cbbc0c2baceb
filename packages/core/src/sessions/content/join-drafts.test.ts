import { describe, expect, it } from 'vitest';

import { textPart, type Message } from '../../contract/messages.ts';
import { fromStored, journalEntry, toStored, type ChangeDraft } from './change-draft.ts';
import { join, mayJoin, type MutableDraft } from './join-drafts.ts';

const message = (id: string): Message => ({ id, role: 'user', content: [textPart(id)] });
const append = (...ids: string[]): ChangeDraft => ({ append: ids.map(message) });
const replace: ChangeDraft = { replace: [{ from: 0, to: 1, messages: [] }] };
const joined = (...drafts: ChangeDraft[]): MutableDraft => {
  const all: MutableDraft = {};
  for (const draft of drafts) join(all, draft);
  return all;
};

describe('changes of a session in one commit', () => {
  it('are its messages in their order, and the last of what has one value', () => {
    const claim = { owner: 'o', host: 'h', pid: 1, expiresAt: 1 };
    const first = { ...append('a'), about: { title: 'A' }, taken: ['1'], claim };
    expect(joined(first, { ...append('b', 'c'), about: { title: 'B' }, taken: ['2'], claim: null })).toEqual({
      append: ['a', 'b', 'c'].map(message),
      about: { title: 'B' },
      taken: ['1', '2'],
      claim: null,
    });
    expect(joined(first, {})).toEqual(first);
    expect(joined(replace, append('a'))).toEqual({ ...replace, ...append('a') });
  });

  it('have the state of all plugins, key by key', () => {
    const state = joined(
      { state: { memory: { a: 1, b: 1 } } } as never,
      { state: { memory: { b: 2 }, limits: { c: 3 } } } as never,
    ).state;
    expect(state).toEqual({ memory: { a: 1, b: 2 }, limits: { c: 3 } });
  });

  it('have the last entry of each key of the journal', () => {
    const entry = (value: number) => ({ type: 'once', value }) as never;
    const draft = joined({ journal: journalEntry('a', entry(1)) }, { journal: journalEntry('b', null) });
    const stored = toStored(joined(draft, { journal: journalEntry('a', entry(2)) }));
    expect({ ...stored.journal }).toEqual({ a: entry(2), b: null });
    expect(fromStored(stored).journal).toEqual([
      { key: 'a', entry: entry(2) },
      { key: 'b', entry: null },
    ]);
    expect(toStored(append('a'))).toEqual(append('a'));
    expect(fromStored(toStored(append('a')))).toEqual(append('a'));
  });

  it('may not include a replacement after other messages', () => {
    expect(mayJoin({}, replace)).toBe(true);
    expect(mayJoin({ about: {} }, replace)).toBe(true);
    expect(mayJoin(append('a'), replace)).toBe(false);
    expect(mayJoin(replace, replace)).toBe(false);
    expect(mayJoin(replace, append('a'))).toBe(true);
    expect(mayJoin(append('a'), append('b'))).toBe(true);
  });
});
