import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { assertValidRequest } from '../../../testing/src/assert-valid-request.ts';
import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { hookTrace } from '../../../testing/src/trace-hooks.ts';
import { isShallotError } from '../base/errors.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Run, ToolScope } from '../contract/hooks.ts';
import { textOf, type Message } from '../contract/messages.ts';
import type { PluginEntry, PluginSetup } from '../contract/plugin.ts';
import type { RunResult } from '../contract/result.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});
const twoCalls: ScriptedStep = { text: 'Let me see.', toolCalls: [{ name: 'look' }, { name: 'look' }] };

/** One text for each message, for comparing histories. */
function line(message: Message): string {
  const calls =
    message.role === 'assistant' ? message.content.filter(({ type }) => type === 'tool-call').length : 0;
  return `${message.role}: ${textOf(message)}${' [call]'.repeat(calls)}`;
}

interface Ran {
  readonly result: RunResult;
  readonly error: unknown;
  readonly trace: readonly string[];
  readonly history: readonly string[];
}

/** One run between two plugins that only record; a second run shows that the session is still good. */
async function run(
  plugins: (record: (line: string) => void) => readonly PluginEntry[],
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions> = {},
): Promise<Ran> {
  const trace = hookTrace();
  const model = scriptedModel([...steps, { text: 'Still here.' }]);
  await using agent = await createAgent({
    log: 'silent',
    toolConcurrency: 1,
    ...options,
    model: trace.model(model),
    tools: [trace.tool(look)],
    plugins: [
      trace.plugin('a', 80),
      ...plugins((text) => void trace.take().push(text)),
      trace.plugin('b', 20),
    ],
  });
  let result: RunResult | undefined;
  let error: unknown;
  try {
    result = await agent.run('hello', { sessionId: 's' });
  } catch (thrown) {
    error = thrown;
    result = isShallotError(thrown) ? thrown.result : undefined;
  }
  if (result === undefined) throw new Error('there is no result', { cause: error });
  const lines = trace.take();
  const next = await agent.run('And now?', { sessionId: 's' });
  expect(next.text).toBe('Still here.');
  model.assertDone();
  const messages = (await agent.session('s'))?.messages ?? [];
  assertValidRequest({ model, instructions: '', settings: {}, messages });
  return { result, error, trace: lines, history: messages.slice(0, -2).map(line) };
}

interface Cell {
  readonly tap: (plugin: PluginSetup) => void;
  readonly steps: readonly ScriptedStep[];
  readonly trace: readonly string[];
  readonly history: readonly string[];
}

const first = ['a beforeAgent', 'b beforeAgent'];
const beforeModel = ['a beforeModel', 'b beforeModel'];
const modelCall = [
  'a wrapModelCall >',
  'b wrapModelCall >',
  'model',
  'b wrapModelCall <',
  'a wrapModelCall <',
];
const afterModel = ['b afterModel', 'a afterModel'];
const toolCall = [
  'a wrapToolCall look >',
  'b wrapToolCall look >',
  'tool look',
  'b wrapToolCall look <',
  'a wrapToolCall look <',
];
const last = ['b afterAgent completed', 'a afterAgent completed'];
const step = [...beforeModel, ...modelCall, ...afterModel];

const once = (fn: () => void): (() => void) => {
  let done = false;
  return () => {
    if (!done) fn();
    done = true;
  };
};

const cells: Record<string, Cell> = {
  'beforeAgent: end, and no step is run': {
    tap: ({ hooks }) => {
      let runs = 0;
      hooks.beforeAgent.tap('x', (run) => {
        runs += 1;
        if (runs === 1) run.end('The end.');
      });
    },
    steps: [],
    trace: [...first, ...last],
    history: ['user: hello', 'assistant: The end.'],
  },
  'beforeModel: end, and the rest of the pipeline runs, but not the model': {
    tap: ({ hooks }) =>
      hooks.beforeModel.tap('x', (_, run) => {
        if (run.messages.length === 1) run.end('The end.');
      }),
    steps: [],
    trace: [...first, ...beforeModel, ...last],
    history: ['user: hello', 'assistant: The end.'],
  },
  'beforeModel: end in a later step': {
    tap: ({ hooks }) =>
      hooks.beforeModel.tap('x', (_, run) => {
        if (run.step === 2) run.end('The end.');
      }),
    steps: [{ toolCalls: [{ name: 'look' }] }],
    trace: [...first, ...step, ...toolCall, ...beforeModel, ...last],
    history: ['user: hello', 'assistant:  [call]', 'tool: an onion', 'assistant: The end.'],
  },
  'afterModel: end, and each open call is answered': {
    tap: ({ hooks }) => {
      const end = once(() => ended?.end('The end.'));
      let ended: Run | undefined;
      hooks.afterModel.tap('x', (_, run) => {
        ended = run;
        end();
      });
    },
    steps: [twoCalls],
    trace: [...first, ...step, ...last],
    history: [
      'user: hello',
      'assistant: Let me see. [call] [call]',
      'tool: not executed: the run was ended',
      'tool: not executed: the run was ended',
      'assistant: The end.',
    ],
  },
  'afterModel: again, and each open call is answered, the messages are added, and the next step starts': {
    tap: ({ hooks }) =>
      hooks.afterModel.tap('x', (_, run) => {
        if (run.messages.length === 1) run.again('Without looking!');
      }),
    steps: [twoCalls, { text: 'It is an onion.' }],
    trace: [...first, ...step, ...step, ...last],
    history: [
      'user: hello',
      'assistant: Let me see. [call] [call]',
      'tool: not executed: another step was requested',
      'tool: not executed: another step was requested',
      'user: Without looking!',
      'assistant: It is an onion.',
    ],
  },
  'afterModel: again after an answer without calls': {
    tap: ({ hooks }) =>
      hooks.afterModel.tap('x', (_, run) => {
        if (run.messages.length === 1) run.again();
      }),
    steps: [{ text: 'Hm.' }, { text: 'It is an onion.' }],
    trace: [...first, ...step, ...step, ...last],
    history: ['user: hello', 'assistant: Hm.', 'assistant: It is an onion.'],
  },
  'wrapToolCall: end before next, and what has started finishes, the other calls are answered': {
    tap: ({ hooks }) =>
      hooks.wrapToolCall.tap('x', (call, next, { run }) => {
        run.end('The end.');
        return next(call);
      }),
    steps: [twoCalls],
    trace: [...first, ...step, ...toolCall, ...last],
    history: [
      'user: hello',
      'assistant: Let me see. [call] [call]',
      'tool: an onion',
      'tool: not executed: the run was ended',
      'assistant: The end.',
    ],
  },
  'wrapToolCall: end after next, at the last call': {
    tap: ({ hooks }) =>
      hooks.wrapToolCall.tap('x', async (call, next, { run }) => {
        const result = await next(call);
        if (call.index === 1) run.end('The end.');
        return result;
      }),
    steps: [twoCalls],
    trace: [...first, ...step, ...toolCall, ...toolCall, ...last],
    history: [
      'user: hello',
      'assistant: Let me see. [call] [call]',
      'tool: an onion',
      'tool: an onion',
      'assistant: The end.',
    ],
  },
};

const places = { outermost: 95, 'in the middle': 50, innermost: 5 };

describe('the ending table', () => {
  for (const [name, cell] of Object.entries(cells)) {
    for (const [place, priority] of Object.entries(places)) {
      it(`${name} (${place})`, async () => {
        const { result, trace, history } = await run(
          () => [definePlugin({ name: 'ending', priority, setup: cell.tap })()],
          cell.steps,
        );
        expect(trace).toEqual(cell.trace);
        expect(history).toEqual(cell.history);
        const isAgain = name.includes('again');
        expect(result).toMatchObject({
          outcome: 'completed',
          stopReason: isAgain ? 'answer' : 'ended',
          text: isAgain ? 'It is an onion.' : 'The end.',
        });
      });
    }
  }

  for (const [place, priority] of Object.entries(places)) {
    it(`wrapModelCall: end after next, and each open call is answered (${place})`, async () => {
      const ending = definePlugin({
        name: 'ending',
        priority,
        async wrapModelCall(request, next, { run }) {
          const response = await next(request);
          if (request.messages.length === 1) run.end('The end.');
          return response;
        },
      })();
      const { result, trace, history } = await run(() => [ending], [twoCalls]);
      expect(trace).toEqual([...first, ...step, ...last]);
      expect(history).toEqual([
        'user: hello',
        'assistant: Let me see. [call] [call]',
        'tool: not executed: the run was ended',
        'tool: not executed: the run was ended',
        'assistant: The end.',
      ]);
      expect(result).toMatchObject({ outcome: 'completed', stopReason: 'ended', text: 'The end.' });
    });

    it(`wrapModelCall: end instead of next, and the layers outside and afterModel still run (${place})`, async () => {
      const ending = definePlugin({
        name: 'ending',
        priority,
        wrapModelCall(request, next, { run }) {
          if (request.messages.length > 1) return next(request);
          run.end('The end.', { reason: 'limit' });
          return {
            message: { role: 'assistant', content: [{ type: 'text', text: 'Enough.' }] },
            finish: 'stop',
          };
        },
      })();
      const { result, trace, history } = await run(() => [ending], []);
      const outside = ['a', 'b'].filter((plugin) => priority < { a: 80, b: 20 }[plugin as 'a' | 'b']);
      const entered = outside.map((plugin) => `${plugin} wrapModelCall >`);
      const left = outside.toReversed().map((plugin) => `${plugin} wrapModelCall <`);
      expect(trace).toEqual([...first, ...beforeModel, ...entered, ...left, ...afterModel, ...last]);
      expect(history).toEqual(['user: hello', 'assistant: Enough.', 'assistant: The end.']);
      expect(result.stopReason).toBe('limit');
    });
  }

  it.each(['wrapModelCall', 'afterModel'] as const)(
    '%s: end without an answer, and that of the model, which is kept, is the answer',
    async (hook) => {
      const ending = definePlugin({
        name: 'ending',
        setup({ hooks }) {
          const endFirst = ({ messages, end }: Pick<Run, 'messages' | 'end'>): void => {
            if (messages.length === 1) end();
          };
          if (hook === 'afterModel') hooks.afterModel.tap('x', (_, view) => endFirst(view));
          else
            hooks.wrapModelCall.tap('x', (request, next, scope) => {
              endFirst(scope.run);
              return next(request);
            });
        },
      })();
      const { result, history } = await run(() => [ending], [{ text: 'It is an onion.' }]);
      expect(result).toMatchObject({ stopReason: 'ended', text: 'It is an onion.' });
      expect(history).toEqual(['user: hello', 'assistant: It is an onion.']);
    },
  );

  it('lets the calls that run at once with the one that ends finish', async () => {
    const ending = definePlugin({
      name: 'ending',
      async wrapToolCall(call, next, { run }) {
        await sleep(call.index === 0 ? 5 : 20);
        if (call.index === 0) run.end('The end.');
        return next(call);
      },
    })();
    const calls = Array.from({ length: 4 }, () => ({ name: 'look' }));
    const { history } = await run(() => [ending], [{ toolCalls: calls }], { toolConcurrency: 2 });
    expect(history.slice(2)).toEqual([
      'tool: an onion',
      'tool: an onion',
      'tool: not executed: the run was ended',
      'tool: not executed: the run was ended',
      'assistant: The end.',
    ]);
  });
});

describe('end', () => {
  const endIn = (id: string, priority: number, answer?: string): PluginEntry => ({
    use: definePlugin({
      name: 'ending',
      afterModel(_, run) {
        if (run.messages.length === 1) run.end(answer);
      },
    })(),
    id,
    priority,
  });

  it('counts once: the first call wins', async () => {
    // After hooks run inside out.
    const { result } = await run(
      () => [endIn('outer', 90, 'outer'), endIn('inner', 10, 'inner')],
      [{ text: 'x' }],
    );
    expect(result.text).toBe('inner');
  });

  it.each([
    ['before', 90],
    ['after', 10],
  ])('wins over again that is called %s it', async (_, priority) => {
    const again = definePlugin({
      name: 'again',
      afterModel(__, run) {
        if (run.messages.length === 1) run.again('More!');
      },
    })();
    const { result, history } = await run(
      () => [endIn('ending', priority, 'enough'), again],
      [{ text: 'x' }],
    );
    expect(result.text).toBe('enough');
    expect(history).toEqual(['user: hello', 'assistant: x', 'assistant: enough']);
  });

  it('needs no answer, and then adds none', async () => {
    const { result, history } = await run(() => [endIn('ending', 50)], [{ text: 'x' }]);
    expect(result).toMatchObject({ outcome: 'completed', stopReason: 'ended', text: 'x' });
    expect(history).toEqual(['user: hello', 'assistant: x']);
  });

  it('takes a message with a source too', async () => {
    const ending = definePlugin({
      name: 'ending',
      beforeModel(_, run) {
        if (run.messages.length === 1) run.end({ role: 'assistant', content: 'Done.', source: 'ending' });
      },
    })();
    const { result } = await run(() => [ending], []);
    expect(result.messages.at(-1)).toMatchObject({ role: 'assistant', source: 'ending' });
  });

  it('is refused once the run is over, by name', async () => {
    let kept: Run | undefined;
    const keeping = definePlugin({
      name: 'keeping',
      beforeAgent(run) {
        kept ??= run;
      },
    })();
    await run(() => [keeping], [{ text: 'x' }]);
    expect(() => kept?.end()).toThrow(expect.objectContaining({ code: 'RUN_ENDED', plugin: 'keeping' }));
  });

  it('in the hooks where it makes no sense, again is refused by name', async () => {
    const confused = definePlugin({
      name: 'confused',
      beforeModel(request, run) {
        if (request.messages.length === 1) run.again();
      },
    })();
    const { error } = await run(() => [confused], []);
    expect(error).toMatchObject({ code: 'OPTION_INVALID', plugin: 'confused', hook: 'beforeModel' });
  });
});

describe('the precedence at the end', () => {
  it('an abort wins over a failure and over end', async () => {
    const controller = new AbortController();
    const ending = definePlugin({
      name: 'ending',
      afterModel(_, run) {
        if (controller.signal.aborted) return;
        run.end('The end.');
        controller.abort();
        throw new Error('failed as well');
      },
    })();
    const model = scriptedModel([{ text: 'x' }]);
    await using agent = await createAgent({ log: 'silent', model, plugins: [ending] });
    const error: unknown = await agent
      .run('hello', { signal: controller.signal })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'RUN_ABORTED', result: { outcome: 'aborted', stopReason: 'abort' } });
  });

  it('a failure wins over end', async () => {
    const ending = definePlugin({
      name: 'ending',
      wrapToolCall(_, __, { run }) {
        run.end('The end.');
        throw new Error('no');
      },
    })();
    const { result, history } = await run(() => [ending], [twoCalls]);
    expect(result).toMatchObject({ outcome: 'failed', stopReason: 'error', text: '' });
    expect(history.slice(2)).toEqual([
      'tool: not executed: the run failed',
      'tool: not executed: the run failed',
    ]);
  });

  const question = { kind: 'q', payload: 1, answer: { type: 'string' } } as const;

  it('a failure wins over an interrupt, which stays open for a resume', async () => {
    const asking = definePlugin({
      name: 'asking',
      async wrapToolCall(call, next, scope) {
        if (call.index === 1) throw new Error('no');
        await scope.interrupt(question);
        return next(call);
      },
    })();
    const { result } = await run(() => [asking], [twoCalls]);
    const { kind, payload } = question;
    expect(result).toMatchObject({ outcome: 'failed', interrupts: [{ kind, payload }] });
  });

  it.each([
    ['before', 0],
    ['after', 1],
  ])('end wins over an interrupt of a call %s it, which is withdrawn and answered', async (_, asks) => {
    const wrap = async (call: { index: number }, next: never, scope: ToolScope): Promise<never> => {
      if (call.index === asks) await scope.interrupt(question);
      else scope.run.end('The end.');
      return (next as (call: unknown) => Promise<never>)(call);
    };
    const plugin = definePlugin({ name: 'asking', wrapToolCall: wrap })();
    const { result, history } = await run(() => [plugin], [twoCalls], { toolConcurrency: 2 });
    expect(result).toMatchObject({ outcome: 'completed', text: 'The end.', interrupts: [] });
    const answers = ['tool: not executed: the run was ended', 'tool: an onion'];
    expect(history.slice(2, 4)).toEqual(asks === 0 ? answers : answers.toReversed());
  });

  it.each(['beforeModel', 'afterModel'] as const)(
    'end wins over an interrupt of a later tap of %s',
    async (hook) => {
      const plugin = definePlugin({
        name: 'asking',
        setup({ hooks }) {
          const tap = (name: string, fn: (value: unknown, run: Run) => void | Promise<void>): void =>
            hooks[hook].tap(name, fn);
          const asks = async (_: unknown, run: Run): Promise<void> => {
            if (run.messages.length === 1) await run.interrupt(question);
          };
          const ends = (_: unknown, run: Run): void => {
            if (run.messages.length === 1) run.end('The end.');
          };
          // After hooks run inside out: the tap that was registered last runs first.
          if (hook === 'beforeModel') tap('end', ends);
          tap('ask', asks);
          if (hook === 'afterModel') tap('end', ends);
        },
      })();
      const { result, trace } = await run(() => [plugin], hook === 'beforeModel' ? [] : [{ text: 'x' }]);
      expect(result).toMatchObject({ outcome: 'completed', text: 'The end.', interrupts: [] });
      expect(trace).toEqual([...first, ...(hook === 'beforeModel' ? beforeModel : step), ...last]);
    },
  );
});

describe('afterAgent', () => {
  it.each(['beforeAgent', 'beforeModel', 'wrapModelCall', 'afterModel', 'wrapToolCall'] as const)(
    'runs for all when %s throws, and the session can be used again',
    async (hook) => {
      let thrown = false;
      const bad = definePlugin({
        name: 'bad',
        setup({ hooks }) {
          hooks.beforeAgent.tap('reached', () => {});
          (hooks[hook].tap as (name: string, fn: (...args: never[]) => unknown) => void)(
            'bad',
            (value: unknown, next: unknown) => {
              if (thrown)
                return typeof next === 'function' ? (next as (value: unknown) => unknown)(value) : undefined;
              thrown = true;
              throw new Error('no');
            },
          );
          hooks.afterAgent.tap('seen', (result) => void outcomes.push(result.outcome));
        },
      })();
      const outcomes: string[] = [];
      const { trace, error } = await run(
        () => [{ use: bad, priority: 5 }],
        hook === 'beforeModel' || hook === 'beforeAgent' || hook === 'wrapModelCall' ? [] : [twoCalls],
      );
      expect(error).toMatchObject({ code: 'PLUGIN_FAILED', plugin: 'bad', hook });
      expect(trace.slice(-2)).toEqual(['b afterAgent failed', 'a afterAgent failed']);
      expect(outcomes).toEqual(['failed', 'completed']);
    },
  );

  it('is kept from plugins whose beforeAgent was not reached', async () => {
    let thrown = false;
    const bad = definePlugin({
      name: 'bad',
      beforeAgent() {
        if (thrown) return;
        thrown = true;
        throw new Error('no');
      },
    })();
    const { trace } = await run(() => [{ use: bad, priority: 50 }], []);
    expect(trace).toEqual(['a beforeAgent', 'a afterAgent failed']);
  });

  it('may change the result but not its outcome, and the end is committed after it', async () => {
    const statuses: unknown[] = [];
    const changing = definePlugin({
      name: 'changing',
      async afterAgent(result) {
        statuses.push((await agent.session('s'))?.status);
        return { ...result, text: `${result.text}!`, outcome: 'failed' as const };
      },
    })();
    const model = scriptedModel([{ text: 'Yes' }]);
    await using agent = await createAgent({ model, plugins: [changing, { use: changing, id: 'second' }] });
    const result = await agent.run('hello', { sessionId: 's' });
    expect(result).toMatchObject({ text: 'Yes!!', outcome: 'completed' });
    expect(statuses).toEqual(['running', 'running']);
    expect((await agent.session('s'))?.status).toBe('completed');
  });

  it('that throws is listed, and the others still run', async () => {
    const bad = definePlugin({
      name: 'bad',
      afterAgent() {
        throw new Error('too late');
      },
    })();
    const { result, trace } = await run(() => [bad], [{ text: 'x' }]);
    expect(result).toMatchObject({ outcome: 'completed', text: 'x' });
    expect(result.errors).toMatchObject([{ code: 'PLUGIN_FAILED', plugin: 'bad', hook: 'afterAgent' }]);
    expect(trace.slice(-2)).toEqual(last);
  });

  it('that passes on the abort of the run is listed like any other failure', async () => {
    const controller = new AbortController();
    const careful = definePlugin({
      name: 'careful',
      setup({ hooks, generate }) {
        hooks.beforeModel.tap('abort', () => controller.abort());
        hooks.afterAgent.tap('throws', (_, run) => run.signal.throwIfAborted());
        hooks.afterAgent.tap('asks', async (_, run) => {
          await generate(run, { messages: run.messages }, { purpose: 'title' });
        });
      },
    })();
    const trace = hookTrace();
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([]),
      plugins: [trace.plugin('a'), careful],
    });
    const error: unknown = await agent
      .run('hello', { sessionId: 's', signal: controller.signal })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'RUN_ABORTED', result: { outcome: 'aborted' } });
    expect(isShallotError(error) && error.result?.errors).toMatchObject([
      { plugin: 'careful' },
      { plugin: 'careful' },
    ]);
    expect(trace.lines.at(-1)).toBe('a afterAgent aborted');
    expect((await agent.session('s'))?.status).toBe('aborted');
  });
});
