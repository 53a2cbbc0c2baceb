import { createAgent, defineTool, textOf, type Plugin } from '@shallot/core';
import { modelError, type ChatModel, type ModelRequest, type ModelResponse } from '@shallot/core/model';
import { estimateTokens } from '@shallot/core/plugin';
import contextEditing from '@shallot/plugin-context-editing';
import summarization from '@shallot/plugin-summarization';
import { assertValidRequest } from '@shallot/testing';
import { expect, it } from 'vitest';

const steps = 500;
const contextTokens = 16_000;
const task = 'TASK: visit all rooms, in order. Never open the red door.';

const visit = defineTool({
  name: 'visit',
  description: 'Visits a room.',
  input: { type: 'object', properties: { room: { type: 'integer' } } },
  effect: 'read',
  execute: ({ room }) => {
    const lines = Array.from(
      { length: 400 },
      (_, line) => `chair ${line} of room ${Number(room)} is of old oak, painted`,
    );
    return lines.join('\n').slice(0, 20_000);
  },
});

type Write = (request: ModelRequest) => ModelResponse | Promise<ModelResponse>;

const says = (text: string, finish: ModelResponse['finish'] = 'stop'): ModelResponse => ({
  message: { role: 'assistant', content: [{ type: 'text', text }] },
  finish,
});

const writers: Readonly<Record<string, Write>> = {
  fair: () => says(`Rooms were visited. ${'They were all alike. '.repeat(40)}`),
  thinking: ({ settings }) => {
    const isRoom = (settings.maxOutputTokens ?? Infinity) > 2500;
    return isRoom ? says('Rooms were visited, after much thought.') : says('', 'length');
  },
  verbose: ({ settings }) =>
    says('and then one more room '.repeat((settings.maxOutputTokens ?? 8000) / 5), 'length'),
  slow: async () => new Promise<never>(() => {}),
  failing: () => {
    throw modelError('MODEL_OVERLOADED', { message: 'No time.' });
  },
  empty: () => says(''),
};

interface Run {
  readonly outcome: string;
  readonly refused: number;
  readonly withoutTask: number;
  /** The number of requests that changed the beginning of the one before. */
  readonly changed: number;
}

async function run(write: Write, plugins: readonly Plugin[], reports: boolean): Promise<Run> {
  let [calls, refused, withoutTask, changed] = [0, 0, 0, 0];
  let before: readonly string[] = [];
  const model: ChatModel = {
    id: 'test/long',
    limits: { contextTokens },
    async generate(request, { signal }) {
      const isWriter = request.messages[0]?.source === 'summarization' && request.messages.length === 1;
      const sent = [
        JSON.stringify(request.tools ?? []),
        ...request.messages.map((each) => JSON.stringify(each.content)),
      ];
      const size = estimateTokens(request.instructions + sent.join('\n'));
      if (size > contextTokens) {
        refused += 1;
        throw modelError('MODEL_CONTEXT_OVERFLOW', { message: `${size} tokens > ${contextTokens} maximum` });
      }
      if (isWriter)
        return Promise.race([
          write(request),
          new Promise<never>((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
        ]);
      assertValidRequest(request);
      if (before.some((text, index) => sent[index] !== text)) changed += 1;
      before = sent;
      if (!request.messages.some((message) => textOf(message).includes(task))) withoutTask += 1;
      calls += 1;
      const usage = reports ? { usage: { input: size, output: 20, total: size + 20 } } : {};
      if (calls > steps) return { ...says('Done.'), ...usage };
      const call = { type: 'tool-call' as const, id: `c${calls}`, name: 'visit', input: { room: calls } };
      return { message: { role: 'assistant', content: [call] }, finish: 'tool-calls', ...usage };
    },
  };
  await using agent = await createAgent({
    model,
    tools: [visit],
    plugins,
    maxSteps: steps + 10,
    log: 'silent',
  });
  const { text } = await agent.run(task, { sessionId: 's' });
  return { outcome: text, refused, withoutTask, changed };
}

const condensing = (): readonly Plugin[] => [summarization({ timeoutMs: 20 })];
const cases: readonly (readonly [string, Write, () => readonly Plugin[]])[] = [
  ...Object.entries(writers).map(([name, write]) => [`a ${name} writer`, write, condensing] as const),
  [
    'no writer',
    () => {
      throw new Error('nobody asks for a summary');
    },
    () => [contextEditing({ clearToolResults: {} })],
  ],
];

it.each(
  cases.flatMap(([name, write, plugins]) =>
    [true, false].map((reports) => ({ name, write, plugins, reports })),
  ),
)(
  'a run of 500 steps with results of 20 kB ends in a context of 16,000 tokens: $name, usage reported: $reports',
  async ({ write, plugins, reports }) => {
    const { changed, ...rest } = await run(write, plugins(), reports);
    expect(rest).toEqual({ outcome: 'Done.', refused: 0, withoutTask: 0 });
    // Each change costs what the provider has cached.
    expect(changed).toBeLessThanOrEqual(steps / 10);
  },
  300_000,
);
