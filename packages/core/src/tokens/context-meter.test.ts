import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { FilePart, Message } from '../contract/messages.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { contextMeter, type ContextMeter } from './context-meter.ts';
import { tokenCounts } from './token-counts.ts';

const words = (count: number): string => 'word '.repeat(count);
/** A counter that can be checked by hand: a token a word. */
const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

/** Returns the meter's estimate before each model call. */
async function measured(
  steps: readonly ScriptedStep[],
  inputs: readonly string[],
  rest: Partial<AgentOptions> = {},
  measure = (meter: ContextMeter): ContextMeter['measure'] => meter.measure,
): Promise<{ sizes: number[]; scales: number[] }> {
  const sizes: number[] = [];
  const scales: number[] = [];
  const watch = definePlugin({
    name: 'watch',
    setup({ hooks, state, tokens }) {
      const meter = contextMeter({ hooks, state, tokens });
      hooks.beforeModel.tap('measure', (request, run) => {
        sizes.push(measure(meter)(request, run));
        scales.push(meter.scale(run));
      });
    },
  })();
  await using agent = await createAgent({
    model: scriptedModel(steps),
    countTokens: countWords,
    ...rest,
    plugins: [watch, ...(rest.plugins ?? [])],
  });
  for (const input of inputs) await agent.run(input, { sessionId: 's' });
  return { sizes, scales };
}

const usage = (input: number, output: number) => ({ input, output, total: input + output });

describe('A context meter', () => {
  it.each([
    ['an object without members', {}],
    ['nothing', null],
    ['a text', 'damaged'],
    ['a list', []],
    ['no growth', { seen: null, reported: null }],
    ['texts for numbers', { seen: null, reported: null, growth: { tokens: 'x', estimate: 0 } }],
    [
      'a size that no context has',
      { seen: null, reported: { tokens: 1e9, estimate: 1 }, growth: { tokens: 0, estimate: 0 } },
    ],
    [
      'a size below nothing',
      {
        seen: { last: null, tokens: -1e9, estimate: 1, overhead: 1, inner: 0 },
        reported: null,
        growth: { tokens: 0, estimate: 0 },
      },
    ],
  ])('counts again where the session holds %s', async (_, value) => {
    const store = memoryStore();
    await store.commit('s', 0, { state: { watch: { 'context-meter': { version: 1, value } } } });
    const steps = [{ text: words(20) }, { text: '.' }];
    const inputs = [words(10), words(5)];
    expect(await measured(steps, inputs, { store })).toEqual(await measured(steps, inputs));
  });

  it('estimates everything that is sent as long as nothing is reported', async () => {
    const tool = defineTool({
      name: 'look',
      description: 'Looks there.',
      input: { type: 'object' },
      execute: () => '',
    });
    const { sizes } = await measured([{ text: words(20) }, { text: '.' }], [words(10), words(5)], {
      instructions: words(30),
      tools: [tool],
    });
    // Each message costs 4 more, the instructions 4, the tool 8 and 4 words: its name, its description, its schema.
    const first = 34 + 12 + 14;
    expect(sizes).toEqual([first, first + 24 + 9]);
  });

  it('takes what was reported, and an estimate for what came since', async () => {
    const { sizes } = await measured(
      [{ text: words(20), usage: usage(500, 70) }, { text: words(20), usage: usage(800, 70) }, { text: '.' }],
      [words(10), words(5), words(6)],
    );
    expect(sizes).toEqual([14, 500 + 70 + 9, 800 + 70 + 10]);
  });

  it('takes a report of nothing for none', async () => {
    const { sizes } = await measured(
      [{ text: words(20), usage: usage(0, 0) }, { text: '.' }],
      [words(10), words(5)],
    );
    expect(sizes).toEqual([14, 14 + 24 + 9]);
  });

  it('learns from reports how far its estimates are off', async () => {
    const steps = [1, 2, 3, 4].map((exchange): ScriptedStep => ({
      text: words(96),
      usage: usage(exchange * 400, 200),
    }));
    const { sizes, scales } = await measured(steps, [words(96), words(96), words(96), words(96)]);
    // Each exchange is 200 by estimate, and 400 as reported.
    expect(scales).toEqual([1, 1, 2, 2]);
    expect(sizes).toEqual([100, 600 + 100, 1000 + 200, 1400 + 200]);
  });

  it('believes no report that is beyond reason', async () => {
    const steps = [1, 2, 3].map((exchange): ScriptedStep => ({
      text: words(296),
      usage: usage(exchange ** 9 * 1000, 1),
    }));
    const { scales } = await measured(steps, [words(96), words(96), words(96)]);
    expect(scales.at(-1)).toBe(3);
  });

  it('counts a change of instructions and tools', async () => {
    let extra = '';
    const change = definePlugin({
      name: 'change',
      priority: 90,
      beforeModel: (request) => ({ ...request, instructions: `${words(10)}${extra}` }),
    })();
    const { sizes } = await measured(
      [
        { text: '.', usage: usage(500, 10) },
        () => ((extra = words(50)), { text: '.', usage: usage(520, 10) }),
        { text: '.' },
      ],
      [words(1), words(1), words(1)],
      { plugins: [change] },
    );
    expect(sizes).toEqual([14 + 5, 510 + 5, 530 + 5 + 50]);
  });

  it('measures a changed history anew, with what inner layers add to each request', async () => {
    const model = [1, 2, 3].map((): ScriptedStep => ({ text: words(6), usage: usage(1000, 6) }));
    const { sizes } = await measured(model, [words(6), words(6)], {}, (meter) => meter.remeasure);
    // 10 are in the history; 990 were never seen. Then 30 are.
    expect(sizes).toEqual([10, 990 + 30]);
  });

  it('does not go by the old history after a step that has changed it and got no answer', async () => {
    const sizes: number[] = [];
    const condenser = definePlugin({
      name: 'condenser',
      setup({ hooks, state, tokens }) {
        const meter = contextMeter({ hooks, state, tokens });
        hooks.beforeModel.tap('condense', (request, run) => {
          sizes.push(meter.measure(request, run));
          if (sizes.length !== 2) return undefined;
          const messages = request.messages.slice(1);
          sizes.push(meter.remeasure({ ...request, messages }, run));
          return { ...request, messages };
        });
      },
    })();
    await using agent = await createAgent({
      model: scriptedModel([{ text: words(6) }, { error: new Error('overloaded') }, { text: '.' }]),
      countTokens: countWords,
      plugins: [condenser],
    });
    await agent.run(words(96), { sessionId: 's' });
    await expect(agent.run(words(6), { sessionId: 's' })).rejects.toThrow('overloaded');
    await agent.run(words(6), { sessionId: 's' });
    expect(sizes).toEqual([100, 120, 20, 30]);
  });

  describe('with layers further in, and a model that reports nothing', () => {
    const steps = [1, 2, 3].map((): ScriptedStep => ({ text: words(6) }));
    const inputs = [words(6), words(6), words(6)];
    /** Adds some words to the instructions of each call. */
    const adds = (...counts: number[]) =>
      definePlugin({
        name: 'adds',
        priority: 1,
        wrapModelCall: (request, next) => next({ ...request, instructions: words(counts.shift() ?? 0) }),
      })();

    it('counts what they add to each request, once it was seen', async () => {
      const { sizes } = await measured(steps, inputs, { plugins: [adds(100, 50)] });
      expect(sizes).toEqual([10, 30 + 104, 50 + 54]);
    });

    it('counts it for a changed history too', async () => {
      const rest = { plugins: [adds(100, 50)] };
      const { sizes } = await measured(steps, inputs, rest, (meter) => meter.remeasure);
      expect(sizes).toEqual([10, 30 + 104, 50 + 54]);
    });

    it('counts what they send of the messages', async () => {
      const last = definePlugin({
        name: 'last',
        priority: 1,
        wrapModelCall: (request, next) => next({ ...request, messages: request.messages.slice(-1) }),
      })();
      // The last question and its answer were sent, or will be; then comes the next question.
      const { sizes } = await measured(steps, inputs, { plugins: [last] });
      expect(sizes).toEqual([10, 30, 30]);
    });

    it('believes a report when there is one', async () => {
      const reporting = [{ text: words(6) }, { text: words(6), usage: usage(500, 20) }, { text: '.' }];
      const { sizes } = await measured(reporting, inputs, { plugins: [adds(100, 100, 100)] });
      expect(sizes).toEqual([10, 30 + 104, 520 + 10]);
    });

    it('does not take the model calls of plugins for the run’s', async () => {
      const asks = definePlugin({
        name: 'asks',
        setup({ hooks, generate }) {
          hooks.afterModel.tap('ask', async (_response, run) => {
            const messages = run.messages.slice(0, 1);
            await generate(run, { instructions: words(1000), messages }, { purpose: 'test' });
          });
        },
      })();
      const twice = steps.flatMap((step) => [step, step]);
      const { sizes } = await measured(twice, inputs, { plugins: [asks] });
      expect(sizes).toEqual([10, 30, 50]);
    });
  });

  it('goes on in another agent with what was reported', async () => {
    const store = memoryStore();
    await measured([{ text: words(20), usage: usage(500, 70) }], [words(10)], { store });
    const { sizes } = await measured([{ text: '.' }], [words(5)], { store });
    expect(sizes).toEqual([579]);
  });

  it('looks only at what came since the last answer', async () => {
    const counted: string[] = [];
    const countTokens = (text: string): number => (counted.push(text), countWords(text));
    const history = Array.from({ length: 1000 }, (_, index) => ({
      role: 'user' as const,
      content: `old ${index}`,
    }));
    const watch = definePlugin({
      name: 'watch',
      setup({ hooks, state, tokens }) {
        const meter = contextMeter({ hooks, state, tokens });
        hooks.beforeModel.tap('measure', (request, run) => void meter.measure(request, run));
      },
    })();
    await using agent = await createAgent({
      model: scriptedModel([{ text: 'one' }, { text: 'two' }]),
      countTokens,
      plugins: [watch],
    });
    await agent.run(history, { sessionId: 's' });
    expect(counted).toHaveLength(1001);
    await agent.run('new', { sessionId: 's' });
    expect(counted.slice(1001)).toEqual(['new', 'two']);
  });
});

describe('Counts of tokens', () => {
  const tokens = tokenCounts(countWords);
  const user = (...content: Extract<Message, { role: 'user' }>['content']): Message => ({
    id: 'm',
    role: 'user',
    content,
  });
  const file = (mediaType: string, bytes: number): number =>
    tokens.message(user({ type: 'file', mediaType, data: 'A'.repeat((bytes * 4) / 3) })) - 4;

  it('hold every part of a message', () => {
    expect(
      tokens.message({
        id: 'm',
        role: 'assistant',
        content: [
          { type: 'reasoning', text: words(3) },
          { type: 'text', text: words(5) },
          { type: 'tool-call', id: 'c', name: 'look', input: { at: 'a b c' } },
          { type: 'tool-call', id: 'd', name: 'look', input: {}, raw: '{ "at" ' },
        ],
      }),
    ).toBe(4 + 3 + 5 + (8 + 4) + (8 + 3));
  });

  it('of a file that the model is not sent are those of the line that is', () => {
    const data = 'A'.repeat(400_000);
    const message = user({ type: 'file', mediaType: 'image/png', data });
    const refused = new Set<string>();
    const takesFile = ({ mediaType }: FilePart): boolean => !refused.has(mediaType);
    const tokens = tokenCounts(undefined, { takesFile });
    expect(tokens.message(message)).toBe(1504);
    // A model may learn only from its provider which types it does not take.
    refused.add('image/png');
    expect(tokens.message(message)).toBeLessThan(50);
  });

  it('of a text file are those of its text, whatever its type is called', () => {
    const data = Buffer.from('one two three four five').toString('base64');
    const count = tokenCounts().message(user({ type: 'file', mediaType: 'text/csv', data }));
    for (const mediaType of ['application/json', 'application/problem+json; charset=utf-8'])
      expect(tokenCounts().message(user({ type: 'file', mediaType, data }))).toBe(count);
  });

  it('are made for files by their kind and size, not by the base64 that they are sent in', () => {
    expect(file('image/png', 3_000_000)).toBe(1500);
    expect(file('audio/mpeg', 300_000)).toBe(600);
    expect(file('video/mp4', 3_000_000)).toBe(3000);
    expect(file('application/pdf', 60_000)).toBe(3000);
    expect(
      tokens.message(user({ type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' })),
    ).toBe(1504);
    const text = Buffer.from(words(12)).toString('base64');
    expect(tokens.message(user({ type: 'file', mediaType: 'text/plain', data: text }))).toBe(16);
  });

  it('are all made by the function that was given', () => {
    const sevens = tokenCounts(() => 7);
    const tool = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      execute: () => '',
    });
    const beside = {
      instructions: 'Be brief.',
      tools: [tool],
      output: { name: 'answer', schema: { type: 'object' } },
    } as const;
    expect(sevens.overhead(beside)).toBe(4 + 7 + (8 + 7) + 7);
    expect(sevens.message(user({ type: 'text', text: 'Hello.' }))).toBe(4 + 7);
    expect(sevens.text('Hello.')).toBe(7);
  });

  it('are made once for a message that is frozen', () => {
    let calls = 0;
    const counting = tokenCounts((text) => ((calls += 1), countWords(text)));
    const frozen = Object.freeze(user({ type: 'text', text: 'a b' }));
    expect([counting.message(frozen), counting.message(frozen), calls]).toEqual([6, 6, 1]);
    expect(counting.messages([frozen, frozen])).toBe(12);
  });
});
