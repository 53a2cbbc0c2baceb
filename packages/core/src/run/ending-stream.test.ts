import { describe, expect, it } from 'vitest';

import { collectEvents } from '../../../testing/src/collect-events.ts';
import { eventLines } from '../../../testing/src/event-lines.ts';
import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { hookTrace } from '../../../testing/src/trace-hooks.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { AgentEvent } from '../contract/events.ts';
import { textOf } from '../contract/messages.ts';
import type { Plugin, PluginSetup } from '../contract/plugin.ts';
import type { RunResult } from '../contract/result.ts';
import type { Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { returnDirectlyOn } from '../ready-made.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

const description = {
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
} as const;
const look = defineTool({ name: 'look', ...description });
const fetch = defineTool({ name: 'fetch', ...description, returnDirectly: true });
const looking: ScriptedStep = { text: 'Let me see.', toolCalls: [{ name: 'look' }] };
const answered: ScriptedStep = { text: 'An onion.' };

interface Cell {
  readonly tap: (plugin: PluginSetup) => void;
  readonly steps: readonly ScriptedStep[];
  /** The events of the stream between the first and the last, per step. */
  readonly stream: readonly string[];
}

const text = (said: string): string[] => [`text 0 ${JSON.stringify(said)}`, 'part-end 0'];
const said = (words: string): string[] => [...text(words), `message ${JSON.stringify(words)}`];
const looked = [...text('Let me see.'), 'tool-call 1 "{}"', 'part-end 1', 'message "Let me see." look({})'];
const theEnd = said('The end.');

const cells: Record<string, Cell> = {
  beforeAgent: {
    tap: ({ hooks }) => hooks.beforeAgent.tap('x', (run) => run.end('The end.')),
    steps: [],
    stream: theEnd,
  },
  'beforeModel, in the first step': {
    tap: ({ hooks }) => hooks.beforeModel.tap('x', (_, run) => run.end('The end.')),
    steps: [],
    stream: ['step-start 1', ...theEnd],
  },
  'beforeModel, in a later step': {
    tap: ({ hooks }) =>
      hooks.beforeModel.tap('x', (_, run) => {
        if (run.step === 2) run.end('The end.');
      }),
    steps: [looking],
    stream: [
      'step-start 1',
      ...looked,
      'tool-start look({})',
      'tool-end look "an onion"',
      'step-start 2',
      ...theEnd,
    ],
  },
  'wrapModelCall, before next': {
    tap: ({ hooks }) =>
      hooks.wrapModelCall.tap('x', (request, next, { run }) => {
        run.end('The end.');
        return next(request);
      }),
    steps: [answered],
    stream: ['step-start 1', ...said('An onion.'), ...theEnd],
  },
  'wrapModelCall, after next': {
    tap: ({ hooks }) =>
      hooks.wrapModelCall.tap('x', async (request, next, { run }) => {
        const response = await next(request);
        run.end('The end.');
        return response;
      }),
    steps: [looking],
    stream: ['step-start 1', ...looked, ...theEnd],
  },
  'wrapModelCall, after a second next': {
    tap: ({ hooks }) =>
      hooks.wrapModelCall.tap('x', async (request, next, { run }) => {
        await next(request);
        const response = await next(request);
        run.end('The end.');
        return response;
      }),
    steps: [{ text: 'A draft.' }, answered],
    stream: ['step-start 1', ...text('A draft.'), 'restart', ...said('An onion.'), ...theEnd],
  },
  'wrapModelCall, instead of next': {
    tap: ({ hooks }) =>
      hooks.wrapModelCall.tap('x', (_, __, { run }) => {
        run.end('The end.');
        return { message: { role: 'assistant', content: 'Enough.' } };
      }),
    steps: [],
    stream: ['step-start 1', ...said('Enough.'), ...theEnd],
  },
  'wrapModelCall, in the place of what next gave': {
    tap: ({ hooks }) =>
      hooks.wrapModelCall.tap('x', async (request, next, { run }) => {
        await next(request);
        run.end('The end.');
        return { message: { role: 'assistant', content: 'Enough.' } };
      }),
    steps: [answered],
    stream: ['step-start 1', ...text('An onion.'), 'restart', ...said('Enough.'), ...theEnd],
  },
  'afterModel, of an answer': {
    tap: ({ hooks }) => hooks.afterModel.tap('x', (_, run) => run.end('The end.')),
    steps: [answered],
    stream: ['step-start 1', ...said('An onion.'), ...theEnd],
  },
  'afterModel, of tool calls': {
    tap: ({ hooks }) => hooks.afterModel.tap('x', (_, run) => run.end('The end.')),
    steps: [looking],
    stream: ['step-start 1', ...looked, ...theEnd],
  },
  'afterModel, of an answer that is not kept because it is empty': {
    tap: ({ hooks }) => hooks.afterModel.tap('x', (_, run) => run.end('The end.')),
    steps: [{ reasoning: 'Hm.' }],
    stream: ['step-start 1', 'reasoning 0 "Hm."', 'part-end 0', 'restart', ...theEnd],
  },
  'wrapToolCall, before next': {
    tap: ({ hooks }) =>
      hooks.wrapToolCall.tap('x', (call, next, { run }) => {
        run.end('The end.');
        return next(call);
      }),
    steps: [looking],
    stream: ['step-start 1', ...looked, 'tool-start look({})', 'tool-end look "an onion"', ...theEnd],
  },
  'wrapToolCall, after next': {
    tap: ({ hooks }) =>
      hooks.wrapToolCall.tap('x', async (call, next, { run }) => {
        const result = await next(call);
        run.end('The end.');
        return result;
      }),
    steps: [looking],
    stream: ['step-start 1', ...looked, 'tool-start look({})', 'tool-end look "an onion"', ...theEnd],
  },
  'wrapToolCall, instead of next': {
    tap: ({ hooks }) =>
      hooks.wrapToolCall.tap('x', (_, __, { run }) => {
        run.end('The end.');
        return { content: [{ type: 'text', text: 'nothing' }] };
      }),
    steps: [looking],
    stream: ['step-start 1', ...looked, 'tool-start look({})', 'tool-end look "nothing"', ...theEnd],
  },
};

const places = { outermost: 95, 'in the middle': 50, innermost: 5 };

interface Streamed {
  readonly result: RunResult;
  readonly events: readonly AgentEvent[];
  readonly text: string;
  readonly history: readonly { readonly role: string; readonly text: string }[];
}

/** A streamed run between two plugins that only record. */
async function streamed(ending: readonly Plugin[], steps: readonly ScriptedStep[]): Promise<Streamed> {
  const trace = hookTrace();
  const model = scriptedModel(steps);
  await using agent = await createAgent({
    log: 'silent',
    model,
    tools: [look, fetch],
    plugins: [trace.plugin('a', 80), ...ending, trace.plugin('b', 20)],
  });
  const {
    events,
    text: shown,
    result,
    error,
  } = await collectEvents(agent.stream('hello', { sessionId: 's' }));
  if (result === undefined) throw new Error('there is no result', { cause: error });
  model.assertDone();
  const messages = (await agent.session('s'))?.messages ?? [];
  // Each assistant message that is stored was announced once, in order.
  expect(events.flatMap((event) => (event.type === 'message' ? [event.message] : []))).toEqual(
    messages.filter(({ role }) => role === 'assistant'),
  );
  return {
    result,
    events,
    text: shown,
    history: messages.map((message) => ({ role: message.role, text: textOf(message) })),
  };
}

describe('an answer that no model call made', () => {
  for (const [name, { tap, steps, stream }] of Object.entries(cells)) {
    for (const [place, priority] of Object.entries(places)) {
      it(`is on result, session and stream: ${name} (${place})`, async () => {
        const ran = await streamed([definePlugin({ name: 'ending', priority, setup: tap })()], steps);
        expect(ran.result).toMatchObject({ outcome: 'completed', stopReason: 'ended', text: 'The end.' });
        expect(ran.result).not.toHaveProperty('finish');
        expect(ran.history.at(-1)).toEqual({ role: 'assistant', text: 'The end.' });
        expect(ran.text).toBe('The end.');
        expect(eventLines(ran.events)).toEqual(['run-start', ...stream, 'run-end completed ended']);
      });
    }
  }

  it('has no finish reason on the stream, and no usage', async () => {
    const ending = definePlugin({ name: 'ending', afterModel: (_, run) => run.end('The end.') })();
    const usage = { input: 1, output: 1, total: 2 };
    const { events } = await streamed([ending], [{ ...answered, usage }]);
    const messages = events.filter((event) => event.type === 'message');
    expect(messages).toMatchObject([{ finish: 'stop', usage }, { step: 1 }]);
    expect(Object.keys(messages[1] ?? {})).toEqual(['type', 'step', 'message']);
  });

  it('may be a file alone', async () => {
    const file = { type: 'file', mediaType: 'image/png', data: 'AAAA' } as const;
    const ending = definePlugin({
      name: 'ending',
      beforeModel: (_, run) => run.end({ role: 'assistant', content: [file] }),
    })();
    const { events } = await streamed([ending], []);
    expect(events).toContainEqual({ type: 'part-end', index: 0, part: file });
  });

  it('is that of the model when end gave none', async () => {
    const ending = definePlugin({ name: 'ending', afterModel: (_, run) => run.end() })();
    const { events, result } = await streamed([ending], [answered]);
    expect(result.text).toBe('An onion.');
    expect(eventLines(events)).toEqual([
      'run-start',
      'step-start 1',
      ...said('An onion.'),
      'run-end completed ended',
    ]);
  });

  it('is not streamed when the run fails after end was called', async () => {
    const ending = definePlugin({
      name: 'ending',
      wrapModelCall(_, __, { run }) {
        run.end('The end.');
        throw new Error('no');
      },
    })();
    const { events, result } = await streamed([ending], []);
    expect(result).toMatchObject({ outcome: 'failed', text: '' });
    expect(eventLines(events)).toEqual(['run-start', 'step-start 1', 'run-end failed error']);
  });
});

describe("a tool's result that is the answer", () => {
  const fetching: ScriptedStep = { text: 'Let me fetch it.', toolCalls: [{ name: 'fetch' }] };

  it('is streamed as text; its message is that of tool-end', async () => {
    const { events, result, text: shown } = await streamed([], [fetching]);
    expect(result).toMatchObject({ stopReason: 'return-directly', text: 'an onion' });
    expect(shown).toBe('an onion');
    expect(eventLines(events).slice(-6)).toEqual([
      'message "Let me fetch it." fetch({})',
      'tool-start fetch({})',
      'tool-end fetch "an onion"',
      ...text('an onion'),
      'run-end completed return-directly',
    ]);
  });

  it('is streamed as the text that the result has, however many parts it has', async () => {
    const fetchParts = defineTool({
      ...fetch,
      input: { type: 'object' },
      execute: () => ({
        content: [
          { type: 'text', text: 'an onion' },
          { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
          { type: 'text', text: 'and a leek' },
        ],
      }),
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'fetch' }] }]);
    await using agent = await createAgent({ log: 'silent', model, tools: [fetchParts] });
    const { events, result } = await collectEvents(agent.stream('Go'));
    const shown = events.flatMap((event) => (event.type === 'text-delta' ? event.text : []));
    expect(result?.text).toBe('an onion\nand a leek');
    expect(shown.join('')).toBe('an onion\nand a leek');
  });

  it('is streamed as the message that it becomes by returnDirectlyOn', async () => {
    const { events, text: shown } = await streamed([returnDirectlyOn(['look'])], [looking]);
    expect(shown).toBe('an onion');
    expect(eventLines(events).slice(-4)).toEqual([...said('an onion'), 'run-end completed ended']);
  });

  it('is streamed by the run that takes an interrupted one up', async () => {
    const asking = definePlugin({
      name: 'asking',
      async wrapToolCall(call, next, { interrupt }) {
        await interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } });
        return next(call);
      },
    })();
    const model = scriptedModel([fetching]);
    await using agent = await createAgent({ log: 'silent', model, tools: [fetch], plugins: [asking] });
    const { interrupts } = await agent.run('hello', { sessionId: 's' });
    const resumed = await collectEvents(agent.streamResume('s', { [interrupts[0]?.id ?? '']: 'yes' }));
    expect(resumed.result).toMatchObject({ stopReason: 'return-directly', text: 'an onion' });
    expect(resumed.text).toBe('an onion');
  });
});

/** Returns the store of a process that dies in `afterAgent`: only the end is left to do. */
async function diedAtTheEnd(ending: readonly Plugin[], steps: readonly ScriptedStep[]): Promise<Store> {
  const store = memoryStore();
  const reached = Promise.withResolvers<void>();
  const dying = definePlugin({
    name: 'dying',
    priority: 0,
    async afterAgent(_, run) {
      // Commits the record of the run, as any plugin may.
      await run.once('end', () => 1);
      reached.resolve();
      await new Promise(() => {});
    },
  })();
  const agent = await createAgent({
    log: 'silent',
    model: scriptedModel(steps),
    tools: [look, fetch],
    store,
    hookTimeoutMs: 60_000,
    plugins: [...ending, dying],
  });
  void agent.run('hello', { sessionId: 's' }).catch(() => undefined);
  await reached.promise;
  const record = await store.load('s');
  if (record?.run === undefined) throw new Error('nothing was left behind');
  const left = memoryStore();
  await left.commit('s', 0, { append: record.messages, journal: record.journal, run: record.run });
  return left;
}

describe('a run that is taken up with nothing left but its end', () => {
  const inHook = definePlugin({ name: 'ending', afterModel: (_, run) => run.end('The end.') })();
  const silent = definePlugin({ name: 'ending', afterModel: (_, run) => run.end() })();

  it.each([
    ['an answer of the model', [], [answered], said('An onion.'), { text: 'An onion.', finish: 'stop' }],
    ['a cut answer', [], [{ ...answered, finish: 'length' }], said('An onion.'), { finish: 'length' }],
    ["a tool's result", [], [{ toolCalls: [{ name: 'fetch' }] }], text('an onion'), { text: 'an onion' }],
    ['an answer of a hook', [inHook], [answered], theEnd, { text: 'The end.', stopReason: 'ended' }],
    ['a kept answer', [silent], [answered], said('An onion.'), { text: 'An onion.', stopReason: 'ended' }],
    ['no answer', [silent], [{ toolCalls: [{ name: 'look' }] }], [], { text: '', stopReason: 'ended' }],
  ] as const)('streams %s', async (_, plugins, steps, stream, result) => {
    const store = await diedAtTheEnd(plugins, steps);
    await using agent = await createAgent({ log: 'silent', model: scriptedModel([]), store });
    const resumed = await collectEvents(agent.streamResume('s'));
    expect(resumed.result).toMatchObject({ outcome: 'completed', ...result });
    expect(resumed.text).toBe(resumed.result?.text);
    const lines = eventLines(resumed.events).filter((line) => !line.startsWith('warning'));
    expect(lines.slice(0, -1)).toEqual(['run-start resumed', ...stream]);
  });
});
