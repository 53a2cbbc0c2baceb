import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { hookTrace, traceHooks } from '../../../testing/src/trace-hooks.ts';
import { isShallotError } from '../base/errors.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { ModelNext } from '../contract/hooks.ts';
import type { Chunk, ModelRequest, ModelResponse } from '../contract/model.ts';
import type { Plugin, PluginSetup } from '../contract/plugin.ts';
import type { RunResult } from '../contract/result.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});
const smell = defineTool({
  name: 'smell',
  description: 'Smells.',
  input: { type: 'object' },
  execute: () => 'sharp',
});
const oneCall: readonly ScriptedStep[] = [{ toolCalls: [{ name: 'look' }] }, { text: 'It is an onion.' }];

interface Ran {
  readonly result: RunResult | undefined;
  readonly error: unknown;
  readonly requests: readonly ModelRequest[];
}

/** One run, with whatever it ended in. */
async function run(
  plugins: readonly Plugin[],
  steps = oneCall,
  options: Partial<AgentOptions> = {},
): Promise<Ran> {
  const model = scriptedModel(steps);
  await using agent = await createAgent({ log: 'silent', model, tools: [look], ...options, plugins });
  try {
    return { result: await agent.run('What is it?'), error: undefined, requests: model.requests };
  } catch (error) {
    return { result: isShallotError(error) ? error.result : undefined, error, requests: model.requests };
  }
}

function wrapping(
  name: string,
  wrap: (request: ModelRequest, next: ModelNext, ...rest: never[]) => unknown,
  priority?: number,
): Plugin {
  // Some of these return what no plugin should.
  const fn = wrap as (request: ModelRequest, next: ModelNext) => Promise<ModelResponse>;
  const setup = ({ hooks }: PluginSetup): void => hooks.wrapModelCall.tap(name, fn);
  return definePlugin({ name, ...(priority === undefined ? {} : { priority }), setup })();
}

async function retryOnce(request: ModelRequest, next: ModelNext): Promise<ModelResponse> {
  try {
    return await next(request);
  } catch {
    return next(request);
  }
}

function answer(text: string): ModelResponse {
  return { message: { role: 'assistant', content: [{ type: 'text', text }] }, finish: 'stop' };
}

describe('what the layers pass on', () => {
  it('is not asked for with a signal that has been aborted already', async () => {
    const enough = new Error('enough');
    const impatient = wrapping('impatient', (request, next) =>
      next(request, { signal: AbortSignal.abort(enough) }),
    );
    const { error, requests } = await run([impatient]);
    expect(error).toHaveProperty('cause', enough);
    expect(requests).toEqual([]);
  });

  it('is what the innermost handler uses: messages, instructions, tools, settings and model', async () => {
    const other = scriptedModel([{ text: 'from the other' }]);
    const rewrite = wrapping('rewrite', (request, next) =>
      next({
        ...request,
        model: other,
        instructions: 'Be brief.',
        messages: request.messages.slice(-1),
        tools: [smell],
        settings: { temperature: 0 },
      }),
    );
    const { result, requests } = await run([rewrite]);
    expect(result?.text).toBe('from the other');
    expect(requests).toEqual([]);
    expect(other.requests).toMatchObject([
      {
        instructions: 'Be brief.',
        tools: [{ name: 'smell' }],
        settings: { temperature: 0 },
        messages: [{ role: 'user' }],
      },
    ]);
  });

  it('holds for one call; what beforeModel returns is kept of its messages only', async () => {
    const plugin = definePlugin({
      name: 'rewrite',
      beforeModel: (request, run) =>
        run.step === 1
          ? {
              ...request,
              instructions: 'Once.',
              messages: request.messages.map((message) => ({ ...message, source: 'rewrite' })),
            }
          : undefined,
      wrapModelCall: (request, next, { run }) =>
        next(
          run.step === 1
            ? { ...request, messages: request.messages.slice(), settings: { seed: 1 } }
            : request,
        ),
    })();
    const { requests } = await run([plugin]);
    expect(requests.map(({ instructions, settings }) => ({ instructions, settings }))).toEqual([
      { instructions: 'Once.', settings: { seed: 1 } },
      { instructions: '', settings: {} },
    ]);
    expect(requests[1]?.messages[0]).toMatchObject({ role: 'user', source: 'rewrite' });
  });

  it('has tools only when there are some', async () => {
    const without = wrapping('without', (request, next) => next({ ...request, tools: [] }));
    const { requests } = await run([without], [{ text: 'x' }]);
    expect(requests[0] && 'tools' in requests[0]).toBe(false);
  });

  it('decides which tools may be called: a hidden one is unknown', async () => {
    const hide = wrapping('hide', (request, next) => next({ ...request, tools: [smell] }));
    const { result } = await run([hide]);
    const results = result?.messages.filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([{ name: 'look', isError: true }]);
    expect(JSON.stringify(results)).toContain('smell');
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'request'],
    ['a request without messages', { instructions: '' }],
  ])('may not be %s', async (_, passed) => {
    const { error } = await run([wrapping('bad', (_, next) => next(passed as unknown as ModelRequest))]);
    expect(error).toMatchObject({ plugin: 'bad', hook: 'wrapModelCall' });
  });
});

describe('next', () => {
  it('need not be called', async () => {
    const { result, requests } = await run([wrapping('cache', () => answer('from the cache'))]);
    expect([result?.text, requests.length]).toEqual(['from the cache', 0]);
  });

  it('may be called again, and then enters only the layers inside', async () => {
    const trace = hookTrace();
    const retry = wrapping('retry', retryOnce, 36);
    const { result } = await run(
      [trace.plugin('outer', 90), retry, trace.plugin('inner', 10)],
      [{ error: new Error('reset') }, { text: 'second' }],
    );
    expect(result?.text).toBe('second');
    expect(trace.lines).toEqual([
      'outer beforeAgent',
      'inner beforeAgent',
      'outer beforeModel',
      'inner beforeModel',
      'outer wrapModelCall >',
      'inner wrapModelCall >',
      'inner wrapModelCall ! reset',
      'inner wrapModelCall >',
      'inner wrapModelCall <',
      'outer wrapModelCall <',
      'inner afterModel',
      'outer afterModel',
      'inner afterAgent completed',
      'outer afterAgent completed',
    ]);
  });

  it('counts its attempts for the layers inside', async () => {
    const attempts: number[] = [];
    const twice = wrapping(
      'twice',
      async (request, next) => {
        await next(request);
        return next(request);
      },
      40,
    );
    const count = definePlugin({
      name: 'count',
      wrapModelCall: (request, next, scope) => (attempts.push(scope.attempt), next(request)),
    })();
    await run([twice, count], [{ text: 'one' }, { text: 'two' }]);
    expect(attempts).toEqual([1, 2]);
  });

  it('may run several times at once when it says so', async () => {
    const race = wrapping('race', async (request, next) => {
      const both = await Promise.all([next(request, { parallel: true }), next(request, { parallel: true })]);
      return both[1];
    });
    const { result } = await run([race], [{ text: 'one' }, { text: 'two' }]);
    expect(result?.text).toBe('two');
  });

  it('gives up the slower one of several when the layer has what it wants, and leaves the other alone', async () => {
    const signals: AbortSignal[] = [];
    const race = wrapping(
      'race',
      (request, next) => Promise.race([next(request, { parallel: true }), next(request, { parallel: true })]),
      40,
    );
    const inner = definePlugin({
      name: 'inner',
      wrapModelCall: (request, next, { signal }) => (signals.push(signal), next(request)),
    })();
    const { result } = await run([race, inner], [{ text: 'fast' }, { chunks: [], stall: true }]);
    expect(result?.text).toBe('fast');
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });

  it('is refused after its layer has settled, with the name of the layer', async () => {
    let late: Promise<unknown> | undefined;
    const forgetful = wrapping('forgetful', (request, next) => {
      const askLate = async (): Promise<unknown> => {
        await sleep(5);
        return next(request);
      };
      late = askLate();
      late.catch(() => {});
      return answer('at once');
    });
    const { result } = await run([forgetful]);
    expect(result?.text).toBe('at once');
    await expect(late).rejects.toMatchObject({
      code: 'NEXT_LATE',
      plugin: 'forgetful',
      hook: 'wrapModelCall',
    });
  });

  it('gives up what the call before it left running', async () => {
    const signals: AbortSignal[] = [];
    const impatient = wrapping(
      'impatient',
      async (request, next) => {
        void next(request).catch(() => {});
        await sleep(5);
        return next(request);
      },
      40,
    );
    const inner = definePlugin({
      name: 'inner',
      wrapModelCall: (request, next, scope) => (signals.push(scope.signal), next(request)),
    })();
    const { result } = await run([impatient, inner], [{ chunks: [], stall: true }, { text: 'second' }]);
    expect(result?.text).toBe('second');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });
});

describe('a layer that settles', () => {
  it('with an error of its own emit closes the layers inside', async () => {
    const broken = wrapping('broken', (request, next) =>
      next(request, { emit: () => Promise.reject(new Error('no listener')) }),
    );
    const model = {
      id: 'test/deaf',
      generate: async (_: ModelRequest, { emit }: { emit: (chunk: Chunk) => unknown }) => {
        void emit({ type: 'text-delta', index: 0, text: 'x' });
        await sleep(20);
        return answer('x');
      },
    };
    const { error } = await run([broken], [], { model });
    expect(error).toMatchObject({ code: 'PLUGIN_FAILED', plugin: 'broken' });
    expect(String(error)).toContain('no listener');
  });

  it('closes what it left running: the signal is aborted, nothing comes through', async () => {
    const chunks: Chunk[] = [];
    let modelSignal: AbortSignal | undefined;
    let lateEmit: ((chunk: Chunk) => unknown) | undefined;
    const model = {
      id: 'test/slow',
      generate: (_: ModelRequest, call: { signal: AbortSignal; emit: (chunk: Chunk) => unknown }) => {
        modelSignal = call.signal;
        lateEmit = call.emit;
        return new Promise<never>(() => {});
      },
    };
    const hasty = wrapping('hasty', async (request, next) => {
      void next(request).catch(() => {});
      await sleep(5);
      return answer('enough');
    });
    await using agent = await createAgent({ model, plugins: [hasty] });
    const stream = agent.stream('hello');
    for await (const event of stream) if (event.type === 'text-delta') chunks.push(event);
    lateEmit?.({ type: 'text-delta', index: 0, text: 'too late' });
    expect(modelSignal?.aborted).toBe(true);
    expect(chunks.map((chunk) => ('text' in chunk ? chunk.text : ''))).toEqual(['enough']);
  });

  it('leaves alone what has come to its end, so that passing through changes nothing', async () => {
    for (const plugins of [[], [wrapping('async', async (request, next) => await next(request))]]) {
      let aborts = 0;
      const model = scriptedModel([{ text: 'x' }]);
      const listening = {
        ...model,
        generate: (request: ModelRequest, call: Parameters<typeof model.generate>[1]) => {
          call.signal.addEventListener('abort', () => (aborts += 1));
          return model.generate(request, call);
        },
      };
      await using agent = await createAgent({ model: listening, plugins });
      await agent.run('hello');
      expect(aborts).toBe(0);
    }
  });
});

describe('a plugin that does it wrong', () => {
  const beforeAfter = ['beforeAgent', 'beforeModel', 'afterModel', 'afterAgent'] as const;
  const wraps = ['wrapModelCall', 'wrapToolCall'] as const;

  /** A plugin whose tap of one hook is this function, whatever it does. */
  function tapping(
    hook: (typeof beforeAfter)[number] | (typeof wraps)[number],
    fn: (given: unknown, next: (passed: unknown) => unknown) => unknown,
    how: 'tap' | 'tapPromise' = 'tap',
  ): Plugin {
    // Plugins written in JavaScript may do this.
    return definePlugin({
      name: 'bad',
      setup: ({ hooks }) => (hooks[hook][how] as (name: string, tap: typeof fn) => void)('bad', fn),
    })();
  }

  const failures = {
    'throws at once': () => {
      throw new Error('bad');
    },
    rejects: () => Promise.reject(new Error('bad')),
    'throws what is not an error': () => {
      throw 'bad';
    },
  };

  for (const hook of [...beforeAfter, ...wraps]) {
    for (const [how, fn] of Object.entries(failures)) {
      for (const place of ['first', 'last']) {
        it(`fails by name when ${hook} ${how}, as the ${place} tap`, async () => {
          const others = [traceHooks({ name: 'a' }), traceHooks({ name: 'b' })];
          const plugins = place === 'first' ? [tapping(hook, fn), ...others] : [...others, tapping(hook, fn)];
          const { error, result } = await run(plugins);
          const failure = hook === 'afterAgent' ? result?.errors[0] : error;
          expect(failure).toMatchObject({ code: 'PLUGIN_FAILED', plugin: 'bad', hook });
          expect(isShallotError(failure) && String(failure.cause)).toMatch(/bad/);
          expect(result?.outcome).toBe(hook === 'afterAgent' ? 'completed' : 'failed');
          // Every tap of afterAgent still runs.
          // Of those whose beforeAgent was reached.
          const reached = others.filter(({ lines }) =>
            lines.includes(`${lines[0]?.split(' ')[0]} beforeAgent`),
          );
          for (const { lines } of reached) expect(lines.at(-1)).toMatch(/afterAgent/);
        });
      }
    }
  }

  for (const hook of [...beforeAfter, ...wraps]) {
    it(`fails by name when ${hook} was tapped with tapPromise and returns no promise`, async () => {
      const { error, result } = await run([tapping(hook, () => undefined, 'tapPromise')]);
      const failure = hook === 'afterAgent' ? result?.errors[0] : error;
      expect(failure).toMatchObject({ code: 'HOOK_RESULT', plugin: 'bad', hook });
    });
  }

  for (const hook of ['beforeModel', 'afterModel', 'afterAgent', ...wraps] as const) {
    for (const junk of ['text', 42, {}, [], null]) {
      it(`fails by name when ${hook} returns ${JSON.stringify(junk)}`, async () => {
        const { error, result } = await run([tapping(hook, () => junk)]);
        const failure = hook === 'afterAgent' ? result?.errors[0] : error;
        expect(failure).toMatchObject({ code: 'HOOK_RESULT', plugin: 'bad', hook });
      });
    }
  }

  for (const hook of wraps) {
    it(`fails by name when ${hook} returns nothing`, async () => {
      for (const nothing of [() => undefined, () => Promise.resolve()]) {
        const { error } = await run([tapping(hook, nothing)]);
        expect(error).toMatchObject({ code: 'HOOK_RESULT', plugin: 'bad', hook });
      }
    });
  }

  for (const hook of wraps) {
    it(`fails by name when ${hook} calls next with what is no request`, async () => {
      const { error } = await run([tapping(hook, (_, next) => next(7))]);
      expect(error).toMatchObject({
        code: 'HOOK_RESULT',
        plugin: 'bad',
        message: expect.stringMatching(
          `^${hook} of bad called next with the number 7; it must pass a (model request|tool call): `,
        ) as string,
      });
    });
  }

  for (const hook of beforeAfter) {
    it(`fails by name when ${hook} never settles`, async () => {
      const { error, result } = await run([tapping(hook, () => new Promise(() => {}))], oneCall, {
        hookTimeoutMs: 20,
      });
      const failure = hook === 'afterAgent' ? result?.errors[0] : error;
      expect(failure).toMatchObject({ code: 'HOOK_TIMEOUT', plugin: 'bad', hook });
    });
  }

  for (const callback of ['call', 'tap', 'result'] as const) {
    for (const hook of [...beforeAfter, ...wraps]) {
      it(`fails by name when its interceptor of ${hook} throws in ${callback}`, async () => {
        const fail = (): never => {
          throw new Error('bad');
        };
        const watcher = definePlugin({
          name: 'watcher',
          setup: ({ hooks }) => hooks[hook].intercept({ name: 'spy', [callback]: fail }),
        })();
        const { error, result } = await run([traceHooks(), watcher]);
        const failure = hook === 'afterAgent' ? result?.errors[0] : error;
        expect(failure).toMatchObject({ code: 'HOOK_INTERCEPTOR', plugin: 'watcher', hook });
      });
    }
  }
});

describe('errors', () => {
  it('go outwards as they are, and are the cause of what run rejects with', async () => {
    const failure = Object.assign(new Error('no'), { status: 400 });
    const seen: unknown[] = [];
    const watch = (name: string): Plugin =>
      wrapping(name, (request, next) =>
        next(request).catch((error: unknown) => {
          seen.push(error);
          throw error;
        }),
      );
    const { error, result } = await run([watch('a'), watch('b')], [{ error: failure }]);
    expect(seen).toEqual([failure, failure]);
    expect(seen.every((each) => each === failure)).toBe(true);
    expect(error).toMatchObject({ code: 'MODEL_FAILED', cause: failure });
    expect(result).toMatchObject({ outcome: 'failed', stopReason: 'model-error' });
  });

  it('of a plugin name it, also when layers further out pass them on', async () => {
    const failure = new Error('mine');
    const inner = wrapping('inner', () => Promise.reject(failure), 10);
    const outer = wrapping('outer', async (request, next) => await next(request), 90);
    const { error } = await run([outer, inner]);
    expect(error).toMatchObject({
      code: 'PLUGIN_FAILED',
      plugin: 'inner',
      hook: 'wrapModelCall',
      cause: failure,
    });
  });

  it('of a tool give the same outcome with and without a layer that passes through', async () => {
    const fail = defineTool({
      name: 'look',
      description: 'Fails.',
      input: { type: 'object' },
      execute() {
        throw new Error('it is dark');
      },
    });
    const normal = (ran: Ran): unknown => [
      ran.result?.outcome,
      ran.result?.messages.map(({ role, content }) => [role, content]),
    ];
    for (const toolErrors of ['report', 'throw'] as const) {
      const options = { tools: [fail], toolErrors };
      const bare = await run([], oneCall, options);
      const wrapped = await run([traceHooks(), traceHooks({ name: 'gate', gate: true })], oneCall, options);
      expect(normal(wrapped)).toEqual(normal(bare));
      expect(bare.result?.outcome).toBe(toolErrors === 'report' ? 'completed' : 'failed');
      expect(isShallotError(bare.error) && bare.error.code).toBe(toolErrors === 'throw' && 'TOOL_FAILED');
      expect(isShallotError(wrapped.error) && wrapped.error.code).toBe(
        toolErrors === 'throw' && 'TOOL_FAILED',
      );
    }
  });
});
