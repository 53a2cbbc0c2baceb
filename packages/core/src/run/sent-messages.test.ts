import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { collectEvents, scriptedModel, type ScriptedStep } from '../../../testing/src/index.ts';
import { createAgent, definePlugin, defineTool, memoryStore, ShallotError, type Agent } from '../index.ts';
import { sqliteStore } from '../sqlite/index.ts';
import type { Store } from '../store.ts';
import { answerInterrupts, sendMessage, sentMessages, submitRun, unsendMessage } from '../work.ts';

const folder = await mkdtemp(join(tmpdir(), 'shallot-sent-'));
afterAll(() => rm(folder, { recursive: true }));
let files = 0;
const stores: readonly (readonly [string, () => Store])[] = [
  ['memory', memoryStore],
  ['SQLite', () => sqliteStore(join(folder, `${(files += 1)}.db`))],
];

/** A tool that calls the function that the test has set meanwhile. */
function pausing(during: () => unknown): ReturnType<typeof defineTool> {
  return defineTool({
    name: 'work',
    description: 'Works.',
    input: { type: 'object' },
    effect: 'read',
    execute: async () => {
      await during();
      return 'done';
    },
  });
}

/** A model that answers twice, and what happens while it gives the first answer. */
function answersTwice() {
  const during: { first: () => Promise<unknown> } = { first: async () => {} };
  const first = async (): Promise<ScriptedStep> => {
    await during.first();
    return { text: 'First.' };
  };
  return { model: scriptedModel([first, { text: 'Second.' }]), during };
}

const work: ScriptedStep = { toolCalls: [{ name: 'work' }] };

function textsOf(
  messages: readonly { readonly role: string; readonly content: readonly object[] }[],
): string[] {
  return messages.map(
    ({ role, content }) =>
      `${role}: ${content.map((part) => ('text' in part ? String(part.text) : '…')).join('')}`,
  );
}

describe.each(stores)('a message to a run under way, in a %s store', (_name, makeStore) => {
  it('is in the request of the next model call, once, and in the session', async () => {
    const store = makeStore();
    const model = scriptedModel([work, work, { text: 'Done.' }]);
    let isSent = false;
    const during = async (): Promise<void> => {
      if (!isSent) await sendMessage(store, 's', 'Use metres.', { by: 'ann' });
      isSent = true;
    };
    const agent = await createAgent({ model, tools: [pausing(during)], store, log: 'silent' });
    const result = await agent.run('How long?', { sessionId: 's' });
    const requests = model.requests.map(
      ({ messages }) => messages.filter(({ role }) => role === 'user').length,
    );
    expect(requests).toEqual([1, 2, 2]);
    expect(textsOf(result.messages)).toEqual([
      'user: How long?',
      'assistant: …',
      'tool: done',
      'user: Use metres.',
      'assistant: …',
      'tool: done',
      'assistant: Done.',
    ]);
    expect(result.messages[3]?.metadata).toEqual({
      core: { sent: { at: expect.any(String) as unknown, by: 'ann' } },
    });
    expect(result).not.toHaveProperty('unread');
    expect((await store.load('s'))?.messages).toEqual(result.messages);
    expect(await sentMessages(store, 's')).toEqual([]);
    await store.close?.();
  });

  it('takes one more step if the run has its answer', async () => {
    const store = makeStore();
    const { model, during } = answersTwice();
    const agent = await createAgent({ model, store, log: 'silent' });
    during.first = () => agent.send('s', 'One more thing.');
    const { text, steps } = await agent.run('Go', { sessionId: 's' });
    expect([text, steps]).toEqual(['Second.', 2]);
    await store.close?.();
  });

  it('is left to the next run at the last step, and named in the result', async () => {
    const store = makeStore();
    const { model, during } = answersTwice();
    const agent = await createAgent({ model, store, maxSteps: 1, log: 'silent' });
    during.first = () => agent.send('s', 'One more thing.');
    const first = await agent.run('Go', { sessionId: 's' });
    expect(textsOf(first.unread ?? [])).toEqual(['user: One more thing.']);
    const second = await agent.run('Go on', { sessionId: 's' });
    expect(second).not.toHaveProperty('unread');
    expect(textsOf(second.messages)).toEqual(['user: Go on', 'user: One more thing.', 'assistant: Second.']);
    await store.close?.();
  });

  it('is not repeated if the next run gets it as its input', async () => {
    const store = makeStore();
    const { model, during } = answersTwice();
    const agent = await createAgent({ model, store, log: 'silent' });
    during.first = () => agent.send('s', 'Later.', { when: 'after-run' });
    const { unread = [], text } = await agent.run('Go', { sessionId: 's' });
    expect(text).toBe('First.');
    const { messages } = await agent.run(unread, { sessionId: 's' });
    expect(textsOf(messages)).toEqual(['user: Later.', 'assistant: Second.']);
    expect(await sentMessages(store, 's')).toEqual([]);
    await store.close?.();
  });

  it('waits with a run that waits for an answer', async () => {
    const store = makeStore();
    const asking = defineTool({
      name: 'work',
      description: 'Asks.',
      input: { type: 'object' },
      execute: async (_, { interrupt }) =>
        interrupt({ kind: 'question', payload: 1, answer: { type: 'string' } }),
    });
    const model = scriptedModel([work, { text: 'Done.' }]);
    const agent = await createAgent({ model, tools: [asking], store, log: 'silent' });
    const { interrupts, unread } = await agent.run('Go', { sessionId: 's' });
    expect(unread).toBe(undefined);
    await sendMessage(store, 's', 'Hurry.');
    await answerInterrupts(store, 's', { [interrupts[0]?.id ?? '']: 'yes' });
    const { messages } = await agent.resume('s');
    expect(textsOf(messages).slice(2)).toEqual(['tool: yes', 'user: Hurry.', 'assistant: Done.']);
    await store.close?.();
  });

  it('passes the taps on the input first; what they refuse is an error of the run', async () => {
    const store = makeStore();
    const model = scriptedModel([work, { text: 'Done.' }]);
    const during = async (): Promise<void> => {
      await sendMessage(store, 's', 'my secret');
      await sendMessage(store, 's', 'forbidden');
    };
    const guard = definePlugin({
      name: 'guard',
      setup({ hooks }) {
        hooks.beforeAgent.tap({ name: 'guard', input: true }, (messages) => {
          const text = JSON.stringify(messages);
          if (text.includes('forbidden')) throw new ShallotError('LIMIT_REACHED', { message: 'Not this.' });
          // The tap returns what it was given, changed.
          return JSON.parse(text.replaceAll('secret', '[hidden]')) as typeof messages;
        });
      },
    })();
    const agent = await createAgent({
      model,
      tools: [pausing(during)],
      plugins: [guard],
      store,
      log: 'silent',
    });
    const { messages, errors } = await agent.run('Go', { sessionId: 's' });
    expect(textsOf(messages)).toContain('user: my [hidden]');
    expect(textsOf(messages).join()).not.toContain('forbidden');
    expect(errors).toMatchObject([{ code: 'LIMIT_REACHED', plugin: 'guard' }]);
    expect(await sentMessages(store, 's')).toEqual([]);
    await store.close?.();
  });

  it('can be taken back until it is taken', async () => {
    const store = makeStore();
    const model = scriptedModel([work, { text: 'Done.' }]);
    const taken: boolean[] = [];
    const during = async (): Promise<void> => {
      const id = await sendMessage(store, 's', 'No.');
      await sendMessage(store, 's', { role: 'user', content: 'Yes.', id: 'mine' });
      await sendMessage(store, 's', { role: 'user', content: 'Yes.', id: 'mine' });
      taken.push(await unsendMessage(store, 's', id), await unsendMessage(store, 's', id));
    };
    const agent = await createAgent({ model, tools: [pausing(during)], store, log: 'silent' });
    const { messages } = await agent.run('Go', { sessionId: 's' });
    expect(taken).toEqual([true, false]);
    expect(await agent.unsend('s', 'mine')).toBe(false);
    expect(textsOf(messages).filter((text) => text.startsWith('user'))).toEqual(['user: Go', 'user: Yes.']);
    await store.close?.();
  });

  it('is refused where no run can take it', async () => {
    const store = makeStore();
    const agent = await createAgent({ model: scriptedModel([{ text: 'Done.' }]), store, log: 'silent' });
    await expect(agent.send('s', 'Hello')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await agent.run('Go', { sessionId: 's', owner: 'ann' });
    await expect(agent.send('s', 'Hello')).rejects.toMatchObject({ code: 'SESSION_NOT_RUNNING' });
    await expect(agent.send('s', 'Hello', { owner: 'bob' })).rejects.toMatchObject({
      code: 'SESSION_OF_ANOTHER',
    });
    await expect(agent.send('s', '  ')).rejects.toMatchObject({ code: 'MESSAGE_INVALID' });
    await expect(agent.send('s', 'x'.repeat(9_000_000))).rejects.toMatchObject({ code: 'MESSAGE_INVALID' });
    await expect(agent.send('s', { role: 'assistant', content: 'Hello' })).rejects.toMatchObject({
      code: 'MESSAGE_INVALID',
    });
    await store.close?.();
  });

  it('begins a run of its own at a worker', async () => {
    const store = makeStore();
    const { model, during } = answersTwice();
    const agent: Agent = await createAgent({ name: 'a', model, store, log: 'silent' });
    during.first = () => sendMessage(store, 's', 'And then?', { when: 'after-run' });
    await submitRun(store, 's', 'Go', { agent: 'a', settings: { temperature: 0.5 } });
    const stop = new AbortController();
    const working = agent.work({ signal: stop.signal, intervalMs: 20 });
    await expect.poll(async () => (await store.load('s'))?.messages.length, { timeout: 10_000 }).toBe(4);
    stop.abort();
    await working;
    expect(textsOf((await store.load('s'))?.messages ?? [])).toEqual([
      'user: Go',
      'assistant: First.',
      'user: And then?',
      'assistant: Second.',
    ]);
    expect(model.requests[1]?.settings).toMatchObject({ temperature: 0.5 });
    await store.close?.();
  });
});

describe.each(stores)('what a run has left when its worker dies, in a %s store', (_name, makeStore) => {
  it.each([
    ['before', 1],
    ['after', 2],
  ] as const)('is not lost if it dies %s it has submitted the next run', async (_when, ends) => {
    const store = makeStore();
    const { model, during } = answersTwice();
    const dying = dyingAfter(store, ends);
    const first = await createAgent({ name: 'a', model, store: dying.store, log: 'silent' });
    during.first = () => sendMessage(store, 's', 'And then?', { when: 'after-run' });
    await submitRun(store, 's', 'Go', { agent: 'a' });
    const gone = new AbortController();
    void first.work({ signal: gone.signal, intervalMs: 20 });
    await dying.died;
    gone.abort();
    const left = await sentMessages(store, 's');
    expect(textsOf(left)).toEqual(['user: And then?']);
    // The input of the next run has it.
    const isTakenBack = ends === 2 && (await unsendMessage(store, 's', left[0]?.id ?? ''));
    expect(isTakenBack).toBe(false);
    const second = await createAgent({ name: 'a', model, store, log: 'silent' });
    const stop = new AbortController();
    const working = second.work({ signal: stop.signal, intervalMs: 20 });
    await expect.poll(async () => (await store.load('s'))?.messages.length, { timeout: 10_000 }).toBe(4);
    stop.abort();
    await working;
    expect(textsOf((await store.load('s'))?.messages ?? []).slice(2)).toEqual([
      'user: And then?',
      'assistant: Second.',
    ]);
    expect(await sentMessages(store, 's')).toEqual([]);
    await store.close?.();
  });

  it('is no work any more when it is taken back', async () => {
    const store = makeStore();
    const { model, during } = answersTwice();
    const dying = dyingAfter(store, 1);
    const first = await createAgent({ name: 'a', model, store: dying.store, log: 'silent' });
    during.first = () =>
      sendMessage(store, 's', { role: 'user', content: 'No.', id: 'no' }, { when: 'after-run' });
    await submitRun(store, 's', 'Go', { agent: 'a' });
    const gone = new AbortController();
    void first.work({ signal: gone.signal, intervalMs: 20 });
    await dying.died;
    gone.abort();
    const due = async (): Promise<number> => {
      let count = 0;
      for await (const _ of store.list({ resumable: true })) count += 1;
      return count;
    };
    expect(await due()).toBe(1);
    expect(await unsendMessage(store, 's', 'no')).toBe(true);
    const second = await createAgent({ name: 'a', model, store, log: 'silent' });
    const stop = new AbortController();
    const working = second.work({ signal: stop.signal, intervalMs: 20 });
    await expect.poll(due, { timeout: 10_000 }).toBe(0);
    stop.abort();
    await working;
    expect((await store.load('s'))?.messages).toHaveLength(2);
    await store.close?.();
  });
});

/** The store of a process that dies after the commit that ends its run, or after the one that submits the next. */
function dyingAfter(store: Store, last: 1 | 2): { readonly store: Store; readonly died: Promise<void> } {
  const died = Promise.withResolvers<void>();
  let ends = 0;
  const alive = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer;
    return ends < last ? value : new Promise<never>(() => {});
  };
  const commit: Store['commit'] = async (id, revision, change) => {
    const next = store.commit(id, revision, change);
    if (change.run?.status === 'completed' || ends > 0) {
      await next;
      ends += 1;
      if (ends >= last) died.resolve();
    }
    return alive(next);
  };
  const dying: Store = {
    load: (id) => alive(store.load(id)),
    renew: (id, claim) => alive(store.renew(id, claim)),
    requestStop: (id) => alive(store.requestStop(id)),
    list: (filter) => store.list(filter),
    delete: (id) => alive(store.delete(id)),
    inbox: async (id, filter) => alive(Promise.resolve(store.inbox?.(id, filter) ?? [])),
    send: async (id, entry) => alive(Promise.resolve(store.send?.(id, entry) ?? false)),
    unsend: async (id, entry) => alive(Promise.resolve(store.unsend?.(id, entry) ?? false)),
    commit,
  };
  return { store: dying, died: died.promise };
}

it('shows the message in the stream when it is taken', async () => {
  const store = memoryStore();
  const agent = await createAgent({
    model: scriptedModel([work, { text: 'Done.' }]),
    tools: [pausing(() => sendMessage(store, 's', 'Hurry.'))],
    store,
    log: 'silent',
  });
  const { events } = await collectEvents(agent.stream('Go', { sessionId: 's' }));
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'message-taken',
      step: 2,
      message: expect.objectContaining({ role: 'user' }) as unknown,
    }),
  );
});

it('is refused by a store without an inbox', async () => {
  const { send: _send, ...store } = memoryStore();
  await expect(sendMessage(store, 's', 'Hello')).rejects.toMatchObject({ code: 'STORE_FAILED' });
});
