import { getEventListeners } from 'node:events';
import { setImmediate as tick } from 'node:timers/promises';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { collectEvents } from '../../testing/src/collect-events.ts';
import { scriptedModel, type ScriptedStep } from '../../testing/src/scripted-model.ts';
import { beside, childrenOf, delegate, doing } from '../test/children.ts';
import { replacing, tapped } from '../test/input-taps.ts';
import { AgentRuns } from './agent-runs.ts';
import type { Agent } from './agent.ts';
import { noOptions, partsOf } from './check-options.ts';
import type { AgentOptions } from './contract/agent-options.ts';
import { definePlugin } from './contract/define-plugin.ts';
import type { SessionChange, Store } from './contract/store.ts';
import { defineTool } from './contract/tool.ts';
import type { InboxNews } from './contract/work/inbox.ts';
import { createAgent } from './create-agent.ts';
import { createLogger } from './log/create-logger.ts';
import { createRedactor } from './redact/redactor.ts';
import { Closing } from './run/parts/closing.ts';
import { sharedSessions } from './sessions/live/session-cache.ts';
import { memoryStore } from './sessions/stores/memory-store.ts';

async function agentWith(options: Partial<AgentOptions> = {}): Promise<Agent> {
  const agent = await createAgent({ model: scriptedModel([]), log: 'silent', ...options });
  onTestFinished(() => agent.close().catch(() => undefined));
  return agent;
}

/** A step of a model that waits until it is let go, or for good. */
function waitingStep(then: ScriptedStep = { text: 'At last.' }) {
  const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const step = async (): Promise<ScriptedStep> => {
    asked.resolve();
    await gate.promise;
    return then;
  };
  return { step, asked: asked.promise, goOn: gate.resolve };
}

/** A store that other processes could open, whose sessions are cached. */
function sharedStore(over: (inner: Store) => Partial<Store> = () => ({})): Store {
  const { isLocal: _, ...inner } = memoryStore();
  return { ...inner, ...over(inner) };
}

function fakeTimers(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  });
  onTestFinished(() => void vi.useRealTimers());
}

function timersThatKeepAlive(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}

it('a plugin that fails to delete its part of a session is in the log', async () => {
  const lines: unknown[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger('warn', { redactor: createRedactor({ environment: false }), stream });
  const thrower = definePlugin({
    name: 'thrower',
    setup: ({ onDeleteSession }) =>
      onDeleteSession(() => {
        throw new Error('no network');
      }),
  });
  const options = {
    model: scriptedModel([{ text: 'Hi.' }]),
    store: memoryStore(),
    plugins: [thrower()],
    log,
  };
  await using agent = await createAgent(options);
  await agent.run('hello', { sessionId: 'ada' });
  await agent.deleteSession('ada');
  expect(lines).toMatchObject([
    { msg: 'a part of a deleted session stays', sessionId: 'ada', plugin: 'thrower' },
  ]);
});

describe('a run', () => {
  it('with an option that nobody knows is refused, however it is begun', async () => {
    const agent = await agentWith();
    const wrong = { session: 's' } as object;
    for (const refused of [
      agent.run('Hello', wrong),
      agent.resume('s', {}, wrong),
      agent.stream('Hello', wrong).result,
      agent.streamResume('s', {}, wrong).result,
    ])
      await expect(refused).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('has its session for itself, and leaves it to the next one', async () => {
    const { step, asked, goOn } = waitingStep();
    const agent = await agentWith({ model: scriptedModel([step, { text: 'Next.' }]) });
    const running = agent.run('1', { sessionId: 's' });
    await asked;
    const busy = {
      code: 'SESSION_BUSY',
      transient: true,
      message: 'Session "s" already has a run in progress. Await it, or use another session.',
    };
    await expect(agent.run('2', { sessionId: 's' })).rejects.toMatchObject(busy);
    await expect(agent.deleteSession('s')).rejects.toMatchObject(busy);
    goOn();
    expect((await running).text).toBe('At last.');
    expect((await agent.run('3', { sessionId: 's' })).text).toBe('Next.');
  });

  it('ends when its signal is aborted, and lets go of a signal that is not', async () => {
    const { step, asked } = waitingStep();
    const agent = await agentWith({ model: scriptedModel([{ text: 'Hi.' }, step]) });
    const controller = new AbortController();
    const { signal } = controller;
    expect((await agent.run('1', { signal })).text).toBe('Hi.');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const running = agent.run('2', { signal });
    await asked;
    controller.abort(new Error('enough'));
    await expect(running).rejects.toMatchObject({ code: 'RUN_ABORTED', result: { outcome: 'aborted' } });
  });

  it('keeps the process alive until it is over', async () => {
    const { step, asked, goOn } = waitingStep();
    const agent = await agentWith({
      model: scriptedModel([step]),
      modelIdleMs: Infinity,
      modelTimeoutMs: Infinity,
    });
    const before = timersThatKeepAlive();
    const running = agent.run('Hello');
    await asked;
    expect(timersThatKeepAlive()).toBeGreaterThan(before);
    goOn();
    await running;
    expect(timersThatKeepAlive()).toBe(before);
  });

  it('renews its claim until it is over', async () => {
    fakeTimers();
    const { step, asked, goOn } = waitingStep();
    const renewed: string[] = [];
    const store = sharedStore((inner) => ({
      renew(id, claim) {
        renewed.push(id);
        return inner.renew(id, claim);
      },
    }));
    const unlimited = { modelIdleMs: Infinity, modelTimeoutMs: Infinity };
    const agent = await agentWith({ model: scriptedModel([step]), store, claimMs: 3000, ...unlimited });
    const running = agent.run('Hello', { sessionId: 's' });
    await asked;
    await vi.advanceTimersByTimeAsync(2000);
    expect(renewed).toEqual(['s', 's']);
    goOn();
    await running;
    await vi.advanceTimersByTimeAsync(3000);
    expect(renewed).toEqual(['s', 's']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('hears what the store has to tell it, until it is over', async () => {
    const { step, asked, goOn } = waitingStep({ toolCalls: [{ name: 'look' }] });
    const listeners = new Map<string, (news: InboxNews) => void>();
    const store = sharedStore(() => ({
      watchInbox(id, listener) {
        listeners.set(id, listener);
        return () => void listeners.delete(id);
      },
    }));
    const look = defineTool({
      name: 'look',
      description: 'L.',
      input: { type: 'object' },
      execute: () => 'tea',
    });
    const agent = await agentWith({ model: scriptedModel([step]), tools: [look], store, name: 'a' });
    const running = agent.run('Hello', { sessionId: 's' });
    await asked;
    await store.requestStop('s');
    listeners.get('s')?.('stop');
    await tick();
    goOn();
    await expect(running).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    expect(listeners.size).toBe(0);
  });

  it('warns of plugins whose state it finds, and that are gone', async () => {
    const store = memoryStore();
    await store.commit('s', 0, { state: { limits: { runs: { version: 1, value: 1 } } } });
    const agent = await agentWith({ store, model: scriptedModel([{ text: 'Hi.' }]) });
    const { events } = await collectEvents(agent.stream('Hello', { sessionId: 's' }));
    expect(events).toContainEqual(expect.objectContaining({ code: 'PLUGIN_GONE', plugin: 'limits' }));
  });

  it('is surrounded by its plugins, and begins and ends on the stream', async () => {
    const order: string[] = [];
    const around = definePlugin({
      name: 'around',
      setup: ({ aroundRun }) =>
        aroundRun(async (_, next) => {
          order.push('before');
          const result = await next();
          order.push('after');
          return result;
        }),
    })();
    const agent = await agentWith({ plugins: [around], model: scriptedModel([{ text: 'Hi.' }]) });
    const { events } = await collectEvents(agent.stream('Hello', { sessionId: 's' }));
    expect(order).toEqual(['before', 'after']);
    expect(events[0]).toEqual({
      type: 'run-start',
      runId: expect.any(String) as string,
      sessionId: 's',
      resumed: false,
    });
    expect(events.at(-1)).toMatchObject({ type: 'run-end', result: { text: 'Hi.' } });
  });

  it('finds its session as the run before left it, without loading it', async () => {
    let loads = 0;
    const store = sharedStore((inner) => ({
      load(id) {
        loads += 1;
        return inner.load(id);
      },
    }));
    const agent = await agentWith({ store, model: scriptedModel([{ text: '1.' }, { text: '2.' }]) });
    await agent.run('a', { sessionId: 's' });
    const before = loads;
    await agent.run('b', { sessionId: 's' });
    expect(loads).toBe(before);
    expect((await agent.session('s'))?.messages).toHaveLength(4);
  });

  it('whose store does not answer is left by an abort, and ends when the store does', async () => {
    fakeTimers();
    const [gate, loading] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const store = sharedStore((inner) => ({
      async commit(...args) {
        loading.resolve();
        await gate.promise;
        return inner.commit(...args);
      },
    }));
    const agent = await agentWith({ store, model: scriptedModel([{ text: 'Late.' }]) });
    const controller = new AbortController();
    const running = agent.run('Hello', { sessionId: 's', signal: controller.signal });
    const settled = running.catch((error: unknown) => error);
    await loading.promise;
    controller.abort();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await settled).toMatchObject({
      code: 'RUN_ABORTED',
      message: expect.stringContaining('The store has not answered for session "s".') as string,
    });
    await expect(agent.run('Again', { sessionId: 's' })).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    gate.resolve();
    await vi.waitFor(async () => expect(await store.load('s')).toMatchObject({ run: { status: 'aborted' } }));
    await vi.waitFor(async () => expect((await agent.resume('s')).text).toBe('Late.'));
  });
});

describe('a child run', () => {
  it('is executed by the agent of its parent, one after another in one session too', async () => {
    const store = memoryStore();
    const model = doing('root', ['delegate', { to: 'reader' }], ['delegate', { to: 'writer' }]);
    const agents = { reader: { model: doing('reader') }, writer: { model: doing('writer') } };
    const agent = await agentWith({ model, tools: [delegate(agents)], store });
    const { messages } = await agent.run('Go', { sessionId: 's' });
    expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { content: [{ text: 'reader is done.' }] },
      { content: [{ text: 'writer is done.' }] },
    ]);
    expect(await childrenOf(store, 's')).toHaveLength(2);
  });

  it('in the background is stored before its call returns, and executed', async () => {
    const store = memoryStore();
    const model = doing('root', ['begin', { to: 'reader' }]);
    const agent = await agentWith({ model, tools: [beside({ reader: { model: doing('reader') } })], store });
    await agent.run('Go', { sessionId: 's' });
    const [child = ''] = await childrenOf(store, 's');
    expect(await store.load(child)).toMatchObject({
      messages: [
        { content: [{ text: 'Do the work of reader.' }] },
        { content: [{ text: 'reader is done.' }] },
      ],
      run: { status: 'completed' },
    });
  });

  it('that fails makes its call fail', async () => {
    const model = doing('root', ['delegate', { to: 'reader' }]);
    const reader = { model: scriptedModel([{ error: new Error('no key') }]) };
    const agent = await agentWith({ model, tools: [delegate({ reader })] });
    const { messages } = await agent.run('Go', { sessionId: 's' });
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({ isError: true });
  });

  it('ends with its parent', async () => {
    const { step, asked } = waitingStep();
    const store = memoryStore();
    const model = doing('root', ['delegate', { to: 'reader' }]);
    const agent = await agentWith({
      model,
      tools: [delegate({ reader: { model: scriptedModel([step]) } })],
      store,
    });
    const controller = new AbortController();
    const running = agent.run('Go', { sessionId: 's', signal: controller.signal });
    await asked;
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    const [child = ''] = await childrenOf(store, 's');
    await vi.waitFor(async () =>
      expect(await store.load(child)).toMatchObject({ run: { status: 'aborted' } }),
    );
  });
});

describe('submitting', () => {
  it('stores a run with its input after the taps on it', async () => {
    const store = memoryStore();
    const polite = tapped(replacing('Hello', 'Hello, please'));
    const agent = await agentWith({ store, name: 'a', plugins: [polite] });
    const { runId } = await agent.submit('Hello', { sessionId: 's' });
    expect(await store.load('s')).toMatchObject({
      run: {
        position: { at: 'input', input: [{ content: [{ text: 'Hello, please' }] }] },
        id: runId,
        submitted: { isNew: true, prepared: true },
        agent: { id: 'a' },
      },
    });
  });

  it('is refused with an option that nobody knows, of an agent without a name, and of one that is closed', async () => {
    const agent = await agentWith({ store: sharedStore() });
    await expect(agent.submit('Hello', { titel: 'x' } as object)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
    await expect(agent.submit('Hello', { sessionId: '' })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(/"sessionId" of agent\.submit is ""/) as string,
    });
    await expect(agent.submit('Hello')).rejects.toMatchObject({
      code: 'AGENT_UNNAMED',
      message: expect.stringMatching(/^agent\.submit .* Give the agent a `name`\.$/) as string,
    });
    const named = await agentWith({ store: sharedStore(), name: 'a' });
    await named.close();
    await expect(named.submit('Hello')).rejects.toMatchObject({ code: 'AGENT_CLOSED' });
  });

  it('is refused when its signal is aborted', async () => {
    const store = memoryStore();
    const agent = await agentWith({ store });
    const signal = AbortSignal.abort(new Error('never mind'));
    await expect(agent.submit('Hello', { sessionId: 's', signal })).rejects.toThrow('never mind');
    expect(await store.load('s')).toBeUndefined();
    await agent.submit('Hello', { sessionId: 's', signal: new AbortController().signal });
    expect(await store.load('s')).toMatchObject({ run: { status: 'running' } });
  });

  it('shows its signal to taps on the input, and aborts it when the agent is closed', async () => {
    const signals: AbortSignal[] = [];
    const watching = tapped((_, { signal }) => void signals.push(signal));
    const agent = await agentWith({ store: memoryStore(), plugins: [watching] });
    const controller = new AbortController();
    await agent.submit('1');
    await agent.submit('2', { signal: controller.signal });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    controller.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    await agent.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});

describe('stopping', () => {
  it('ends a run after its step, and tells whether there was one', async () => {
    const { step, asked, goOn } = waitingStep({ toolCalls: [{ name: 'look' }] });
    const look = defineTool({
      name: 'look',
      description: 'L.',
      input: { type: 'object' },
      execute: () => 'tea',
    });
    const store = memoryStore();
    const agent = await agentWith({ model: scriptedModel([step]), tools: [look], store });
    expect(await agent.stop('s')).toBe(false);
    const running = agent.run('Hello', { sessionId: 's', owner: 'ann' });
    await asked;
    await expect(agent.stop('s', { owner: 'bob' })).rejects.toMatchObject({ code: 'SESSION_OF_ANOTHER' });
    expect(await agent.stop('s', { owner: 'ann' })).toBe(true);
    goOn();
    await expect(running).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    expect((await store.load('s'))?.messages).toMatchObject([{}, {}, { content: [{ text: 'tea' }] }]);
  });

  it('reaches a run that nobody executes', async () => {
    const store = memoryStore();
    const agent = await agentWith({ store });
    await agent.submit('Hello', { sessionId: 's' });
    expect(await agent.stop('s')).toBe(true);
    expect(await store.load('s')).toMatchObject({ run: { status: 'aborted' } });
  });
});

it('a message to a run that is about to begin waits for its beginning', async () => {
  const gate = Promise.withResolvers<void>();
  const store = sharedStore((inner) => ({
    async load(id) {
      await gate.promise;
      return inner.load(id);
    },
  }));
  const { step, goOn } = waitingStep();
  const agent = await agentWith({ model: scriptedModel([step, { text: 'Both.' }]), store });
  const running = agent.run('Hello', { sessionId: 's' });
  const sent = agent.send('s', 'And tea.');
  gate.resolve();
  await sent;
  goOn();
  expect((await running).text).toBe('Both.');
  expect((await agent.session('s'))?.messages).toMatchObject([
    {},
    {},
    { content: [{ text: 'And tea.' }] },
    {},
  ]);
});

describe('working', () => {
  it('is refused of an agent without a name, and of one that is closed', async () => {
    const agent = await agentWith({ store: sharedStore() });
    await expect(agent.work()).rejects.toMatchObject({
      code: 'AGENT_UNNAMED',
      message: expect.stringMatching(/^agent\.work .* Give the agent a `name`\.$/) as string,
    });
    const named = await agentWith({ store: sharedStore(), name: 'a' });
    await named.close();
    await expect(named.work()).rejects.toMatchObject({ code: 'AGENT_CLOSED' });
  });

  it.each(['its signal is aborted', 'its agent is closed'])(
    'executes submitted runs, and ends when %s',
    async (when) => {
      const store = memoryStore();
      const agent = await agentWith({ store, model: scriptedModel([{ text: 'Hi.' }]) });
      await agent.submit('Hello', { sessionId: 's' });
      const controller = new AbortController();
      const { signal } = controller;
      const isBySignal = when === 'its signal is aborted';
      const working = agent.work({ intervalMs: 5, ...(isBySignal && { signal }) });
      await vi.waitFor(async () => expect((await agent.session('s'))?.status).toBe('completed'));
      if (isBySignal) controller.abort();
      else await agent.close();
      await working;
    },
  );
});

describe('deleting a session', () => {
  it('forgets it, so that the next run begins anew', async () => {
    const agent = await agentWith({
      store: sharedStore(),
      model: scriptedModel([{ text: '1.' }, { text: '2.' }]),
      sessionCacheBytes: 1_000_000,
    });
    await agent.run('a', { sessionId: 's' });
    expect(await agent.deleteSession('s')).toBeDefined();
    expect(await agent.deleteSession('s')).toBeUndefined();
    await agent.run('b', { sessionId: 's' });
    expect((await agent.session('s'))?.messages).toMatchObject([{ content: [{ text: 'b' }] }, {}]);
  });
});

describe('the end of an agent', () => {
  it('aborts its runs', async () => {
    const { step, asked } = waitingStep();
    const agent = await agentWith({ model: scriptedModel([step]), name: 'billing' });
    const running = agent.run('Hello').catch((error: unknown) => error);
    await asked;
    await agent.close();
    expect(await running).toMatchObject({
      code: 'RUN_ABORTED',
      cause: { code: 'AGENT_CLOSED', message: 'The agent billing was closed.' },
    });
    await expect(agent.run('Another')).rejects.toMatchObject({
      code: 'AGENT_CLOSED',
      message: 'The agent billing was closed. Create a new one.',
    });
  });

  it('leaves half of its time to plugins when a run does not end', async () => {
    fakeTimers();
    const entered = Promise.withResolvers<void>();
    const stoppedAt: number[] = [];
    const lingering = definePlugin({
      name: 'lingering',
      setup({ hooks, onStop }) {
        onStop(() => void stoppedAt.push(performance.now()));
        hooks.afterAgent.tapPromise('wait', () => (entered.resolve(), new Promise(() => {})));
      },
    })();
    const agent = await agentWith({
      model: scriptedModel([{ text: 'Hi.' }]),
      plugins: [lingering],
      hookTimeoutMs: Infinity,
    });
    void agent.run('Hello').catch(() => undefined);
    await entered.promise;
    const began = performance.now();
    const closing = agent.close({ timeoutMs: 1200 }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1200);
    expect(await closing).toMatchObject({ code: 'CLOSE_TIMEOUT' });
    expect(stoppedAt).toEqual([began + 600]);
  });

  it('leaves half of its time to the application when a store does not settle', async () => {
    fakeTimers();
    const stuck = Promise.withResolvers<void>();
    const isTurn = ({ append }: SessionChange): boolean => append?.[0]?.role === 'assistant';
    const store = sharedStore((inner) => ({
      commit(id, revision, change) {
        if (!isTurn(change)) return inner.commit(id, revision, change);
        stuck.resolve();
        return new Promise(() => {});
      },
    }));
    const closedAt: number[] = [];
    const agent = await agentWith({
      store,
      model: scriptedModel([{ toolCalls: [{ name: 'look' }] }]),
      onClose: () => void closedAt.push(performance.now()),
    });
    const controller = new AbortController();
    const running = agent.run('Hello', { sessionId: 's', signal: controller.signal });
    const settled = running.catch((error: unknown) => error);
    await stuck.promise;
    controller.abort();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await settled).toMatchObject({ code: 'RUN_ABORTED' });
    const began = performance.now();
    const closing = agent.close({ timeoutMs: 1200 }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1200);
    expect(await closing).toMatchObject({
      code: 'CLOSE_TIMEOUT',
      message: expect.stringContaining('the store with session "s"') as string,
    });
    expect(closedAt).toEqual([began + 600]);
  });

  it.each([
    ['its own', 1_000_000],
    ['the shared', undefined],
  ])('clears the cache of sessions if it is %s one', async (_, sessionCacheBytes) => {
    const model = scriptedModel([{ text: 'Hi.' }]);
    const parts = partsOf({
      model,
      log: 'silent',
      store: sharedStore(),
      ...(sessionCacheBytes && { sessionCacheBytes }),
    });
    const runs = new AgentRuns(parts);
    await runs.run('s', noOptions, undefined, { input: 'Hello' });
    const kept = parts.sessionCache.bytes;
    expect(kept).toBeGreaterThan(0);
    const closing = new Closing(1000);
    await runs.close(closing);
    await runs.settle(closing);
    expect(parts.sessionCache.bytes).toBe(parts.sessionCache === sharedSessions ? kept : 0);
  });
});
