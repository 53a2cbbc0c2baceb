import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { collectEvents, type CollectedEvents } from '../../../testing/src/collect-events.ts';
import { eventLines } from '../../../testing/src/event-lines.ts';
import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { hookTrace } from '../../../testing/src/trace-hooks.ts';
import type { JsonValue } from '../base/json.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { ModelNext, ModelScope } from '../contract/hooks.ts';
import { textOf } from '../contract/messages.ts';
import type { ChatModel, Chunk, Emit, ModelRequest, ModelResponse } from '../contract/model.ts';
import type { Plugin } from '../contract/plugin.ts';
import { defineTool, type ToolContext } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

type Wrap = (
  request: ModelRequest,
  next: ModelNext,
  scope: ModelScope,
) => ModelResponse | Promise<ModelResponse>;

function layer(name: string, wrap: Wrap, priority = 25): Plugin {
  return definePlugin({ name, priority, setup: ({ hooks }) => hooks.wrapModelCall.tap(name, wrap) })();
}

const retry = (priority = 36): Plugin =>
  layer(
    'retry',
    async (request, next) => {
      try {
        return await next(request);
      } catch {
        return next(request);
      }
    },
    priority,
  );

async function stream(
  steps: readonly ScriptedStep[],
  plugins: readonly Plugin[] = [],
  options: Partial<AgentOptions> = {},
): Promise<CollectedEvents> {
  await using agent = await createAgent({
    log: 'silent',
    model: scriptedModel(steps),
    ...options,
    plugins,
  });
  return await collectEvents(agent.stream('hello'));
}

/** The lines of a model's answer. */
const answerLines = ({ events }: CollectedEvents): string[] =>
  eventLines(events).filter((line) => /^(text|reasoning|tool-call|part-end|restart)/.test(line));

function answer(text: string): ModelResponse {
  return { message: { role: 'assistant', content: [{ type: 'text', text }] }, finish: 'stop' };
}

function mapText({ message, ...rest }: ModelResponse, change: (text: string) => string): ModelResponse {
  const content = message.content.map((part) =>
    part.type === 'text' ? { ...part, text: change(part.text) } : part,
  );
  return { ...rest, message: { ...message, content } };
}

describe('both modes', () => {
  it('run the same hooks, with the same result', async () => {
    const steps: ScriptedStep[] = [
      { text: 'Let me see.', toolCalls: [{ name: 'look', args: { at: 'it' } }] },
      { reasoning: 'Round, brown.', text: 'An onion, I think.' },
    ];
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      execute: () => 'onion',
    });
    const run = async (streamed: boolean): Promise<readonly unknown[]> => {
      const trace = hookTrace();
      const model = trace.model(scriptedModel(steps));
      const plugins = [
        trace.plugin('a', 90),
        trace.plugin('b', 10),
        trace.plugin('gate', 50, { gate: true }),
      ];
      await using agent = await createAgent({ model, tools: [trace.tool(look)], plugins });
      const result = await (streamed ? agent.stream('hello').result : agent.run('hello'));
      return [trace.lines, result.text, result.messages.map(({ id: _, ...message }) => message)];
    };
    expect(await run(true)).toEqual(await run(false));
  });

  it('show what the model writes, part by part', async () => {
    const collected = await stream([{ reasoning: 'Hm, well.', text: 'An onion.' }]);
    expect(answerLines(collected)).toEqual([
      'reasoning 0 "Hm, well."',
      'part-end 0',
      'text 1 "An onion."',
      'part-end 1',
    ]);
    expect(collected.text).toBe(collected.result?.text);
  });

  it('tell the model whether anybody listens', async () => {
    const wants: boolean[] = [];
    const model: ChatModel = {
      id: 'test/asks',
      async generate(_, { wantsChunks }) {
        wants.push(wantsChunks);
        return answer('An onion.');
      },
    };
    await using agent = await createAgent({ model });
    await agent.run('hello');
    const { text } = await collectEvents(agent.stream('hello'));
    expect(wants).toEqual([false, true]);
    // An answer in one piece is shown, too.
    expect(text).toBe('An onion.');
  });
});

describe('restart', () => {
  const broken: ScriptedStep = { chunks: ['An app'], end: 'broken' };

  it('comes between two drafts, so that nobody ends with both', async () => {
    const collected = await stream([broken, { text: 'An onion.' }], [retry()]);
    expect(answerLines(collected)).toEqual([
      'text 0 "An app"',
      'restart',
      'text 0 "An onion."',
      'part-end 0',
    ]);
    expect(collected.text).toBe('An onion.');
  });

  it('does not come when nothing was shown of the first draft', async () => {
    const collected = await stream([{ error: new Error('reset') }, { text: 'An onion.' }], [retry()]);
    expect(answerLines(collected)).toEqual(['text 0 "An onion."', 'part-end 0']);
  });

  it('does not come again before anything of the next draft was shown', async () => {
    const thrice = layer('thrice', async (request, next) => {
      for (let left = 2; ; left -= 1) {
        try {
          return await next(request);
        } catch (error) {
          if (left === 0) throw error;
        }
      }
    });
    const through = layer(
      'through',
      (request, next, { emit }) => next(request, { emit: emit && ((chunk) => emit(chunk)) }),
      60,
    );
    for (const plugins of [[thrice], [through, thrice]]) {
      const collected = await stream([broken, { error: new Error('reset') }, { text: 'An onion.' }], plugins);
      expect(answerLines(collected)).toEqual([
        'text 0 "An app"',
        'restart',
        'text 0 "An onion."',
        'part-end 0',
      ]);
    }
  });

  it('is the last of a model that was given up and goes on all the same', async () => {
    let goOn: Emit | undefined;
    const model: ChatModel = {
      id: 'test/deaf',
      async generate(_, { emit }) {
        if (goOn === undefined) {
          goOn = emit;
          await emit({ type: 'text-delta', index: 0, text: 'An app' });
          return new Promise(() => {});
        }
        await goOn({ type: 'text-delta', index: 0, text: 'le' });
        await emit({ type: 'text-delta', index: 0, text: 'An onion.' });
        await goOn({ type: 'text-delta', index: 0, text: 's' });
        return answer('An onion.');
      },
    };
    const impatient = layer('impatient', async (request, next) => {
      void next(request);
      await sleep(10);
      return next(request);
    });
    const collected = await stream([], [impatient], { model });
    expect(answerLines(collected)).toEqual(['text 0 "An app"', 'restart', 'text 0 "An onion."']);
  });

  it('is not needed for an answer that waited in afterModel: its content comes when the run goes on', async () => {
    const asking = definePlugin({
      name: 'asking',
      async afterModel(response, run) {
        await run.interrupt({ kind: 'q', payload: null, answer: { type: 'boolean' } });
        return mapText(response, (text) => text.toUpperCase());
      },
    })();
    const model = scriptedModel([{ text: 'An onion.' }]);
    await using agent = await createAgent({ model, plugins: [asking] });
    const { result } = await collectEvents(agent.stream('hello', { sessionId: 's' }));
    const answers = { [result?.interrupts[0]?.id ?? '']: true };
    const collected = await collectEvents(agent.streamResume('s', answers));
    expect(answerLines(collected)).toEqual(['text 0 "AN ONION."', 'part-end 0']);
  });

  it('reaches a layer through its own emit, which passes it on', async () => {
    const seen: string[] = [];
    const noting = layer(
      'noting',
      (request, next, { emit }) =>
        next(request, {
          emit:
            emit &&
            ((chunk) => {
              seen.push(chunk.type);
              return emit(chunk);
            }),
        }),
      60,
    );
    const collected = await stream([broken, { text: 'Onion' }], [noting, retry()]);
    expect(seen).toEqual(['text-delta', 'restart', 'text-delta', 'part-end']);
    expect(collected.text).toBe('Onion');
  });

  it('comes with the whole content when a layer changed the answer but not the chunks', async () => {
    const shouting = layer('shouting', async (request, next) =>
      mapText(await next(request), (text) => text.toUpperCase()),
    );
    const collected = await stream([{ text: 'An onion.' }], [shouting]);
    expect(answerLines(collected)).toEqual([
      'text 0 "An onion."',
      'part-end 0',
      'restart',
      'text 0 "AN ONION."',
      'part-end 0',
    ]);
    expect(collected.text).toBe('AN ONION.');
  });

  it('comes when afterModel changed the answer, and once for all that differs', async () => {
    const after = definePlugin({
      name: 'after',
      afterModel: (response) => mapText(response, (text) => `${text}!`),
    })();
    const shouting = layer('shouting', async (request, next) =>
      mapText(await next(request), (text) => text.toUpperCase()),
    );
    const collected = await stream([{ text: 'An onion.' }], [after, shouting]);
    expect(collected.text).toBe('AN ONION.!');
    expect(collected.events.filter(({ type }) => type === 'restart')).toHaveLength(1);
  });

  it('does not come when a layer answers without the model: the content comes alone', async () => {
    const collected = await stream([], [layer('cache', () => answer('An onion.'))]);
    expect(answerLines(collected)).toEqual(['text 0 "An onion."', 'part-end 0']);
  });

  it('comes before the answer of a layer that gave up on the model', async () => {
    const fallback = layer('fallback', (request, next) => next(request).catch(() => answer('Ask me later.')));
    const collected = await stream([broken], [fallback]);
    expect(answerLines(collected)).toEqual([
      'text 0 "An app"',
      'restart',
      'text 0 "Ask me later."',
      'part-end 0',
    ]);
  });

  it('comes when the tool calls differ, too', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      execute: () => 'x',
    });
    const without = layer('without', async (request, next) => {
      const response = await next(request);
      if (request.messages.length > 1) return response;
      const content = response.message.content.map((part) =>
        part.type === 'tool-call' ? { ...part, input: { at: 'that' } } : part,
      );
      return { ...response, message: { ...response.message, content } };
    });
    const collected = await stream(
      [{ toolCalls: [{ name: 'look', args: { at: 'it' } }] }, { text: 'x' }],
      [without],
      { tools: [look] },
    );
    expect(answerLines(collected).slice(0, 5)).toEqual([
      'tool-call 0 "{\\"at\\":\\"it\\"}"',
      'part-end 0',
      'restart',
      'tool-call 0 "{\\"at\\":\\"that\\"}"',
      'part-end 0',
    ]);
    expect(collected.content[1]).toMatchObject([{ type: 'tool-call', input: { at: 'that' } }]);
  });
});

/** Holds back what may become the secret; flushes at the end of a part, forgets at a restart. */
function redacting(emit: Emit): Emit {
  let held = '';
  const flush = async (index: number, keep: number): Promise<void> => {
    const ready = held.slice(0, Math.max(0, held.length - keep));
    held = held.slice(ready.length);
    if (ready !== '') await emit({ type: 'text-delta', index, text: ready });
  };
  return async (chunk) => {
    if (chunk.type === 'text-delta') {
      held = (held + chunk.text).replaceAll('s3cret', '***');
      return flush(chunk.index, 's3cret'.length - 1);
    }
    if (chunk.type === 'restart') held = '';
    if (chunk.type === 'part-end') await flush(chunk.index, 0);
    return emit(chunk.type === 'part-end' ? { type: 'part-end', index: chunk.index } : chunk);
  };
}

const redaction = (priority: number): Plugin =>
  layer(
    'redaction',
    async (request, next, { emit }) => {
      const response = await next(request, { emit: emit && redacting(emit) });
      return mapText(response, (text) => text.replaceAll('s3cret', '***'));
    },
    priority,
  );

describe('a redacting layer', () => {
  const pieces: ScriptedStep = { chunks: ['The key is s3', 'cr', 'et, keep it. s3c'] };

  it.each([
    ['outside', 62],
    ['inside', 5],
  ])('never leaks a piece of a secret, nor sends anything twice (%s of a retry)', async (_, priority) => {
    for (const steps of [[pieces], [{ ...pieces, end: 'broken' } as ScriptedStep, pieces]]) {
      const collected = await stream(steps, [redaction(priority), retry()]);
      const shown = collected.events.map((event) => ('text' in event ? event.text : '')).join('');
      expect(shown).not.toMatch(/s3cret|s3(?!c$)/);
      expect(collected.text).toBe('The key is ***, keep it. s3c');
      expect(collected.result?.text).toBe(collected.text);
      expect(collected.events.filter(({ type }) => type === 'restart')).toHaveLength(steps.length - 1);
    }
  });
});

describe('a buffering layer', () => {
  it('shows nothing before it has seen all', async () => {
    const seen: string[] = [];
    const buffering = layer('buffering', async (request, next, { emit }) => {
      const chunks: Chunk[] = [];
      const response = await next(request, { emit: emit && ((chunk) => void chunks.push(chunk)) });
      seen.push(`${chunks.length} chunks`);
      for (const chunk of chunks) await emit?.(chunk);
      return response;
    });
    await using agent = await createAgent({
      model: scriptedModel([{ text: 'An onion.' }]),
      plugins: [buffering],
    });
    for await (const event of agent.stream('hello')) if (event.type === 'text-delta') seen.push(event.text);
    expect(seen).toEqual(['3 chunks', 'An ', 'onion.']);
  });

  it('that emits nothing leaves it to the core', async () => {
    const silent = layer('silent', (request, next) => next(request, { emit: () => {} }));
    const collected = await stream([{ text: 'An onion.' }], [silent]);
    expect(answerLines(collected)).toEqual(['text 0 "An onion."', 'part-end 0']);
  });
});

describe('emit', () => {
  it('is undefined when nobody listens, and for parallel attempts', async () => {
    const emits: unknown[] = [];
    const noting = layer('noting', (request, next, { emit }) => (emits.push(emit), next(request)), 10);
    const race = layer('race', (request, next) =>
      Promise.race([next(request, { parallel: true }), next(request, { parallel: true })]),
    );
    await using agent = await createAgent({ model: scriptedModel([{ text: 'x' }]), plugins: [noting] });
    await agent.run('hello');
    const collected = await stream([{ text: 'An onion.' }, { text: 'An onion.' }], [race, noting]);
    expect(emits).toEqual([undefined, undefined, undefined]);
    expect(answerLines(collected)).toEqual(['text 0 "An onion."', 'part-end 0']);
  });

  it('of a layer that was given up does nothing', async () => {
    const kept: Emit[] = [];
    const inner = layer(
      'inner',
      async (request, next, { emit, attempt }) => {
        if (emit !== undefined) kept.push(emit);
        if (attempt === 1) await emit?.({ type: 'text-delta', index: 0, text: 'An app' });
        if (attempt === 1) return new Promise(() => {});
        await kept[0]?.({ type: 'text-delta', index: 0, text: 'le' });
        return next(request);
      },
      10,
    );
    const impatient = layer('impatient', async (request, next) => {
      void next(request);
      await sleep(10);
      return next(request);
    });
    const collected = await stream([{ text: 'An onion.' }], [impatient, inner]);
    await kept[1]?.({ type: 'text-delta', index: 0, text: 'much too late' });
    expect(answerLines(collected)).toEqual([
      'text 0 "An app"',
      'restart',
      'text 0 "An onion."',
      'part-end 0',
    ]);
  });

  it('that throws in a layer fails the call, by name', async () => {
    const bad = layer('bad', (request, next) =>
      next(request, {
        emit: () => {
          throw new Error('no');
        },
      }),
    );
    const { error } = await stream([{ text: 'An onion.' }], [bad]);
    expect(error).toMatchObject({ code: 'PLUGIN_FAILED', plugin: 'bad', hook: 'wrapModelCall' });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('that %s in a layer fails the call also when the model does not mind', async (_, emit) => {
    const model: ChatModel = {
      id: 'test/careless',
      async generate(__, call) {
        const push = async (): Promise<void> =>
          call.emit({ type: 'text-delta', index: 0, text: 'An onion.' });
        await push().catch(() => {});
        await new Promise(setImmediate);
        return answer('An onion.');
      },
    };
    const bad = layer('bad', (request, next) => next(request, { emit }));
    const { error } = await stream([], [bad], { model });
    expect(error).toMatchObject({ code: 'PLUGIN_FAILED', plugin: 'bad', hook: 'wrapModelCall' });
  });

  it('costs nothing per chunk for layers that leave it alone: chunks do not pass through them', async () => {
    const model: ChatModel = {
      id: 'test/direct',
      async generate(_, { emit }) {
        // Away from the stack on which the layers called it.
        await sleep(0);
        await emit({ type: 'text-delta', index: 0, text: 'x' });
        return answer('x');
      },
    };
    /** The depth of the stack when a chunk has passed these layers. */
    const depthWith = async (plugins: readonly Plugin[]): Promise<number> => {
      let depth = 0;
      const outermost = layer(
        'outermost',
        (request, next, { emit }) =>
          next(request, {
            emit:
              emit &&
              ((chunk) => {
                depth = new Error('where').stack?.split('\n').length ?? 0;
                return emit(chunk);
              }),
          }),
        90,
      );
      await stream([], [outermost, ...plugins], { model });
      return depth;
    };
    const five = (wrap: Wrap): Plugin[] => Array.from({ length: 5 }, (_, index) => layer(`l${index}`, wrap));
    const through = five((request, next) => next(request));
    const touching = five((request, next, { emit }) =>
      next(request, { emit: emit && ((chunk) => emit(chunk)) }),
    );
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 100;
    try {
      const alone = await depthWith([]);
      // Node's own timer may add a frame or two below; five layers would add at least five.
      expect(await depthWith(through)).toBeLessThan(alone + 5);
      expect(await depthWith(touching)).toBeGreaterThan(alone + 4);
    } finally {
      Error.stackTraceLimit = limit;
    }
  });
});

describe('the progress of a tool', () => {
  const generator = async function* (): AsyncGenerator<JsonValue, string, void> {
    yield 'half';
    yield { done: 0.9 };
    return 'an onion';
  };
  const calling = async (_: unknown, context: ToolContext): Promise<string> => {
    await context.progress('half');
    await context.progress({ done: 0.9 });
    return 'an onion';
  };

  it.each([
    ['yields', generator],
    ['reports', calling],
  ])('is what it %s; with and without a layer', async (_, execute) => {
    const look = defineTool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute });
    const through = definePlugin({ name: 'through', wrapToolCall: (call, next) => next(call) })();
    for (const plugins of [[], [through]]) {
      const steps: ScriptedStep[] = [{ toolCalls: [{ name: 'look' }] }, { text: 'x' }];
      const { events, result } = await stream(steps, plugins, { tools: [look] });
      expect(
        eventLines(events).filter((line) => line.startsWith('tool-') && !line.startsWith('tool-call')),
      ).toEqual([
        'tool-start look({})',
        'tool-progress "half"',
        'tool-progress {"done":0.9}',
        'tool-end look "an onion"',
      ]);
      expect(result?.messages.filter(({ role }) => role === 'tool').map(textOf)).toEqual(['an onion']);
    }
  });

  it('can be changed by a layer, and is dropped when nobody listens', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      execute: generator,
    });
    const hiding = definePlugin({
      name: 'hiding',
      wrapToolCall: (call, next, { emit }) => next(call, { emit: emit && (() => emit('…')) }),
    })();
    const steps: ScriptedStep[] = [{ toolCalls: [{ name: 'look' }] }, { text: 'x' }];
    const { events } = await stream(steps, [hiding], { tools: [look] });
    const progress = events.flatMap((event: AgentEvent) =>
      event.type === 'tool-progress' ? [event.data] : [],
    );
    expect(progress).toEqual(['…', '…']);
    await using agent = await createAgent({ model: scriptedModel(steps), tools: [look], plugins: [hiding] });
    expect((await agent.run('hello')).text).toBe('x');
  });
});
