import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { cameOf, eachDeath, goToEnd, leftIn } from '../../test/programs/deaths.ts';
import type { Agent } from '../agent.ts';
import { ShallotError } from '../base/errors.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { toolCallsOf, type MessageInput } from '../contract/messages.ts';
import type { Plugin, PluginEntry } from '../contract/plugin.ts';
import type { Store } from '../contract/store.ts';
import { defineTool, type Tool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { sqliteStore } from '../sqlite/sqlite-store.ts';
import { answerInterrupts } from '../workers/answer-interrupts.ts';
import { submitRun } from '../workers/submit-run.ts';

const ended = 'I will not do that.';

const away = (): ShallotError =>
  new ShallotError('STORE_FAILED', { message: 'The audit log is away.', transient: true });

/** A model that sends the money again as often as it is asked. */
function tempted(calls: readonly string[] = ['transfer']) {
  return scriptedModel(Array.from({ length: 9 }, () => ({ toolCalls: calls.map((name) => ({ name })) })));
}

class Vault {
  executed = 0;

  readonly transfer: Tool = defineTool({
    name: 'transfer',
    description: 'Transfers money.',
    input: { type: 'object' },
    execute: () => {
      this.executed += 1;
      return 'sent';
    },
  });
}

/** Fails once in a process, after another plugin has had its say. */
function failsOnce(hook: 'afterModel' | 'wrapModelCall', isSync: boolean): Plugin {
  let isBroken = true;
  const fail = (): void => {
    if (!isBroken) return;
    isBroken = false;
    throw away();
  };
  const failing = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    fail();
  };
  return definePlugin({
    name: 'audit',
    priority: 90,
    setup({ hooks }) {
      if (hook === 'afterModel') hooks.afterModel.tap('audit', isSync ? fail : failing);
      else
        hooks.wrapModelCall.tap('audit', async (request, next) => {
          const response = await next(request);
          fail();
          return response;
        });
    },
  })();
}

/** Ends the run in the hook, the first time that it is entered in this process: it will not decide so again. */
function guard(hook: 'wrapModelCall' | 'afterModel' | 'beforeModel' | 'beforeAgent'): Plugin {
  let isNew = true;
  const end = (run: { readonly end: (text: string) => void }): void => {
    if (isNew) run.end(ended);
    isNew = false;
  };
  return definePlugin({
    name: 'guard',
    priority: 70,
    setup({ hooks }) {
      if (hook === 'wrapModelCall')
        hooks.wrapModelCall.tap('guard', async (request, next, { run }) => {
          const response = await next(request);
          if (toolCallsOf(response.message as never).length > 0) end(run);
          return response;
        });
      else if (hook === 'beforeAgent') hooks.beforeAgent.tap('guard', end);
      else hooks[hook].tap('guard', (_: unknown, run) => end(run));
    },
  })();
}

function start(store: Store, options: Partial<AgentOptions>): Promise<Agent> {
  return createAgent({
    name: 'tested',
    model: tempted(),
    log: 'silent',
    store,
    toolConcurrency: 3,
    ...options,
  });
}

const stores: Record<string, () => Store> = {
  'in memory': memoryStore,
  'in SQLite': () => {
    const folder = mkdtempSync(join(tmpdir(), 'shallot-end-'));
    const store = sqliteStore(join(folder, 'sessions.db'));
    onTestFinished(async () => {
      await store.close?.();
      rmSync(folder, { recursive: true });
    });
    return store;
  },
};

const refused = [
  'user: go',
  'assistant:  [call]',
  'tool: not executed: the run was ended',
  `assistant: ${ended}`,
];

describe.each(Object.keys(stores))('an end that was decided, %s,', (kind) => {
  const newStore = stores[kind] ?? memoryStore;

  it.each([
    ['wrapModelCall', 'rejects', false],
    ['wrapModelCall', 'throws', true],
    ['afterModel', 'rejects', false],
    ['afterModel', 'throws', true],
  ] as const)('in %s holds when afterModel of another plugin %s', async (hook, _, isSync) => {
    const vault = new Vault();
    const store = newStore();
    const model = tempted();
    const plugins = [guard(hook), failsOnce('afterModel', isSync)];
    await using agent = await start(store, { model, tools: [vault.transfer], plugins });
    await expect(agent.run('go', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect((await store.load('s'))?.run?.ending).toMatchObject({ reason: 'ended', plugin: 'guard' });
    expect(await agent.resume('s')).toMatchObject({ stopReason: 'ended', text: ended });
    expect([vault.executed, model.calls]).toEqual([0, 1]);
    expect((await cameOf(store)).history).toEqual(refused);
    expect((await store.load('s'))?.run?.ending).toBeUndefined();
  });

  it('holds when a worker tries the run again', async () => {
    const vault = new Vault();
    const store = newStore();
    const plugins = [guard('wrapModelCall'), failsOnce('afterModel', false)];
    await using agent = await start(store, { tools: [vault.transfer], plugins });
    await submitRun(store, 's', 'go', { agent: 'tested' });
    const stop = new AbortController();
    const working = agent.work({ signal: stop.signal, intervalMs: 20, retryPauseMs: 1 });
    await expect.poll(async () => (await store.load('s'))?.run?.status).toBe('completed');
    stop.abort();
    await working;
    expect(vault.executed).toBe(0);
    expect(await cameOf(store)).toMatchObject({ history: refused, stopReason: 'ended' });
  });

  it('in beforeAgent holds when a plugin inside fails after a once', async () => {
    let isBroken = true;
    const inside = definePlugin({
      name: 'inside',
      priority: 10,
      async beforeAgent(run) {
        await run.once('noted', () => 1);
        if (!isBroken) return;
        isBroken = false;
        throw away();
      },
    })();
    const store = newStore();
    const model = tempted();
    await using agent = await start(store, { model, plugins: [guard('beforeAgent'), inside] });
    await expect(agent.run('go', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await agent.resume('s')).toMatchObject({ stopReason: 'ended', text: ended });
    expect(model.calls).toBe(0);
    expect((await cameOf(store)).history).toEqual(['user: go', `assistant: ${ended}`]);
  });

  it.each(['fails', 'is aborted'])('in wrapToolCall holds when a call beside it %s', async (how) => {
    const vault = new Vault();
    const other = Promise.withResolvers<void>();
    const stop = new AbortController();
    let entered = 0;
    const limits = definePlugin({
      name: 'limits',
      async wrapToolCall(call, next, { run }) {
        if (call.name === 'transfer') {
          entered += 1;
          if (entered > 1) return next(call);
          run.end(undefined, { reason: 'limit' });
          other.resolve();
          return { content: [{ type: 'text', text: 'the limit is reached' }], isError: true };
        }
        await other.promise;
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (how === 'is aborted') return new Promise(() => stop.abort());
        throw away();
      },
    })();
    const look = defineTool({ ...vault.transfer, name: 'look', input: { type: 'object' } });
    const store = newStore();
    const model = tempted(['look', 'transfer', 'transfer']);
    const plugins: PluginEntry[] = [limits];
    const tools = [vault.transfer, look];
    await using agent = await start(store, { model, tools, plugins, toolConcurrency: 2 });
    await expect(agent.run('go', { sessionId: 's', signal: stop.signal })).rejects.toMatchObject({
      code: how === 'fails' ? 'STORE_FAILED' : 'RUN_ABORTED',
    });
    expect(await agent.resume('s')).toMatchObject({ outcome: 'completed', stopReason: 'limit' });
    expect([vault.executed, model.calls]).toEqual([0, 1]);
    expect((await cameOf(store)).history.slice(2)).toEqual([
      'tool: not executed: the run was ended',
      'tool: the limit is reached',
      'tool: not executed: the run was ended',
    ]);
  });
});

describe('an end that was decided', () => {
  it('withdraws open questions, and an approval that comes later executes nothing', async () => {
    const vault = new Vault();
    const asked = Promise.withResolvers<void>();
    const approval = definePlugin({
      name: 'approval',
      setup({ hooks }) {
        hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, scope) => {
          if (call.index === 0) {
            void asked.promise;
            setTimeout(asked.resolve, 5);
            await scope.interrupt({ kind: 'approval', payload: null, answer: { const: 'yes' } });
          }
          return next(call);
        });
        hooks.wrapToolCall.tap('end', async (call, next, { run }) => {
          if (call.index === 0) return next(call);
          await asked.promise;
          run.end(ended);
          throw away();
        });
      },
    })();
    const store = memoryStore();
    const model = tempted(['transfer', 'transfer']);
    await using agent = await start(store, { model, tools: [vault.transfer], plugins: [approval] });
    await expect(agent.run('go', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const [question] = (await store.load('s'))?.run?.interrupts ?? [];
    if (question !== undefined) await answerInterrupts(store, 's', { [question.id]: 'yes' });
    expect(question?.kind).toBe('approval');
    expect(await agent.resume('s')).toMatchObject({ stopReason: 'ended', text: ended, interrupts: [] });
    expect(vault.executed).toBe(0);
  });

  it('is the first one, also when the tap is entered again and would end the run otherwise', async () => {
    let times = 0;
    const fickle = definePlugin({
      name: 'fickle',
      priority: 70,
      afterModel: (_, run) => run.end(`Reason ${(times += 1)}.`),
    })();
    const store = memoryStore();
    await using agent = await start(store, { plugins: [failsOnce('afterModel', true), fickle] });
    await expect(agent.run('go', { sessionId: 's' })).rejects.toThrow('away');
    expect(await agent.resume('s')).toMatchObject({ text: 'Reason 1.' });
  });

  it('lets the layers of a call finish that had been executed', async () => {
    const vault = new Vault();
    const masks = (store: Store, dies: () => Promise<void>): Promise<Agent> =>
      start(store, {
        tools: [vault.transfer],
        plugins: [
          definePlugin({
            name: 'masks',
            async wrapToolCall(call, next, { run, once }) {
              const result = await next(call);
              run.end(ended);
              await once('noted', () => null);
              await dies();
              return { ...result, content: [{ type: 'text', text: '***' }] };
            },
          })(),
        ],
      });
    const store = memoryStore();
    const reached = Promise.withResolvers<void>();
    const dying = await masks(store, () => {
      reached.resolve();
      return new Promise(() => {});
    });
    void dying.run('go', { sessionId: 's' }).catch(() => {});
    await reached.promise;
    const left = await leftIn(store);
    expect((await left.load('s'))?.run?.ending).toBeDefined();
    await using agent = await masks(left, async () => {});
    await goToEnd(agent, left);
    expect((await cameOf(left)).history.slice(2)).toEqual(['tool: ***', `assistant: ${ended}`]);
    expect(vault.executed).toBe(1);
    await dying.close();
  });

  it.each(['read', 'idempotent'] as const)(
    'does not deny a call with effect %s that had begun',
    async (effect) => {
      const stop = new AbortController();
      const save = defineTool({
        name: 'transfer',
        description: 'Saves it.',
        input: { type: 'object' },
        effect,
        execute: () => new Promise<string>(() => stop.abort()),
      });
      const last = definePlugin({
        name: 'last',
        wrapToolCall(call, next, { run }) {
          run.end(ended);
          return next(call);
        },
      })();
      const store = memoryStore();
      await using agent = await start(store, { tools: [save], plugins: [last] });
      await expect(agent.run('go', { sessionId: 's', signal: stop.signal })).rejects.toMatchObject({
        code: 'RUN_ABORTED',
      });
      expect(await agent.resume('s')).toMatchObject({ stopReason: 'ended', text: ended });
      expect((await cameOf(store)).history[2]).toMatch(/It is not known whether this call took effect/);
    },
  );

  it.each(['beforeAgent', 'beforeModel', 'afterModel', 'wrapModelCall'] as const)(
    'in %s is the end wherever the process dies',
    async (hook) => {
      const vaults: Vault[] = [];
      const deaths = await eachDeath((store) => {
        const vault = new Vault();
        vaults.push(vault);
        // Another process decides the same, as long as nothing says that it was decided.
        const noting = definePlugin({
          name: 'noting',
          priority: 5,
          setup({ hooks }) {
            hooks.beforeAgent.tap('note', async (run) => void (await run.once('note', () => 1)));
            hooks.afterModel.tap('note', async (_, run) => void (await run.once('note', () => 1)));
          },
        })();
        return start(store, { tools: [vault.transfer], plugins: [guard(hook), noting] });
      });
      const [alive, ...others] = deaths;
      expect(alive?.came.stopReason).toBe('ended');
      for (const { name, came } of others) expect({ name, came }).toEqual({ name, came: alive?.came });
      expect(vaults.map(({ executed }) => executed)).toEqual(vaults.map(() => 0));
    },
  );

  it.each(['wrapModelCall', 'afterModel'] as const)(
    'cannot be decided in %s after an abort',
    async (hook) => {
      const stop = new AbortController();
      const late: unknown[] = [];
      let isNew = true;
      const endTooLate = (run: { readonly end: (text: string) => void }): void => {
        if (!isNew) return;
        isNew = false;
        stop.abort();
        try {
          run.end(ended);
        } catch (error) {
          late.push(error);
        }
      };
      const tardy = definePlugin({
        name: 'tardy',
        setup({ hooks }) {
          if (hook === 'afterModel') hooks.afterModel.tap('tardy', (_, run) => endTooLate(run));
          else
            hooks.wrapModelCall.tap('tardy', async (request, next, { run }) => {
              const response = await next(request);
              endTooLate(run);
              return response;
            });
        },
      })();
      const store = memoryStore();
      const model = scriptedModel([{ text: 'One.' }, { text: 'Two.' }]);
      await using agent = await start(store, { model, plugins: [tardy] });
      await expect(agent.run('go', { sessionId: 's', signal: stop.signal })).rejects.toMatchObject({
        code: 'RUN_ABORTED',
      });
      expect(late).toMatchObject([{ code: 'RUN_ABORTED' }]);
      expect((await store.load('s'))?.run?.ending).toBeUndefined();
      expect(await agent.resume('s')).toMatchObject({ stopReason: 'answer' });
    },
  );

  it('with a message that is no JSON is refused where end is called', async () => {
    const broken = definePlugin({
      name: 'broken',
      beforeModel(_, run) {
        const message = { role: 'assistant', content: 'Bye.', metadata: { broken: { at: new Date() } } };
        run.end(message as unknown as MessageInput);
      },
    })();
    await using agent = await start(memoryStore(), { plugins: [broken] });
    await expect(agent.run('go', { sessionId: 's' })).rejects.toMatchObject({
      code: 'VALUE_NOT_JSON',
      plugin: 'broken',
      message: expect.stringMatching(/at is .*Date/) as string,
    });
  });
});
