import { describe, expect, it } from 'vitest';

import { message, messages, runRecord } from '../../../../testing/src/store/store-samples.ts';
import type { StateEntry } from '../../contract/store.ts';
import { journalEntry, type ChangeDraft } from './change-draft.ts';
import { SessionContent, type ContentRecord } from './session-content.ts';
import { weigh } from './weigh.ts';

const entry = (value: number): StateEntry => ({ version: 1, value });
const once = { type: 'once', value: 1 } as const;
const record: ContentRecord = {
  messages: messages('a', 'b'),
  state: { p: { k: entry(1), l: entry(2) }, q: { k: entry(3) } },
  journal: { j: once },
  run: runRecord('r', 'running'),
  about: { title: 't' },
};

function recordOf(content: SessionContent): ContentRecord {
  return { ...content.toRecord(), messages: content.log.copy() };
}

describe('the content of a session', () => {
  it('is that of its record', () => {
    const content = SessionContent.of(record);
    expect(recordOf(content)).toEqual(record);
    expect(content.hasState).toBe(true);
    expect(content.stateOwners).toEqual(['p', 'q']);
    expect(content.stateEntry('p', 'l')).toEqual(entry(2));
    expect(content.stateEntry('p', 'x') ?? content.stateEntry('x', 'k')).toBeUndefined();
    const { state } = content.toRecord();
    expect([state, state['p']].every((each) => Object.isFrozen(each))).toBe(true);
  });

  it('is nothing at first', () => {
    const content = new SessionContent();
    expect(content.toRecord()).toStrictEqual({ state: {}, journal: {} });
    expect([content.journal, content.run, content.about]).toEqual([undefined, undefined, undefined]);
    expect([content.hasState, content.stateOwners]).toEqual([false, []]);
    expect(SessionContent.of({ messages: [], state: {}, journal: {} }).journal).toBeUndefined();
  });

  it.each<readonly [string, ChangeDraft, Partial<ContentRecord>]>([
    ['nothing', {}, {}],
    ['messages after others', { append: messages('c') }, { messages: messages('a', 'b', 'c') }],
    [
      'replacements before those',
      { replace: [{ from: 0, to: 2, messages: messages('x') }], append: messages('c') },
      { messages: messages('x', 'c') },
    ],
    [
      'an entry of the state',
      { state: { p: { k: entry(9) } } },
      { state: { ...record.state, p: { k: entry(9), l: entry(2) } } },
    ],
    [
      'the end of an entry',
      { state: { p: { k: null } } },
      { state: { ...record.state, p: { l: entry(2) } } },
    ],
    [
      'the end of all entries of a plugin',
      { state: { q: { k: null, x: null } } },
      { state: { p: record.state['p'] ?? {} } },
    ],
    [
      'the journal',
      { journal: [...journalEntry('j', null), ...journalEntry('i', once)] },
      { journal: { i: once } },
    ],
    ['the run', { run: runRecord('s', 'completed') }, { run: runRecord('s', 'completed') }],
    ['the notes', { about: { cwd: '/' } }, { about: { cwd: '/' } }],
  ])('follows a change of %s, and a copy of it does not', (_, change, changed) => {
    const content = SessionContent.of(record);
    const copy = content.fork();
    content.apply(change);
    expect(recordOf(content)).toEqual({ ...record, ...changed });
    expect(recordOf(copy)).toEqual(record);
    copy.apply(change);
    expect(recordOf(copy)).toEqual(recordOf(content));
  });

  it('has no state once the last entry is gone, and a journal from the first one on', () => {
    const content = new SessionContent();
    content.apply({ state: { p: { k: entry(1) } }, journal: journalEntry('j', once) });
    expect([content.hasState, content.journal?.get('j')]).toEqual([true, once]);
    content.apply({ state: { p: { k: null } } });
    expect([content.hasState, content.fork().hasState]).toEqual([false, false]);
    expect(content.toRecord()).toStrictEqual({ state: {}, journal: { j: once } });
  });
});

describe('the size of a session', () => {
  const rest = weigh([record.state, record.journal, record.run]);
  const size = weigh(message('a'));

  it('grows with the messages that were measured', () => {
    const content = SessionContent.of({ ...record, messages: messages('a', 'b', 'c') });
    expect([content.bytes, content.isWeighed]).toEqual([rest, false]);
    expect([content.weighMore(2), content.bytes, content.isWeighed]).toEqual([
      2 * size,
      rest + 2 * size,
      false,
    ]);
    expect([content.weighMore(2), content.bytes, content.isWeighed]).toEqual([size, rest + 3 * size, true]);
    expect([content.weighMore(2), content.bytes]).toEqual([0, rest + 3 * size]);
    content.apply({ append: messages('d') });
    expect(content.isWeighed).toBe(false);
  });

  it('is kept by a copy, unless measured messages were replaced', () => {
    const content = SessionContent.of({ ...record, messages: messages('a', 'b', 'c') });
    content.weighMore(2);
    expect(content.fork().bytes).toBe(rest + 2 * size);
    content.apply({ replace: [{ from: 2, to: 3, messages: messages('x', 'y') }] });
    expect(content.fork().bytes).toBe(rest + 2 * size);
    content.apply({ replace: [{ from: 1, to: 2, messages: [] }] });
    const copy = content.fork();
    expect([copy.bytes, copy.weighMore(9)]).toEqual([rest, 3 * size]);
  });

  it('counts the ids of calls', () => {
    const content = new SessionContent();
    const empty = content.bytes;
    const call = { type: 'tool-call', id: 'c', name: 'look', input: {} } as const;
    content.apply({ append: [{ id: 'm', role: 'assistant', content: [call, { ...call, id: 'd' }] }] });
    content.log.noteCalls();
    expect(content.bytes).toBe(empty + 80);
  });
});
