import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { message, runRecord } from '../../../testing/src/store/store-samples.ts';
import { ShallotError } from '../base/errors.ts';
import type { Interrupt } from '../contract/interrupt.ts';
import { textOf } from '../contract/messages.ts';
import type { RunRecord } from '../contract/store.ts';
import { LiveSession } from '../sessions/live/live-session.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import type { Resumption } from './parts/resumption.ts';
import type { PluginsInRun } from './plugins-in-run.ts';
import { RecordWriter } from './record-writer.ts';
import type { RunTerms } from './run-terms.ts';

const now = 1_700_000_000_000;

let store = memoryStore();
beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ['Date'] });
  store = memoryStore();
});
afterEach(() => void vi.useRealTimers());

const plugins = { audit: { name: 'audit', version: '1.0.0' } };

function writer(
  terms: Partial<RunTerms> & { readonly identity?: object } = {},
  resumption?: Resumption,
): RecordWriter {
  const { identity, ...own } = terms;
  const host = { record: plugins, has: () => false };
  const redactor = { text: (text: string) => text.replace('secret', '****') };
  const parts = { host, redactor, ...(identity !== undefined && { identity }) };
  const all = { id: 'r', parts, model: { settings: {} }, ...own } as unknown as RunTerms;
  const session = new LiveSession(store, 's', undefined);
  return new RecordWriter(all, session, { stateRecord: {} } as PluginsInRun, resumption);
}

/** Takes up a run; with a pause it is a worker that does. */
function resumed(record: Partial<RunRecord>, pauseMs?: number, terms: Partial<RunTerms> = {}): RecordWriter {
  const resumption: Resumption = {
    record: { ...runRecord('r', 'running'), ...record },
    id: 'resume_0123456789abcdef',
    given: { answers: {} },
    pauseMs,
  };
  return writer(terms, resumption);
}

const question: Interrupt = {
  id: 'q',
  kind: 'question',
  plugin: 'audit',
  payload: null,
  answerSchema: {},
  createdAt: '2026-01-01T00:00:00.000Z',
};

describe('the ids of a run', () => {
  it('begin with its own, and count from 1', () => {
    const record = writer();
    expect([record.newMessageId(), record.newMessageId()]).toEqual(['r.1', 'r.2']);
    expect([record.newExecutionId(), record.newExecutionId()]).toEqual(['r.execution.1', 'r.execution.2']);
    expect([record.isOwnId('r.1'), record.isOwnId('r2.1'), record.isOwnId('r')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('have a part of their own after a resume', () => {
    const record = resumed({});
    expect(record.newMessageId()).toBe('r.01234567.1');
    expect(record.newExecutionId()).toBe('r.01234567.execution.1');
  });

  it('take the place of ids that a message of the session has', async () => {
    const record = writer();
    const given = { id: 'm', role: 'user', content: 'Hi' } as const;
    expect(record.toMessages(given)).toMatchObject([{ id: 'm' }]);
    await record.session.commit({ append: [message('m')], run: record.toRecord() });
    const ids = (input: Parameters<RecordWriter['toMessages']>[0]): string[] =>
      record.toMessages(input).map(({ id }) => id);
    expect(ids(given)).toEqual(['r.1']);
    expect(ids([{ ...given, id: 'n' }, { role: 'user', content: 'No id' }, given])).toEqual([
      'n',
      'r.2',
      'r.3',
    ]);
    expect(record.toMessages('Hi').map(textOf)).toEqual(['Hi']);
  });
});

describe('the record of a run', () => {
  it('has what every run has, and nothing else', () => {
    expect(writer().toRecord()).toEqual({
      id: 'r',
      status: 'running',
      step: 0,
      usage: { input: 0, output: 0, total: 0, modelCalls: 0 },
      usageBefore: { input: 0, output: 0, total: 0, modelCalls: 0 },
      startedAt: now,
      state: {},
      position: { at: 'input', input: [] },
      interrupts: [],
      answers: {},
    });
  });

  it('names its agent, its parent, and the terms of the model', () => {
    const call = { sessionId: 'p', runId: 'pr', step: 1, callId: 'c' };
    const schema = { type: 'object' };
    const record = writer({
      identity: { id: 'a' },
      parent: { call } as never,
      model: { settings: {}, toolChoice: 'required', output: { schema } } as never,
    });
    expect(record.toRecord()).toMatchObject({
      agent: { id: 'a' },
      parent: call,
      toolChoice: { choice: 'required', met: false },
      output: schema,
    });
  });

  it('has the end that a hook has asked for, until the run is over', () => {
    const record = writer();
    record.verdict.end('Enough.', 'limit', 'audit', record.newMessageId);
    expect(record.toRecord().ending).toMatchObject({ reason: 'limit', plugin: 'audit' });
    const said = record.closeAsAsked();
    expect(said.map(textOf)).toEqual(['Enough.']);
    expect(record.toRecord('completed')).toMatchObject({
      status: 'completed',
      stopReason: 'limit',
      position: { at: 'end', message: said[0]?.id },
    });
    expect(record.toRecord().ending).toBeUndefined();
    expect(record.verdict.lastWord).toMatchObject({ isShown: false });
  });

  it('has no message of an end without an answer', () => {
    const record = writer();
    record.verdict.end(undefined, 'ended', 'audit', record.newMessageId);
    expect(record.closeAsAsked()).toEqual([]);
    expect(record.toRecord('completed')).toMatchObject({ stopReason: 'ended', position: { at: 'end' } });
  });

  it('keeps the text that an aborted run has shown, and only that of an aborted one', () => {
    const record = writer();
    record.progress.ask(0, { text: 'so f' });
    expect(record.toRecord('aborted').shown).toBe('so f');
    expect(record.toRecord('failed').shown).toBeUndefined();
    record.progress.forgetShown();
    expect('shown' in record.toRecord('aborted')).toBe(false);
  });

  it('has the error of a failed run, redacted, and only of a failed one', () => {
    const error = new ShallotError('MODEL_FAILED', { message: 'a secret', transient: true, retryAt: 5 });
    const record = writer();
    expect(record.toRecord('failed', error).failure).toEqual({
      code: 'MODEL_FAILED',
      message: 'a ****',
      transient: true,
      retryAt: 5,
    });
    const plain = new ShallotError('INTERNAL', { message: 'no' });
    expect(record.toRecord('failed', plain).failure).toEqual({ code: 'INTERNAL', message: 'no' });
    expect(record.toRecord('aborted', error).failure).toBeUndefined();
  });

  it('has its open questions and the answers of a resume', () => {
    const record = writer(
      {},
      {
        record: { ...runRecord('r', 'interrupted'), interrupts: [question] },
        id: 'resume_0123456789abcdef',
        given: { answers: { q: 'yes' }, answered: { q: { at: '2026-01-01T00:00:00.000Z' } as never } },
        pauseMs: undefined,
      },
    );
    expect(record.toRecord()).toMatchObject({
      interrupts: [question],
      answers: { q: 'yes' },
      answered: { q: { at: '2026-01-01T00:00:00.000Z' } },
    });
    record.questions.forget();
    expect(record.toRecord()).toMatchObject({ interrupts: [] });
  });

  it('has no questions once the end is decided: they need no answer', () => {
    const ending = { reason: 'ended', plugin: 'audit' } as const;
    expect(resumed({ interrupts: [question], ending }).toRecord().interrupts).toEqual([]);
    expect(resumed({ interrupts: [question] }).toRecord().interrupts).toEqual([question]);
  });
});

describe('a run that was submitted', () => {
  const submitted = { isNew: true, traceparent: '00-a-b-01', metadata: { a: 1 } } as const;

  it('is new to the first that resumes it, and keeps what it was submitted with', () => {
    const record = resumed({ submitted });
    expect(record.isResumed).toBe(false);
    expect(record.traceparent).toBe('00-a-b-01');
    expect(record.toRecord().submitted).toEqual({ traceparent: '00-a-b-01', metadata: { a: 1 } });
  });

  it('is resumed by the next ones', () => {
    expect(resumed({ submitted: { metadata: {} } }).isResumed).toBe(true);
    expect(resumed({}).isResumed).toBe(true);
    expect(writer().isResumed).toBe(false);
    expect(resumed({}).toRecord().submitted).toBeUndefined();
  });
});

describe('an attempt of a worker', () => {
  const last = { count: 1, deaths: 1, notBefore: 5 };
  const transient = new ShallotError('MODEL_FAILED', { message: 'no', transient: true });

  it('counts as a death while it is at the step that it began with', () => {
    const record = resumed({ attempts: last }, 10);
    expect(record.toRecord().attempts).toEqual({ count: 1, deaths: 2, notBefore: now + 250 });
    record.progress.beginStep();
    expect(record.toRecord().attempts).toBeUndefined();
  });

  it('that fails for now counts as a failure, after those at the same step', () => {
    const record = resumed({ attempts: last }, 10);
    expect(record.toRecord('failed', transient).attempts).toEqual({
      count: 2,
      deaths: 1,
      notBefore: now + 250,
    });
    record.progress.beginStep();
    expect(record.toRecord('failed', transient).attempts).toEqual({ count: 1, notBefore: now + 10 });
  });

  it('that fails for good, or ends, does not count', () => {
    const record = resumed({ attempts: last }, 10);
    const fatal = new ShallotError('MODEL_FAILED', { message: 'no' });
    expect(record.toRecord('failed', fatal).attempts).toBeUndefined();
    expect(record.toRecord('completed').attempts).toBeUndefined();
  });

  it('is not repeated before the time that the error names', () => {
    const later = new ShallotError('MODEL_FAILED', { message: 'no', transient: true, retryAt: now + 99_000 });
    const record = resumed({}, 10);
    expect(record.toRecord('failed', later).attempts).toEqual({ count: 1, notBefore: now + 99_000 });
  });

  it('does not count once the run is handed back, nor for whoever is no worker', () => {
    const record = resumed({ attempts: last }, 10);
    record.handBack();
    expect(record.toRecord().attempts).toBeUndefined();
    expect(record.toRecord('failed', transient).attempts).toMatchObject({ count: 1 });
    expect(resumed({ attempts: last }).toRecord().attempts).toBeUndefined();
  });
});

describe('the commit of a turn', () => {
  it('has the messages and the record, and what was kept for the turn is gone', async () => {
    const told: unknown[] = [];
    const parent = { call: {}, noteUsage: (...usage: readonly unknown[]) => void told.push(usage) };
    const record = resumed({ interrupts: [question] }, undefined, { parent: parent as never });
    await record.session.commit({
      run: record.toRecord(),
      journal: [{ key: 'once:k', entry: { type: 'once', value: 1 } }],
    });
    const children = record.progress.children;
    children.begin('child', 'c');
    children.set('child', { input: 1, output: 1, total: 2, modelCalls: 1 });
    record.progress.show({ text: 'so f' });
    await record.commitTurn([message('m')]);
    expect(record.session.journalled('once:k')).toBeUndefined();
    expect(record.session.messages.map(({ id }) => id)).toEqual(['m']);
    expect((await store.load('s'))?.run).toMatchObject({
      interrupts: [],
      usage: { total: 2 },
      children: { own: { total: 2 }, usage: {} },
    });
    expect(record.progress.shown).toBeUndefined();
    expect(told).toEqual([['s', record.progress.usage]]);
  });

  it('can be held for the end', async () => {
    const record = writer();
    record.holdTurn([message('m')]);
    expect(record.session.messages.map(({ id }) => id)).toEqual(['m']);
    expect(await store.load('s')).toBeUndefined();
    await record.session.release({ run: record.toRecord('completed') });
    expect(await store.load('s')).toMatchObject({ messages: [{ id: 'm' }], run: { status: 'completed' } });
  });
});
