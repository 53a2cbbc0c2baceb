import { describe, expect, it } from 'vitest';

import { message, runRecord } from '../../../testing/src/store/store-samples.ts';
import { ShallotError } from '../base/errors.ts';
import type { RunRecord, SessionChange, Store } from '../contract/store.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { submitRun, type SubmitOptions } from './submit-run.ts';

/**
 * A store that loses the answer to a commit, and refuses the commit when it is tried again, because somebody else was faster:
 * a worker that has taken the run, or, before it, a program that has submitted another one.
 */
function losingAnswers(faster: 'worker' | 'program'): Store {
  const { commit, isLocal: _, ...rest } = memoryStore();
  return {
    ...rest,
    async commit(sessionId, revision, change) {
      if (faster === 'program') await submitRun({ ...rest, commit }, sessionId, 'First', { agent: 'a' });
      else await commit(sessionId, await commit(sessionId, revision, change), {});
      throw new ShallotError('STORE_CONFLICT', { message: 'Somebody else was first.' });
    },
  };
}

it('a run that a worker has taken before the answer to its commit arrives is accepted', async () => {
  const store = losingAnswers('worker');
  const id = await submitRun(store, 's', 'Hello', { agent: 'a' });
  expect((await store.load('s'))?.run?.id).toBe(id);
});

it('a run that comes after another one is refused', async () => {
  const submitted = submitRun(losingAnswers('program'), 's', 'Hello', { agent: 'a' });
  await expect(submitted).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
});

describe('a title that is made of the input', () => {
  // These take 921 of the 1,023 bytes of a session's notes, and leave 91 to a title.
  const notes = { owner: '🧅'.repeat(100), cwd: `/${'d'.repeat(499)}` };

  it.each<readonly [string, string, string | undefined, string | undefined]>([
    ['is whole where it fits', 'x'.repeat(80), undefined, 'x'.repeat(80)],
    ['is shortened to what the other notes leave', 'x'.repeat(80), 'm'.repeat(26), `${'x'.repeat(47)}…`],
    ['is shortened once, by whole characters', '🧅'.repeat(81), 'm'.repeat(26), `${'🧅'.repeat(11)}…`],
    ['is shortened by what JSON makes of it', '"'.repeat(70), 'm'.repeat(26), `${'"'.repeat(23)}…`],
    ['is left out where the others leave nothing', 'x'.repeat(80), 'm'.repeat(73), undefined],
  ])('%s', async (_, input, modelName, title) => {
    const store = memoryStore();
    const given = { ...notes, ...(modelName === undefined ? {} : { modelName }) };
    await submitRun(store, 's', input, { agent: 'a', ...given, titleFromInput: true });
    expect((await store.load('s'))?.about).toEqual({ ...given, ...(title === undefined ? {} : { title }) });
  });

  it('is on one line, without control characters', async () => {
    const store = memoryStore();
    await submitRun(store, 's', ' \u001B[31mRed\n\tonions\u0000 ', { agent: 'a', titleFromInput: true });
    expect((await store.load('s'))?.about).toEqual({ title: '[31mRed onions' });
  });

  it('fits beside the notes that a session has', async () => {
    const store = memoryStore();
    await store.commit('s', 0, { about: { ...notes, modelName: 'm'.repeat(26) } });
    await submitRun(store, 's', 'x'.repeat(80), { agent: 'a', titleFromInput: true });
    expect((await store.load('s'))?.about?.title).toBe(`${'x'.repeat(47)}…`);
  });
});

describe('a submitted run', () => {
  const runOf = async (store: Store): Promise<RunRecord | undefined> => (await store.load('s'))?.run;

  async function submitted(
    options: SubmitOptions = {},
    change?: SessionChange,
  ): Promise<RunRecord | undefined> {
    const store = memoryStore();
    if (change !== undefined) await store.commit('s', 0, change);
    await submitRun(store, 's', 'Hello', options);
    return runOf(store);
  }

  it('stands at its input, with the messages of its own', async () => {
    const run = await submitted({ agent: 'bee' });
    expect(run).toMatchObject({
      status: 'running',
      agent: { id: 'bee' },
      step: 0,
      usage: { input: 0, output: 0, total: 0, modelCalls: 0 },
      position: { at: 'input', input: [{ id: `${run?.id}.1`, role: 'user' }] },
    });
    expect(run?.submitted).toStrictEqual({ isNew: true });
    expect(await submitted()).not.toHaveProperty('agent');
  });

  it.each<readonly [SubmitOptions, object]>([
    [{ stream: true }, { stream: true }],
    [{ stream: false }, {}],
    [{ metadata: { a: 1 } }, { metadata: { a: 1 } }],
    [{ settings: { temperature: 1 } }, { settings: { temperature: 1 } }],
    [
      { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
      { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    ],
    [{ prepare: (messages) => messages }, { prepared: true }],
  ])('keeps what was submitted with it: %j', async (options, kept) => {
    expect((await submitted(options))?.submitted).toStrictEqual({ isNew: true, ...kept });
  });

  it('has the input that was prepared', async () => {
    const run = await submitted({
      prepare: ([first]) => [{ role: 'user', content: 'Before' }, ...(first ? [first] : [])],
    });
    expect(run?.position).toMatchObject({
      input: [{ content: [{ text: 'Before' }] }, { content: [{ text: 'Hello' }] }],
    });
  });

  it('adds the usage of the last run to that before it', async () => {
    const usage = { input: 1, output: 2, total: 3, modelCalls: 1 };
    const last = { ...runRecord('r', 'completed'), usage, usageBefore: usage };
    expect((await submitted({}, { run: last }))?.usageBefore).toMatchObject({
      input: 2,
      output: 4,
      total: 6,
      modelCalls: 2,
    });
  });

  it('has ids of its own for messages whose ids are taken', async () => {
    const store = memoryStore();
    await store.commit('s', 0, { append: [message('a')] });
    await submitRun(store, 's', [message('a'), message('b'), message('b')]);
    const { position, id } = (await runOf(store)) ?? {};
    const ids = (position as { readonly input: readonly { readonly id: string }[] }).input.map(
      (each) => each.id,
    );
    expect(ids).toEqual([expect.stringContaining(`${id}.`), 'b', expect.stringContaining(`${id}.`)]);
    expect(new Set(ids).size).toBe(3);
  });

  it.each<readonly [string, SessionChange, string]>([
    ['while another run is unfinished', { run: runRecord('r', 'running') }, 'SESSION_UNFINISHED'],
    ['while one waits for answers', { run: runRecord('r', 'interrupted', 1) }, 'SESSION_INTERRUPTED'],
  ])('is refused %s, unless that is abandoned', async (_, change, code) => {
    await expect(submitted({}, change)).rejects.toMatchObject({ code });
    expect(await submitted({ abandon: true }, change)).toMatchObject({ status: 'running', step: 0 });
  });

  it('is refused in the session of a child, and of another owner', async () => {
    const child = { about: { parent: 'p', root: 'p' } };
    await expect(submitted({}, child)).rejects.toMatchObject({ code: 'SESSION_IS_CHILD' });
    const other = { about: { owner: 'ann' } };
    await expect(submitted({ owner: 'bob' }, other)).rejects.toMatchObject({ code: 'SESSION_OF_ANOTHER' });
    await submitted({ owner: 'ann' }, other);
  });

  it('abandons the calls of the run before it', async () => {
    const store = memoryStore();
    const call = { type: 'tool-call', id: 'c', name: 'look', input: {} } as const;
    const run = runRecord('r', 'running');
    await store.commit('s', 0, { append: [{ id: 'm', role: 'assistant', content: [call] }], run });
    await submitRun(store, 's', 'Hello', { abandon: true });
    expect((await store.load('s'))?.messages).toMatchObject([
      { id: 'm' },
      { role: 'tool', callId: 'c', isError: true },
    ]);
  });

  it('abandons the children of the run before it', async () => {
    const store = memoryStore();
    const own = { input: 1, output: 1, total: 2, modelCalls: 1 };
    const children = { begun: 1, own, usage: { child: own } };
    const run: RunRecord = { ...runRecord('r', 'running'), children };
    await store.commit('s', 0, { run });
    await store.commit('child', 0, { run: runRecord('c', 'running'), about: { parent: 's', root: 's' } });
    await submitRun(store, 's', 'Hello', { abandon: true });
    expect((await store.load('child'))?.run).toMatchObject({ status: 'aborted', stopReason: 'abort' });
  });
});
