import { expect, onTestFinished, test, vi } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
import { createAgent } from '../create-agent.ts';
import { defineTool, definePlugin, memoryStore, type Agent, type AgentOptions } from '../index.ts';
import { modelError, type ChatModel } from '../model.ts';
import { newClaim, type PublishedEvents, type Queue, type RunRecord, type Store } from '../store.ts';
import {
  answerInterrupts,
  pendingInterrupts,
  followRun,
  resubmitRun,
  sendMessage,
  stopRun,
  submitRun,
  type FollowedEvent,
  type WorkOptions,
} from '../work.ts';

type Script = Parameters<typeof scriptedModel>[0];

/** For what has to happen soon, on a machine that may be busy. */
const patience = { timeout: 15_000 };

/** An agent that works until the test ends. */
async function startWorker<C>(
  store: Store,
  script: Script,
  options: Partial<AgentOptions<C>> = {},
  terms: WorkOptions<C> = {},
): Promise<{ readonly agent: Agent<C>; readonly stop: () => Promise<void> }> {
  const agent = await createAgent<C>({ model: scriptedModel(script), store, log: 'silent', ...options });
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 5, retryPauseMs: 1, signal: stopping.signal, ...terms });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await working;
    await agent.close();
  };
  onTestFinished(stop);
  return { agent, stop };
}

async function seen(store: Store, sessionId: string, after?: string): Promise<FollowedEvent[]> {
  const events: FollowedEvent[] = [];
  const options = after === undefined ? {} : { after };
  for await (const event of followRun(store, sessionId, { intervalMs: 5, ...options })) events.push(event);
  return events;
}

/** Adds the events of the step in progress to a store. `arrives`: when it has them. */
function withPublishing(store: Store, arrives: () => Promise<void> = async () => undefined): Store {
  let published: PublishedEvents[] = [];
  let count = 0;
  return {
    ...store,
    async commit(...args) {
      const revision = await store.commit(...args);
      if (args[2].append !== undefined || args[2].claim === null) published = [];
      return revision;
    },
    async publish(_, events) {
      await arrives();
      count += 1;
      published.push({ ...events, number: count });
    },
    published: async (_, after) => published.filter(({ number }) => number > after),
  };
}

const textOf = (event: FollowedEvent): string =>
  'message' in event
    ? event.message.content.map((part) => (part.type === 'text' ? part.text : part.type)).join()
    : event.type;

const ask = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  execute: async (_, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } }),
});

test('a submitted run is executed by a worker, and followed from its record', async () => {
  const store = memoryStore();
  const runId = await submitRun(store, 's', 'Add up.', {
    settings: { temperature: 0.5 },
    metadata: { user: 'ann' },
  });
  const model = scriptedModel([{ text: 'Done.' }]);
  const starts: unknown[] = [];
  await startWorker(
    store,
    [],
    { model },
    { onEvent: (_, event) => void (event.type === 'run-start' && starts.push(event)) },
  );
  const events = await seen(store, 's');
  expect(events.map(textOf)).toEqual(['Add up.', 'Done.', 'run-end']);
  expect(events.at(-1)).toMatchObject({ type: 'run-end', runId, outcome: 'completed', stopReason: 'answer' });
  expect(model.requests[0]?.settings).toMatchObject({ temperature: 0.5 });
  expect(starts).toMatchObject([{ runId, sessionId: 's', resumed: false }]);
});

test('the context of a run is made from what was submitted with it', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Hello', { metadata: { user: 'ann' } });
  const told: unknown[] = [];
  const teller = definePlugin({
    name: 'teller',
    beforeAgent(run) {
      told.push(run.context, run.resumed);
    },
  });
  await startWorker(
    store,
    [{ text: 'Hi' }],
    { plugins: [teller()] },
    {
      context: async (sessionId, { user }) => ({ sessionId, user }),
    },
  );
  await seen(store, 's');
  expect(told).toEqual([{ sessionId: 's', user: 'ann' }, false]);
});

test('a question ends the following; an answer wakes a worker', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Pay');
  await startWorker(store, [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Paid.' }], { tools: [ask] });
  const events = await seen(store, 's');
  expect(events.map(({ type }) => type)).toEqual(['message', 'message', 'interrupt', 'run-end']);
  const asked = events.find((event) => event.type === 'interrupt');
  const last = events.findLast((event) => event.type === 'message');
  await answerInterrupts(store, 's', { [asked?.interrupt.id ?? '']: 'yes' });
  const rest = await seen(store, 's', last?.message.id);
  expect(rest.map(textOf)).toEqual(['yes', 'Paid.', 'run-end']);
});

test('a question that a failed run leaves open is shown to its followers', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Pay');
  const failing = definePlugin({
    name: 'failing',
    wrapToolCall(call, next) {
      if (call.id === 'second') throw new Error('broken');
      return next(call);
    },
  });
  const calls = ['first', 'second'].map((id) => ({ name: 'pay', id }));
  await startWorker(store, [{ toolCalls: calls }], { tools: [ask], plugins: [failing()] });
  expect((await seen(store, 's')).slice(-2)).toMatchObject([
    { type: 'interrupt', interrupt: { call: { id: 'first' } } },
    { type: 'run-end', outcome: 'failed', stopReason: 'error' },
  ]);
});

test('messages of a run that continues in another store have ids of their own', async () => {
  const [store, other] = [memoryStore(), memoryStore()];
  await submitRun(store, 's', 'Pay');
  await startWorker(store, [{ toolCalls: [{ name: 'pay', args: {} }] }], { tools: [ask] });
  const question = (await seen(store, 's')).find((event) => event.type === 'interrupt');
  const { messages, journal, run } = (await store.load('s')) ?? {};
  if (messages === undefined || journal === undefined || run === undefined) throw new Error('It is lost.');
  await other.commit('s', 0, { append: messages, journal, run });
  const { agent } = await startWorker(other, [{ text: 'Paid.' }], { tools: [ask] });
  await answerInterrupts(other, 's', { [question?.interrupt.id ?? '']: 'yes' });
  await seen(other, 's');
  const ids = (await agent.session('s'))?.messages.map(({ id }) => id) ?? [];
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(4);
});

test('an answer given while its step is in progress is used by its worker', async () => {
  const store = memoryStore();
  const [started, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = defineTool({
    name: 'slow',
    description: 'Takes its time.',
    input: { type: 'object' },
    execute: () => (started.resolve(), release.promise.then(() => 'slow')),
  });
  await submitRun(store, 's', 'Pay');
  await startWorker(store, [{ toolCalls: [{ name: 'pay' }, { name: 'slow' }] }, { text: 'Paid.' }], {
    tools: [ask, slow],
  });
  await started.promise;
  const [asked] = await vi.waitUntil(async () => {
    const pending = await pendingInterrupts(store, 's');
    return pending.length > 0 && pending;
  }, patience);
  await answerInterrupts(store, 's', { [asked?.id ?? '']: 'yes' });
  release.resolve();
  const last = (await seen(store, 's')).at(-1);
  expect(last).toMatchObject({ type: 'run-end', outcome: 'completed' });
});

test('a run that was stopped or parked is left to workers again by whoever has the store', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Hello');
  await stopRun(store, 's');
  await resubmitRun(store, 's');
  const busy = { error: modelError('MODEL_OVERLOADED', { message: 'busy', transient: true }) };
  await startWorker(store, [busy, busy, busy, { text: 'Hi' }]);
  expect((await seen(store, 's')).at(-1)).toMatchObject({ failure: { code: 'RUN_STUCK' } });
  await resubmitRun(store, 's');
  expect((await seen(store, 's')).map(textOf)).toEqual(['Hello', 'Hi', 'run-end']);
  await expect(resubmitRun(store, 's')).rejects.toMatchObject({ code: 'SESSION_NOT_RESUMABLE' });
  await expect(resubmitRun(store, 'other')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test('a run with an open question is not left to workers', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Pay');
  await startWorker(store, [{ toolCalls: [{ name: 'pay', args: {} }] }], { tools: [ask] });
  await seen(store, 's');
  await expect(resubmitRun(store, 's')).rejects.toMatchObject({ code: 'SESSION_INTERRUPTED' });
});

test('a submitted run that failed for a transient reason is tried again', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Hello');
  const busy = { error: modelError('MODEL_OVERLOADED', { message: 'busy', transient: true }) };
  await startWorker(store, [busy, busy, { text: 'Hi' }]);
  expect((await seen(store, 's')).map(textOf)).toEqual(['Hello', 'Hi', 'run-end']);
  expect((await store.load('s'))?.run?.attempts).toBeUndefined();
});

test('one that fails for good is not', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Hello');
  await startWorker(store, [{ error: modelError('MODEL_AUTH', { message: 'no key', transient: false }) }]);
  const end = (await seen(store, 's')).at(-1);
  expect(end).toMatchObject({ outcome: 'failed', failure: { code: 'MODEL_AUTH' } });
});

test('a run that three attempts in a row brought no further is parked, until somebody resumes it', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Hello');
  const busy = { error: modelError('MODEL_OVERLOADED', { message: 'busy', transient: true }) };
  const { stop } = await startWorker(store, [busy, busy, busy]);
  const end = (await seen(store, 's')).at(-1);
  expect(end).toMatchObject({ outcome: 'failed', failure: { code: 'RUN_STUCK' } });
  const parked: string[] = [];
  for await (const { id } of store.list({ status: 'parked' })) parked.push(id);
  expect(parked).toEqual(['s']);
  await stop();

  await using agent = await createAgent({ model: scriptedModel([{ text: 'Hi' }]), store });
  expect((await agent.resume('s')).text).toBe('Hi');
  expect((await store.load('s'))?.run?.parked).toBeUndefined();
});

/** A store whose process dies with the first commit of a run: it leaves its claim, and nothing else. */
function dyingWith(store: Store): Store {
  return {
    ...store,
    commit: async (id, revision, change) =>
      change.claim
        ? store.commit(id, revision, { ...change, claim: { ...change.claim, host: 'gone', expiresAt: 1 } })
        : new Promise(() => {}),
  };
}

/** Lets a worker die at the first step of a session, so many times. */
async function dieAt(store: Store, sessionId: string, times: number): Promise<void> {
  for (let life = 0; life < times; life += 1) {
    const { run, revision = 0 } = (await store.load(sessionId)) ?? {};
    const { attempts, ...rest } = run as RunRecord;
    const due = attempts === undefined ? rest : { ...rest, attempts: { ...attempts, notBefore: 0 } };
    await store.commit(sessionId, revision, { run: due, claim: null });
    const agent = await createAgent({
      model: scriptedModel([{ text: 'Hi' }]),
      store: dyingWith(store),
      log: 'silent',
      closeTimeoutMs: 1,
    });
    const stopping = new AbortController();
    void agent.work({ intervalMs: 5, retryPauseMs: 1, signal: stopping.signal }).catch(() => undefined);
    await vi.waitFor(
      async () => expect((await store.load(sessionId))?.run?.attempts?.deaths).toBe(life + 1),
      patience,
    );
    stopping.abort();
    await agent.close().catch(() => undefined);
  }
  const { run, revision = 0 } = (await store.load(sessionId)) ?? {};
  const { attempts = { count: 0 }, ...rest } = run as RunRecord;
  await store.commit(sessionId, revision, {
    run: { ...rest, attempts: { ...attempts, notBefore: 0 } },
    claim: null,
  });
}

test('a run that kills its worker is parked after ten of them', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Hello');
  await dieAt(store, 's', 10);
  await startWorker(store, []);
  await vi.waitFor(
    async () => expect((await store.load('s'))?.run).toMatchObject({ parked: true }),
    patience,
  );
  expect((await store.load('s'))?.run?.failure).toMatchObject({
    code: 'RUN_STUCK',
    message: expect.stringContaining('in 10 of these cases the process died') as string,
  });
});

test('a run whose workers were killed by others goes on, and its failures are counted apart', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Hello');
  await dieAt(store, 's', 3);
  const busy = { error: modelError('MODEL_OVERLOADED', { message: 'busy', transient: true }) };
  await startWorker(store, [busy, busy, { text: 'Hi' }]);
  expect((await seen(store, 's')).map(textOf)).toEqual(['Hello', 'Hi', 'run-end']);
});

test('runs that died together twice are tried one at a time, until they reach another step', async () => {
  const store = memoryStore();
  const ids = ['a', 'b'];
  for (const id of ids) {
    await submitRun(store, id, id);
    await dieAt(store, id, 2);
  }
  let here = 0;
  const beside: number[] = [];
  const model: ChatModel = {
    id: 'test/slow',
    async generate() {
      beside.push(here);
      here += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      here -= 1;
      return { message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }, finish: 'stop' };
    },
  };
  await startWorker(store, [], { model });
  for (const id of ids)
    await vi.waitFor(async () => expect((await store.load(id))?.run?.status).toBe('completed'), patience);
  expect(beside).toEqual([0, 0]);
});

test('a context that throws is an attempt, too', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Hello');
  await startWorker(
    store,
    [],
    {},
    {
      context: () => {
        throw new Error('no such user: password=hunter2-hunter2');
      },
    },
  );
  const end = (await seen(store, 's')).at(-1);
  expect(end).toMatchObject({
    outcome: 'failed',
    failure: {
      code: 'CONTEXT_FAILED',
      message:
        'The function `context` of the worker failed; fix it, then resume the session. It threw: no such user: password=[redacted]',
    },
  });
});

test('a run whose plugins a worker lacks is left to another worker, with a warning', async () => {
  const store = memoryStore();
  const asking = definePlugin({
    name: 'asking',
    version: '2.0.0',
    api: '^1.0.0',
    async beforeModel(_, run) {
      await run.interrupt({ kind: 'question', payload: 'Go?', answer: { type: 'string' } });
    },
  });
  await using agent = await createAgent({ model: scriptedModel([]), store, plugins: [asking()] });
  const { interrupts } = await agent.run('Hello', { sessionId: 's' });
  await answerInterrupts(store, 's', { [interrupts[0]?.id ?? '']: 'yes' });

  const lines: string[] = [];
  const logStream = { write: (line: string) => void lines.push(line) };
  await startWorker(store, [], { log: 'warn', logStream }, { warnAfterMs: 1 });
  await vi.waitFor(() => expect(lines.join('')).toContain('WORK_LEFT'), patience);
  expect((await store.load('s'))?.run?.status).toBe('interrupted');

  await startWorker(store, [{ text: 'Hi' }], { plugins: [asking()] });
  expect((await seen(store, 's')).map(textOf)).toEqual(['Hello', 'Hi', 'run-end']);
});

test('a worker whose queue cannot be listened to fails, and takes nothing', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Go');
  await using agent = await createAgent({ model: scriptedModel([{ text: 'Hi' }]), store, log: 'silent' });
  const queue: Queue = {
    wake: () => Promise.resolve(),
    listen: () => Promise.reject(new Error('no database')),
  };
  await expect(agent.work({ queue, intervalMs: 1 })).rejects.toThrow('no database');
  // As many turns as a forgotten timer would need to take the run.
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 2));
  expect((await store.load('s'))?.messages).toEqual([]);
});

test('a worker that stops hands its run back after the step, and another one continues', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Go');
  const [started, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let executions = 0;
  const slow = defineTool({
    name: 'slow',
    description: 'Takes its time.',
    input: { type: 'object' },
    async execute() {
      executions += 1;
      started.resolve();
      await release.promise;
      return 'done';
    },
  });
  const first = await startWorker(store, [{ toolCalls: [{ name: 'slow', args: {} }] }], { tools: [slow] });
  await started.promise;
  const stopped = first.stop();
  release.resolve();
  await stopped;
  const record = await store.load('s');
  expect(record).toMatchObject({ run: { status: 'running', step: 1 } });
  expect(record?.claim).toBeUndefined();
  await startWorker(store, [{ text: 'Over.' }], { tools: [slow] });
  expect((await seen(store, 's')).map(textOf)).toEqual(['Go', 'tool-call', 'done', 'Over.', 'run-end']);
  expect(executions).toBe(1);
});

test('a worker that stops hands its run back at once, also while it looks for work', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Go');
  const [looking, looked, release] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  const script = Array.from({ length: 50 }, () => ({ toolCalls: [{ name: 'look', args: {} }] }));
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    async execute() {
      await release.promise;
      return 'nothing';
    },
  });
  const slowly: Store = {
    ...store,
    async *list(options) {
      if ((await store.load('s'))?.claim === undefined) yield* store.list(options);
      else {
        looking.resolve();
        await looked.promise;
      }
    },
  };
  const worker = await startWorker(slowly, script, { tools: [look] });
  await looking.promise;
  const stopped = worker.stop();
  release.resolve();
  await vi.waitFor(async () => expect((await store.load('s'))?.claim).toBeUndefined(), patience);
  expect((await store.load('s'))?.run).toMatchObject({ status: 'running', step: 1 });
  looked.resolve();
  await stopped;
});

test('a worker whose tool does not end in time hands its run back all the same', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Go');
  const started = Promise.withResolvers<void>();
  const hanging = defineTool({
    name: 'hang',
    description: 'Never ends.',
    effect: 'read',
    input: { type: 'object' },
    execute: () => (started.resolve(), new Promise<string>(() => {})),
  });
  const script: Script = [{ toolCalls: [{ name: 'hang', args: {} }] }];
  const { stop } = await startWorker(store, script, { tools: [hanging] }, { stopTimeoutMs: 1 });
  await started.promise;
  await stop();
  expect((await store.load('s'))?.run).toMatchObject({ status: 'running', position: { at: 'tools' } });
});

test('a session for which a worker has no room goes back to the queue', async () => {
  const store = memoryStore();
  const [started, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const listening = Promise.withResolvers<(sessionId: string) => Promise<number | undefined>>();
  const queue: Queue = {
    wake: async () => undefined,
    async listen(handler) {
      listening.resolve(handler);
      return async () => undefined;
    },
  };
  const model: ChatModel = {
    id: 'test/waiting',
    async generate() {
      started.resolve();
      await release.promise;
      return { message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }, finish: 'stop' };
    },
  };
  await submitRun(store, 'taken', 'Go');
  const { stop } = await startWorker(store, [], { model }, { concurrency: 1, queue });
  await started.promise;
  await submitRun(store, 'left', 'Go');
  const again = (await listening.promise)('left');
  const stopped = stop();
  expect(await again).toBeLessThanOrEqual(Date.now());
  release.resolve();
  await stopped;
  expect((await store.load('left'))?.run).toMatchObject({ status: 'running', position: { at: 'input' } });
});

test('a queue does not wait for the run of the session that it named', async () => {
  const store = memoryStore();
  const [started, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const listening = Promise.withResolvers<(sessionId: string) => Promise<number | undefined>>();
  const wake = vi.fn<Queue['wake']>(async () => undefined);
  const queue: Queue = {
    wake,
    async listen(handler) {
      listening.resolve(handler);
      return async () => undefined;
    },
  };
  const model: ChatModel = {
    id: 'test/waiting',
    async generate() {
      started.resolve();
      await release.promise;
      return { message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }, finish: 'stop' };
    },
  };
  await startWorker(store, [], { model }, { queue, intervalMs: 60_000 });
  const name = await listening.promise;
  await submitRun(store, 'taken', 'Go');
  expect(await name('taken')).toBeUndefined();
  await started.promise;
  release.resolve();
  // A session that another process holds is named again when its claim expires.
  await submitRun(store, 'held', 'Go');
  const claim = { ...newClaim('other', 60_000), host: 'elsewhere' };
  await store.commit('held', (await store.load('held'))?.revision ?? 0, { claim });
  expect(await name('held')).toBe(claim.expiresAt);
  expect(wake).not.toHaveBeenCalled();
});

test('a queue names a session again that another process has claimed after the worker had read it', async () => {
  const store = memoryStore();
  const listening = Promise.withResolvers<(sessionId: string) => Promise<number | undefined>>();
  const wake = vi.fn<Queue['wake']>(async () => undefined);
  const queue: Queue = {
    wake,
    async listen(handler) {
      listening.resolve(handler);
      return async () => undefined;
    },
  };
  const claim = { ...newClaim('other', 60_000), host: 'elsewhere' };
  // The other process claims it once the worker has loaded it to resume it.
  const load: Store['load'] = async (sessionId) => {
    const record = await store.load(sessionId);
    if (record !== undefined && record.claim === undefined)
      await store.commit(sessionId, record.revision, { claim });
    return record;
  };
  await startWorker({ ...store, load }, [], {}, { queue, intervalMs: 60_000 });
  const name = await listening.promise;
  await submitRun(store, 's', 'Go');
  expect(await name('s')).toBeUndefined();
  await vi.waitFor(() => expect(wake).toHaveBeenCalledWith('s', { at: claim.expiresAt }), patience);
});

test('a session that a queue names after its run is over is not loaded, unless messages wait in it', async () => {
  const store = memoryStore();
  const listening = Promise.withResolvers<(sessionId: string) => Promise<number | undefined>>();
  const queue: Queue = {
    wake: async () => undefined,
    async listen(handler) {
      listening.resolve(handler);
      return async () => undefined;
    },
  };
  await submitRun(store, 's', 'Go');
  await startWorker(store, [{ text: 'Hi' }, { text: 'Again' }], {}, { queue, intervalMs: 60_000 });
  const name = await listening.promise;
  await seen(store, 's');
  const load = vi.spyOn(store, 'load');
  expect(await name('s')).toBeUndefined();
  expect(load).not.toHaveBeenCalled();
  const running = { status: 'running' as const };
  const { run, revision = 0 } = (await store.load('s')) ?? {};
  if (run === undefined) throw new Error('The session has no run.');
  const late = await store.commit('s', revision, {
    run: { ...run, ...running },
    claim: newClaim('x', 60_000),
  });
  await sendMessage(store, 's', 'One more thing');
  await store.commit('s', late, { run, claim: null });
  await name('s');
  await vi.waitFor(
    async () => expect(await store.load('s')).toMatchObject({ messages: { length: 4 } }),
    patience,
  );
});

test('of several workers one executes each run', async () => {
  const store = memoryStore();
  const ids = Array.from({ length: 30 }, (_, index) => `s${index}`);
  for (const id of ids) await submitRun(store, id, 'Hello');
  const taken: string[] = [];
  const model = (): AgentOptions['model'] => scriptedModel(ids.map(() => ({ text: 'Hi' })));
  for (let n = 0; n < 3; n += 1)
    await startWorker(
      store,
      [],
      { model: model() },
      {
        concurrency: 4,
        onEvent: (sessionId, { type }) => void (type === 'run-start' && taken.push(sessionId)),
      },
    );
  await Promise.all(ids.map((id) => seen(store, id)));
  expect(taken.toSorted()).toEqual(ids.toSorted());
});

test('a run that waits for a worker can be stopped', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Hello');
  expect(await stopRun(store, 's')).toBe(true);
  expect((await seen(store, 's')).at(-1)).toMatchObject({ outcome: 'aborted' });
  expect(await stopRun(store, 's')).toBe(false);
  expect(await stopRun(store, 'other')).toBe(false);
});

test('a run whose questions are answered can be stopped before a worker takes it', async () => {
  const store = memoryStore();
  const asking = defineTool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object' },
    execute: async (_, { interrupt }) =>
      interrupt({ kind: 'question', payload: 1, answer: { type: 'string' } }),
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'ask' }] }, { text: 'Done.' }]);
  const agent = await createAgent({ model, tools: [asking], store, log: 'silent' });
  const { interrupts } = await agent.run('Hello', { sessionId: 's' });
  await answerInterrupts(store, 's', { [interrupts[0]?.id ?? '']: 'yes' });
  expect(await stopRun(store, 's')).toBe(true);
  expect((await store.load('s'))?.run).toMatchObject({ status: 'aborted' });
  expect(await agent.resume('s')).toMatchObject({ text: 'Done.' });
});

test('a run is submitted under the conditions of any run', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Hello');
  await expect(submitRun(store, 's', 'Again')).rejects.toMatchObject({
    code: 'SESSION_UNFINISHED',
    message: expect.stringContaining('has not ended') as string,
  });
  await submitRun(store, 's', 'Again', { abandon: true });
  await startWorker(store, [{ text: 'Hi' }]);
  expect((await seen(store, 's')).map(textOf)).toEqual(['Again', 'Hi', 'run-end']);
  await expect(submitRun(store, '', 'Hello')).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  const wrong: object = { metdata: {}, settings: { temperature: 'hot' } };
  await expect(submitRun(store, 't', 'Hello', wrong)).rejects.toThrow(/"metdata".*"settings.temperature"/s);
  await expect(seen(store, 'nowhere')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test('the deltas of a streamed run reach its followers, and are dropped with the step', async () => {
  const store = withPublishing(memoryStore());
  await submitRun(store, 's', 'Hello', { stream: true });
  const release = Promise.withResolvers<void>();
  const model: ChatModel = {
    id: 'test/slow',
    async generate(_, { emit }) {
      for (const text of ['Good ', 'morning']) void emit({ type: 'text-delta', index: 0, text });
      await release.promise;
      return {
        message: { role: 'assistant', content: [{ type: 'text', text: 'Good morning' }] },
        finish: 'stop',
      };
    },
  };
  await startWorker(store, [], { model });
  const events: FollowedEvent[] = [];
  for await (const event of followRun(store, 's', { intervalMs: 5 })) {
    events.push(event);
    if (event.type === 'live' && event.event.type === 'text-delta') release.resolve();
  }
  const live = events.flatMap((event) => (event.type === 'live' ? [event.event] : []));
  expect(live.map(({ type }) => type)).toEqual(['step-start', 'text-delta']);
  expect(events.filter(({ type }) => type !== 'live').map(textOf)).toEqual([
    'Hello',
    'Good morning',
    'run-end',
  ]);
});

test('deltas that arrive after their message are not shown', async () => {
  const told = Promise.withResolvers<void>();
  const store = withPublishing(memoryStore(), () => told.promise);
  await submitRun(store, 's', 'Hello', { stream: true });
  const [asked, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { publish } = store;
  const telling: Store = {
    ...store,
    async publish(sessionId, events) {
      if (events.phase === 'model' && events.step === 1) asked.resolve();
      await publish?.(sessionId, events);
      arrived.resolve();
    },
  };
  const model: ChatModel = {
    id: 'test/slow',
    async generate({ messages }, { emit }) {
      if (messages.length > 1) return { message: textAnswer('Done'), finish: 'stop' };
      void emit({ type: 'text-delta', index: 0, text: 'One moment' });
      await asked.promise;
      const call = { type: 'tool-call', id: 'c', name: 'wait', input: {} } as const;
      return { message: { ...textAnswer('One moment'), content: [call] }, finish: 'tool-calls' };
    },
  };
  const wait = defineTool({
    name: 'wait',
    description: 'Waits until the deltas have arrived and been read.',
    input: { type: 'object' },
    async execute(_, { progress }) {
      told.resolve();
      await arrived.promise;
      void progress('late');
      await vi.waitUntil(() => events.some((event) => event.type === 'live'), patience);
      return 'ok';
    },
  });
  const events: FollowedEvent[] = [];
  await startWorker(telling, [], { model, tools: [wait] });
  for await (const event of followRun(store, 's', { intervalMs: 5 })) events.push(event);
  const live = events.flatMap((event) => (event.type === 'live' ? [event.event.type] : []));
  expect(live).not.toContain('text-delta');
  expect(live).toContain('tool-progress');
});

const textAnswer = (text: string): { role: 'assistant'; content: { type: 'text'; text: string }[] } => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
});

test('a run that was to be stopped is aborted once its worker has died', async () => {
  for (const isNamed of [false, true]) {
    const store = memoryStore();
    await submitRun(store, 's', 'Go');
    const { run: submitted } = (await store.load('s')) ?? {};
    const dying = { ...newClaim('dead', 60_000), host: 'elsewhere', expiresAt: Date.now() + 30 };
    await store.commit('s', 1, { ...(submitted && { run: submitted }), claim: dying });
    expect(await stopRun(store, 's')).toBe(true);
    const model = vi.fn<ChatModel['generate']>();
    const queue: Queue = {
      wake: async () => undefined,
      async listen(named) {
        await vi.waitUntil(async () => (await named('s')) === undefined, patience);
        return async () => undefined;
      },
    };
    const named = isNamed ? { queue, intervalMs: 60_000 } : {};
    await startWorker(store, [], { model: { id: 'test/none', generate: model } }, named);
    expect((await seen(store, 's')).at(-1)).toMatchObject({ type: 'run-end', outcome: 'aborted' });
    expect(model).not.toHaveBeenCalled();
  }
});
