import { AsyncLocalStorage } from 'node:async_hooks';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { collectEvents } from '../../../testing/src/collect-events.ts';
import { rateLimited, scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { hookTrace, traceHooks } from '../../../testing/src/trace-hooks.ts';
import type { JsonValue } from '../base/json.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import type { AgentOptions } from './agent-options.ts';
import { definePlugin } from './define-plugin.ts';
import { textOf } from './messages.ts';
import type { Plugin, PluginSetup, PluginState } from './plugin.ts';
import { serviceKey } from './plugin.ts';
import type { Store } from './store.ts';
import { defineTool, type Tool } from './tool.ts';

function toolNamed(name: string, output: JsonValue = name): Tool {
  return defineTool({ name, description: name, input: { type: 'object' }, execute: () => output });
}

describe('aroundRun', () => {
  it('surrounds each run and resume, outermost first, tools and all', async () => {
    const current = new AsyncLocalStorage<string>();
    const lines: string[] = [];
    const framing = (name: string, priority: number): Plugin =>
      definePlugin({
        name,
        priority,
        setup({ aroundRun, hooks }) {
          aroundRun(async (run, next) => {
            lines.push(`${name} in${run.resumed ? ' again' : ''}`);
            try {
              return await current.run(`${current.getStore() ?? ''}${name}`, next);
            } finally {
              lines.push(`${name} out`);
            }
          });
          hooks.afterAgent.tap('x', () => void lines.push(`${name} after agent in ${current.getStore()}`));
        },
      })();
    const ask = defineTool({
      name: 'ask',
      description: 'Asks.',
      input: { type: 'object' },
      async execute(_, { interrupt }) {
        lines.push(`tool in ${current.getStore()}`);
        return interrupt({ kind: 'question', payload: '?', answer: { type: 'string' } });
      },
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'ask' }] }, { text: 'done' }]);
    await using agent = await createAgent({
      model,
      tools: [ask],
      plugins: [framing('b', 10), framing('a', 90)],
    });
    const paused = await agent.run('hello');
    expect(lines.splice(0)).toEqual([
      'a in',
      'b in',
      'tool in ab',
      'b after agent in ab',
      'a after agent in ab',
      'b out',
      'a out',
    ]);
    await agent.resume(paused.sessionId, { [paused.interrupts[0]?.id ?? '']: 'yes' });
    expect(lines.slice(0, 3)).toEqual(['a in again', 'b in again', 'tool in ab']);
  });

  it('decides nothing: one that does not call next, or returns something else, fails by name', async () => {
    const wrong: Parameters<PluginSetup['aroundRun']>[0][] = [
      () => Promise.resolve(undefined as never),
      () => {
        throw new Error('no');
      },
    ];
    for (const surround of wrong) {
      const plugin = definePlugin({ name: 'bad', setup: ({ aroundRun }) => aroundRun(surround) })();
      await using agent = await createAgent({
        log: 'silent',
        model: scriptedModel([{ text: 'x' }]),
        plugins: [plugin],
      });
      await expect(agent.run('hello')).rejects.toMatchObject({ plugin: 'bad' });
    }
  });
});

describe('generate', () => {
  function summarizing(options: Partial<Parameters<PluginSetup['generate']>[1]> = {}): Plugin {
    return definePlugin({
      name: 'summary',
      setup({ hooks, generate }) {
        hooks.beforeModel.tap('summarize', async (_, run) => {
          const request = { messages: run.messages, instructions: 'Summarize.', ...options };
          const response = await generate(run, request, { purpose: 'summary' });
          run.event('summary', response.message.content.length);
        });
        hooks.wrapModelCall.tap({ name: 'own', internal: true }, (request, next, { origin }) => {
          if (origin !== undefined) throw new Error('a plugin passes its own layers');
          return next(request);
        });
      },
    })();
  }

  it("asks the agent's model with nothing but what it says, and counts and marks the usage", async () => {
    const model = scriptedModel([
      { text: 'a summary', usage: { input: 7, output: 3, total: 10 } },
      { text: 'answer', usage: { input: 1, output: 1, total: 2 } },
    ]);
    await using agent = await createAgent({
      model,
      instructions: 'Be kind.',
      tools: [toolNamed('look')],
      plugins: [summarizing()],
    });
    const result = await agent.run('hello');
    expect(result.text).toBe('answer');
    expect(result.usage).toEqual({
      input: 8,
      output: 4,
      total: 12,
      modelCalls: 2,
      plugins: { summary: { input: 7, output: 3, total: 10 } },
    });
    expect(model.requests[0]).toMatchObject({ instructions: 'Summarize.', settings: {} });
    expect(model.requests[0]?.tools).toBeUndefined();
    expect(model.requests[1]).toMatchObject({ instructions: 'Be kind.' });
    expect(result.messages).toHaveLength(2);
    expect(result.steps).toBe(1);
  });

  it('passes internal layers only, wherever they stand, and they see where it comes from', async () => {
    const origins: unknown[] = [];
    const watching = (name: string, internal: boolean, priority: number): Plugin =>
      definePlugin({
        name,
        priority,
        setup: ({ hooks }) =>
          hooks.wrapModelCall.tap({ name, internal }, (request, next, { origin }) => {
            origins.push([name, origin]);
            return next(request);
          }),
      })();
    const plugins = [
      watching('outer', true, 90),
      watching('plain', false, 60),
      summarizing(),
      watching('inner', true, 5),
    ];
    await using agent = await createAgent({ model: scriptedModel([{ text: 's' }, { text: 'a' }]), plugins });
    await agent.run('hello');
    const origin = { plugin: 'summary', purpose: 'summary' };
    expect(origins).toEqual([
      ['outer', origin],
      ['inner', origin],
      ['outer', undefined],
      ['plain', undefined],
      ['inner', undefined],
    ]);
  });

  it('shows nothing on the stream', async () => {
    const model = scriptedModel([{ text: 'a summary of it' }, { text: 'the answer' }]);
    await using agent = await createAgent({ model, plugins: [summarizing()] });
    const { text, events } = await collectEvents(agent.stream('hello'));
    expect(text).toBe('the answer');
    expect(JSON.stringify(events.filter(({ type }) => type !== 'run-end'))).not.toContain('summary of');
  });

  it('rejects as the model does, with the very error', async () => {
    const error = rateLimited();
    const seen: unknown[] = [];
    const careful = definePlugin({
      name: 'careful',
      setup({ hooks, generate }) {
        hooks.beforeModel.tap('x', async (_, run) => {
          await generate(run, { messages: run.messages }, { purpose: 'test' }).catch((thrown: unknown) =>
            seen.push(thrown),
          );
        });
      },
    })();
    await using agent = await createAgent({
      model: scriptedModel([{ error }, { text: 'x' }]),
      plugins: [careful],
    });
    expect((await agent.run('hello')).outcome).toBe('completed');
    expect(seen).toEqual([error]);
    expect(seen[0]).toBe(error);
  });

  it('is aborted with the run', async () => {
    const controller = new AbortController();
    const stall: ScriptedStep = () => {
      setImmediate(() => controller.abort());
      return { chunks: [], stall: true };
    };
    await using agent = await createAgent({ model: scriptedModel([stall]), plugins: [summarizing()] });
    await expect(agent.run('hello', { signal: controller.signal })).rejects.toMatchObject({
      code: 'RUN_ABORTED',
    });
  });

  it.each(['at once', 'after a while'])(
    'does not count against the time that a hook has, asked %s',
    async (when) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
      onTestFinished(() => void vi.useRealTimers());
      const slow: ScriptedStep = async () => {
        await vi.advanceTimersByTimeAsync(60);
        return { text: 'slow' };
      };
      const asking = definePlugin({
        name: 'asking',
        setup({ hooks, generate }) {
          hooks.beforeModel.tap('x', async (_, run) => {
            if (when === 'after a while') await vi.advanceTimersByTimeAsync(5);
            await generate(run, { messages: run.messages }, { purpose: 'test' });
          });
        },
      })();
      const model = scriptedModel([slow, { text: 'x' }]);
      await using agent = await createAgent({ model, hookTimeoutMs: 30, plugins: [asking] });
      expect((await agent.run('hello')).text).toBe('x');
    },
  );

  it('is over before the hook goes on: what the hook does itself counts', async () => {
    const dawdling = definePlugin({
      name: 'dawdling',
      setup({ hooks, generate }) {
        hooks.beforeModel.tap('x', async (_, run) => {
          await generate(run, { messages: run.messages }, { purpose: 'test' });
          await new Promise(() => {});
        });
      },
    })();
    const model = scriptedModel([{ text: 'a summary' }]);
    await using agent = await createAgent({
      log: 'silent',
      model,
      hookTimeoutMs: 20,
      plugins: [dawdling],
    });
    await expect(agent.run('hello')).rejects.toMatchObject({ code: 'HOOK_TIMEOUT', plugin: 'dawdling' });
  });
});

describe('onReady', () => {
  it('sees the model and the tools of all, when all have started', async () => {
    const seen: unknown[] = [];
    const checking = definePlugin({
      name: 'checking',
      setup: ({ onReady }) =>
        onReady(
          ({ model, tools }) =>
            void seen.push(model.limits?.contextTokens, tools.map(({ name }) => name).sort()),
        ),
    })();
    const bringing = definePlugin({
      name: 'bringing',
      setup: ({ tools, onStart }) => onStart(() => void tools.add(toolNamed('remote'))),
    })();
    const model = scriptedModel([], { contextTokens: 1000 });
    await using agent = await createAgent({
      model,
      tools: [toolNamed('own')],
      plugins: [checking, bringing],
    });
    expect(agent.plugins).toHaveLength(2);
    expect(seen).toEqual([1000, ['own', 'remote']]);
  });
});

describe('tools of a plugin', () => {
  it('may come and go while a run is on: seen from the next step', async () => {
    let undo: (() => void) | undefined;
    const dynamic = definePlugin({
      name: 'dynamic',
      setup({ hooks, tools }) {
        hooks.afterModel.tap('x', (_, run) => {
          if (run.step === 1) undo = tools.add([toolNamed('late'), toolNamed('later')]);
          if (run.step === 2) undo?.();
        });
      },
    })();
    const model = scriptedModel([
      { toolCalls: [{ name: 'own' }] },
      { toolCalls: [{ name: 'late' }] },
      { text: 'done' },
    ]);
    await using agent = await createAgent({ model, tools: [toolNamed('own')], plugins: [dynamic] });
    const { messages } = await agent.run('hello');
    expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ['own'],
      ['own', 'late', 'later'],
      ['own'],
    ]);
    // It was offered in that step, so its call is executed.
    expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { content: [{ text: 'own' }] },
      { name: 'late' },
    ]);
  });

  it('cannot take a name that is taken, at any time; the undo frees it', async () => {
    let add: ((tool: Tool) => () => void) | undefined;
    const dynamic = definePlugin({
      name: 'dynamic',
      setup: ({ tools }) => void (add = (tool) => tools.add(tool)),
    })();
    await using agent = await createAgent({
      model: scriptedModel([]),
      tools: [toolNamed('own')],
      plugins: [dynamic],
    });
    expect(() => add?.(toolNamed('own'))).toThrow(expect.objectContaining({ code: 'TOOL_DUPLICATE' }));
    const undo = add?.(toolNamed('mine'));
    expect(() => agent.tools.add(toolNamed('mine'))).toThrow(
      expect.objectContaining({ code: 'TOOL_DUPLICATE' }),
    );
    undo?.();
    agent.tools.add(toolNamed('mine'));
  });
});

describe("the application's context", () => {
  interface Tenant {
    readonly tenant: string;
  }

  it('is given to hooks and tools, is never stored, and is given again on resume', async () => {
    const seen: string[] = [];
    const ask = defineTool<{ type: 'object' }, Tenant>({
      name: 'ask',
      description: 'Asks.',
      input: { type: 'object' },
      async execute(_, { run, interrupt }) {
        seen.push(`tool ${run.context.tenant}`);
        return interrupt({ kind: 'question', payload: '?', answer: { type: 'string' } });
      },
    });
    const watching = definePlugin({
      name: 'watching',
      beforeAgent: (run) => void seen.push(`hook ${(run.context as Tenant).tenant}`),
      wrapModelCall(request, next, { run }) {
        seen.push(`wrap ${(run.context as Tenant).tenant}`);
        return next(request);
      },
    })();
    const store = memoryStore();
    const model = scriptedModel([{ toolCalls: [{ name: 'ask' }] }, { text: 'done' }]);
    await using agent = await createAgent<Tenant>({ model, store, tools: [ask], plugins: [watching] });
    const paused = await agent.run('hello', { sessionId: 's', context: { tenant: 'acme' } });
    expect(JSON.stringify(await store.load('s'))).not.toContain('acme');
    await agent.resume('s', { [paused.interrupts[0]?.id ?? '']: 'yes' }, { context: { tenant: 'other' } });
    expect(seen).toEqual(['hook acme', 'wrap acme', 'tool acme', 'tool other', 'wrap other']);
  });
});

describe('services', () => {
  const clock = serviceKey<() => number>('clock');

  it('are shared by typed keys, whatever the order of the plugins', async () => {
    let time: number | undefined;
    const using_ = definePlugin({
      name: 'using',
      priority: 90,
      setup: ({ use, onStart }) => onStart(() => void (time = use(clock)?.())),
    })();
    const providing = definePlugin({ name: 'providing', setup: ({ provide }) => provide(clock, () => 42) })();
    await using agent = await createAgent({ model: scriptedModel([]), plugins: [using_, providing] });
    expect(time).toBe(42);
    expect(agent.plugins).toHaveLength(2);
  });

  it('are undefined when nobody provides them', async () => {
    const seen: unknown[] = ['untouched'];
    const lonely = definePlugin({
      name: 'lonely',
      setup: ({ use, onStart }) => onStart(() => void (seen[0] = use(clock))),
    })();
    await using agent = await createAgent({ model: scriptedModel([]), plugins: [lonely] });
    expect([agent.plugins.length, seen[0]]).toEqual([1, undefined]);
  });
});

describe('state', () => {
  function counting(scope: 'session' | 'run', seen: JsonValue[], id = 'counting'): Plugin {
    return definePlugin({
      name: id,
      setup({ hooks, state }) {
        const count = state<number>({ key: 'count', scope, initial: () => 0 });
        hooks.beforeModel.tap('x', (_, run) => {
          count.update(run, (value) => value + 1);
          seen.push(count.get(run));
        });
      },
    })();
  }

  async function runTwice(plugins: readonly Plugin[], options: Partial<AgentOptions> = {}): Promise<void> {
    const call: ScriptedStep = { toolCalls: [{ name: 'look' }] };
    const model = scriptedModel([call, { text: 'x' }, call, { text: 'x' }]);
    await using agent = await createAgent({ model, tools: [toolNamed('look')], ...options, plugins });
    await agent.run('one', { sessionId: 's' });
    await agent.run('two', { sessionId: 's' });
  }

  it('is kept with the session, or for the length of a run', async () => {
    const ofSession: JsonValue[] = [];
    const ofRun: JsonValue[] = [];
    await runTwice([counting('session', ofSession), counting('run', ofRun, 'other')]);
    expect(ofSession).toEqual([1, 2, 3, 4]);
    expect(ofRun).toEqual([1, 2, 1, 2]);
  });

  it("is the plugin's own: two instances, and two sessions, have each theirs", async () => {
    const seen: JsonValue[] = [];
    const other: JsonValue[] = [];
    const plugins = [counting('session', seen), { use: counting('session', other), id: 'second' }];
    const model = scriptedModel([{ text: 'x' }, { text: 'x' }, { text: 'x' }]);
    await using agent = await createAgent({ model, plugins });
    await Promise.all([agent.run('a', { sessionId: 'a' }), agent.run('b', { sessionId: 'b' })]);
    await agent.run('a', { sessionId: 'a' });
    expect(seen).toEqual([1, 1, 2]);
    expect(other).toEqual([1, 1, 2]);
    expect((await agent.session('a'))?.state).toMatchObject({
      counting: { count: { value: 2, version: 1 } },
      second: { count: { value: 2 } },
    });
  });

  it('goes on in another agent over the same store', async () => {
    const seen: JsonValue[] = [];
    const store = memoryStore();
    await runTwice([counting('session', seen)], { store });
    await runTwice([counting('session', seen)], { store });
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('is kept through an interrupt, that of the run too', async () => {
    const ofRun: JsonValue[] = [];
    const ask = defineTool({
      name: 'look',
      description: 'Asks.',
      input: { type: 'object' },
      execute: (_, { interrupt }) => interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } }),
    });
    const store = memoryStore();
    const make = (steps: ScriptedStep[]) =>
      createAgent({ model: scriptedModel(steps), store, tools: [ask], plugins: [counting('run', ofRun)] });
    const before = await make([{ toolCalls: [{ name: 'look' }] }]);
    const paused = await before.run('hello', { sessionId: 's' });
    await before.close();
    await using after = await make([{ text: 'done' }]);
    await after.resume('s', { [paused.interrupts[0]?.id ?? '']: 'yes' });
    expect(ofRun).toEqual([1, 2]);
  });

  it.each([
    ['a Date', new Date(0), ''],
    ['a function', { at: { deep: () => {} } }, '.at.deep'],
    ['NaN', [Number.NaN], '[0]'],
  ])('refuses %s, with the path and the plugin', async (_, value, path) => {
    const wrong = definePlugin({
      name: 'wrong',
      setup({ hooks, state }) {
        const notes: PluginState<JsonValue> = state<JsonValue>({ key: 'notes', initial: () => null });
        hooks.beforeModel.tap('x', (_, run) => notes.set(run, value as unknown as JsonValue));
      },
    })();
    await using agent = await createAgent({ log: 'silent', model: scriptedModel([]), plugins: [wrong] });
    const run = agent.run('hello');
    await expect(run).rejects.toMatchObject({ plugin: 'wrong', hook: 'beforeModel' });
    await expect(run).rejects.toThrow(`"notes"${path}`);
  });

  describe('of an older version', () => {
    async function storeWithVersion1(): Promise<Store> {
      const store = memoryStore();
      const plugin = definePlugin({
        name: 'notes',
        setup({ hooks, state }) {
          const notes = state<JsonValue>({ key: 'notes', initial: () => 'old' });
          hooks.beforeModel.tap('x', (_, run) => notes.set(run, 'kept'));
        },
      })();
      await using agent = await createAgent({
        model: scriptedModel([{ text: 'x' }]),
        store,
        plugins: [plugin],
      });
      await agent.run('hello', { sessionId: 's' });
      return store;
    }

    function version3(migrate: Record<number, (old: JsonValue) => JsonValue>, seen: JsonValue[]): Plugin {
      return definePlugin({
        name: 'notes',
        setup({ hooks, state }) {
          const notes = state<JsonValue>({
            key: 'notes',
            version: 3,
            initial: () => ({ text: 'new' }),
            migrate,
          });
          hooks.beforeModel.tap('x', (_, run) => void seen.push(notes.get(run)));
        },
      })();
    }

    it('is migrated step by step', async () => {
      const seen: JsonValue[] = [];
      const plugin = version3({ 1: (old) => [old], 2: (old) => ({ text: old }) }, seen);
      await using agent = await createAgent({
        model: scriptedModel([{ text: 'x' }]),
        store: await storeWithVersion1(),
        plugins: [plugin],
      });
      await agent.run('hello', { sessionId: 's' });
      expect(seen).toEqual([{ text: ['kept'] }]);
    });

    it('is refused when a step is missing', async () => {
      const plugin = version3({ 2: (old) => old }, []);
      const store = await storeWithVersion1();
      await using agent = await createAgent({
        log: 'silent',
        model: scriptedModel([{ text: 'x' }]),
        store,
        plugins: [plugin],
      });
      const error: unknown = await agent.run('hello', { sessionId: 's' }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ plugin: 'notes' });
      expect([error, (error as Error).cause]).toContainEqual(
        expect.objectContaining({ code: 'STATE_VERSION' }),
      );
    });
  });
});

describe('what hooks are told', () => {
  it('is model and limits, run, session and call ids, step, attempt, signal and logger', async () => {
    const seen: Record<string, unknown> = {};
    const curious = definePlugin({
      name: 'curious',
      wrapModelCall(request, next, scope) {
        const { run, attempt, signal, resumed, origin } = scope;
        seen['model'] = [
          request.model.id,
          request.model.limits,
          run.id,
          run.sessionId,
          run.agent,
          run.step,
          attempt,
          resumed,
          origin,
          signal.aborted,
          typeof run.log.info,
        ];
        return next(request);
      },
      wrapToolCall(call, next, { run, attempt, signal }) {
        seen['tool'] = [call, run.id, run.step, attempt, signal.aborted];
        return next(call);
      },
      beforeModel: (_, run) => void (seen[`new ${run.step}`] = run.newMessages.map(({ role }) => role)),
    })();
    const model = scriptedModel([{ toolCalls: [{ name: 'look', args: { at: 1 } }] }, { text: 'x' }], {
      contextTokens: 99,
    });
    await using agent = await createAgent({
      name: 'cook',
      model,
      tools: [toolNamed('look')],
      plugins: [curious],
    });
    const result = await agent.run('hello', { sessionId: 's' });
    expect(seen['model']).toEqual([
      'test/scripted',
      { contextTokens: 99 },
      result.runId,
      's',
      'cook',
      2,
      1,
      false,
      undefined,
      false,
      'function',
    ]);
    expect(seen['tool']).toEqual([
      { id: 'call_1', name: 'look', input: { at: 1 }, index: 0 },
      result.runId,
      1,
      1,
      false,
    ]);
    expect([seen['new 1'], seen['new 2']]).toEqual([['user'], ['assistant', 'tool']]);
  });

  it('lets their tools speak in their name, and those of the agent in that of tools', async () => {
    const speaking = (name: string) =>
      defineTool({
        name,
        description: '',
        input: { type: 'object' },
        execute: (_args, { run }) => {
          run.event('said', name);
          run.warn('SAID', name);
        },
      });
    const model = scriptedModel([{ toolCalls: [{ name: 'own' }, { name: 'theirs' }] }, { text: 'Done.' }]);
    const brings = definePlugin({ name: 'brings', tools: [speaking('theirs')] })();
    await using agent = await createAgent({
      model,
      log: 'silent',
      tools: [speaking('own')],
      plugins: [{ use: brings, id: 'mine' }],
    });
    const { events } = await collectEvents(agent.stream('hello'));
    expect(events.filter(({ type }) => type === 'plugin' || type === 'warning')).toEqual([
      { type: 'plugin', plugin: 'tool', name: 'said', data: 'own' },
      { type: 'warning', code: 'tool/SAID', message: 'own', plugin: 'tool' },
      { type: 'plugin', plugin: 'mine', name: 'said', data: 'theirs' },
      { type: 'warning', code: 'brings/SAID', message: 'theirs', plugin: 'mine' },
    ]);
  });

  it('lets them put events of their own on the stream', async () => {
    const plugin = definePlugin({ name: 'audit', beforeAgent: (run) => run.event('seen', { at: 1 }) })();
    await using agent = await createAgent({
      model: scriptedModel([{ text: 'x' }]),
      plugins: [{ use: plugin, id: 'first' }],
    });
    const { events } = await collectEvents(agent.stream('hello'));
    expect(events).toContainEqual({ type: 'plugin', plugin: 'first', name: 'seen', data: { at: 1 } });
  });

  it('lets beforeAgent replace the input', async () => {
    const plugin = definePlugin({
      name: 'polite',
      beforeAgent: (run) =>
        run.setInput(
          run.newMessages.map((message) => ({ role: 'user', content: `${textOf(message)}, please` })),
        ),
    })();
    const model = scriptedModel([{ text: 'x' }]);
    await using agent = await createAgent({ model, plugins: [plugin] });
    await agent.run('hello');
    expect(model.requests[0]?.messages.map(textOf)).toEqual(['hello, please']);
  });
});

describe('interception', () => {
  it('sees each tap, what goes in and what comes out, and is not in the order', async () => {
    const lines: string[] = [];
    const watcher = definePlugin({
      name: 'watcher',
      setup({ hooks }) {
        hooks.wrapModelCall.intercept({
          name: 'spy',
          register: ({ plugin, stage }) => void lines.push(`register ${plugin} ${stage}`),
          call: () => void lines.push('call'),
          tap: ({ plugin }) => {
            lines.push(`tap ${plugin}`);
            return {
              next: () => void lines.push(`next of ${plugin}`),
              back: () => void lines.push(`back to ${plugin}`),
              done: () => void lines.push(`done ${plugin}`),
            };
          },
          result: () => void lines.push('result'),
        });
      },
    })();
    const trace = hookTrace();
    const hooks = ['wrapModelCall'] as const;
    await using agent = await createAgent({
      model: scriptedModel([{ text: 'x' }]),
      plugins: [trace.plugin('b', 10, { hooks }), watcher, trace.plugin('a', 90, { hooks })],
    });
    expect(lines.splice(0)).toEqual(['register a 0', 'register b 1']);
    await agent.run('hello');
    expect(lines).toEqual([
      'call',
      'tap a',
      'next of a',
      'tap b',
      'next of b',
      'back to b',
      'done b',
      'back to a',
      'done a',
      'result',
    ]);
  });

  it('cannot replace a function of another plugin', async () => {
    const trace = traceHooks({ name: 'victim' });
    const hostile = definePlugin({
      name: 'hostile',
      setup({ hooks }) {
        hooks.beforeModel.intercept({
          register: (tap) => {
            Object.assign(tap, { fn: () => {}, plugin: 'x' });
          },
        });
      },
    })();
    const started = createAgent({ model: scriptedModel([{ text: 'x' }]), plugins: [trace, hostile] });
    await expect(started).rejects.toMatchObject({ plugin: 'hostile' });
  });
});
