import {
  definePlugin,
  defineTool,
  type Input,
  type JsonSchema,
  type RunOptions,
  type Tool,
} from '@shallot/core';
import type { FilePart } from '@shallot/core/model';

import type { Answer, WireRequest } from './wire-server.ts';

/** Returns a random integer from 0 to `limit`, exclusive. */
export type Random = (limit: number) => number;

export function randomFrom(seed: number): Random {
  let state = Math.imul(seed + 1, 2_654_435_761);
  return (limit) => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
}

export function pick<T>(list: readonly T[], random: Random): T {
  const found = list[random(list.length)];
  if (found === undefined) throw new Error('There is nothing to pick from.');
  return found;
}

const text = (said: string) => ({ type: 'text', text: said }) as const;
const file = (mediaType: string, name: string, data = 'AAAA'): FilePart => ({
  type: 'file',
  mediaType,
  name,
  data,
});
const picture = file(
  'image/png',
  'hive.png',
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
);
const pictures = (count: number): FilePart[] => Array.from({ length: count }, () => ({ ...picture }));
const report = file('application/pdf', 'the report, of May (2).pdf');
const table = file(
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'bees  &  hives.xlsx',
);
const list = file('text/csv', 'hives.csv', Buffer.from('hive,days\n1,9\n').toString('base64'));
/** Larger than Bedrock accepts. Several of these are too large for others, too. */
const large = file('image/jpeg', 'large.jpg', 'A'.repeat(5_400_000));

export function randomInput(random: Random): Input {
  // Rare, because a large file takes as much time as hundreds of other messages.
  if (random(400) === 0) return { role: 'user', content: [text('And this?'), large] };
  if (random(100) === 0) return `Read this: ${'w '.repeat(300_000)}`;
  return pick<Input>(
    [
      'How are the bees?',
      'Write to ada@example.org, please.',
      'x '.repeat(4000),
      { role: 'user', content: [text(' '), picture] },
      { role: 'user', content: [text('What is this?'), picture, text('\n')] },
      { role: 'user', content: [text('All of them:'), ...pictures(15 + random(20))] },
      { role: 'user', content: [report, table, list] },
      { role: 'user', content: Array.from({ length: 4 + random(4) }, () => ({ ...report })) },
      [
        { role: 'user', content: '' },
        { role: 'user', content: 'Hello?' },
      ],
      [
        { role: 'assistant', content: 'How can I help?' },
        { role: 'user', content: 'Count them.' },
      ],
      [
        { role: 'system', content: 'Speak like a sailor.' },
        { role: 'user', content: 'Again.' },
      ],
    ],
    random,
  );
}

export function randomAnswer({ text: request }: WireRequest, random: Random): Answer {
  if (request.includes('<conversation>')) return { text: 'They spoke of bees.' };
  const reasoning =
    random(2) === 0 ? { reasoning: pick(['Hm.', 'ada@example.org asks.'], random), signature: 'signed' } : {};
  const said = pick(
    ['It is calm.', '\n\n', ' ', '', 'y '.repeat(200), 'I wrote to ada@example.org.', '{"days":9}'],
    random,
  );
  const kind = random(10);
  if (kind === 0) return { error: { status: 529, message: 'Overloaded', type: 'overloaded_error' } };
  if (kind === 1) return { ...reasoning, text: said, finish: 'length' };
  if (kind < 4) return { ...reasoning, text: 'It is calm.' };
  const toolCalls = Array.from({ length: 1 + random(3) }, (_, index) => ({
    id: pick([`call_${random(1e6)}_${index}`, `toolu:${'x'.repeat(50)}${random(1e6)}${index}`], random),
    name: pick(['look', 'ask', 'gone'], random),
    args: pick(['{}', '{"hive":1}'], random),
  }));
  return { ...reasoning, text: said, toolCalls };
}

export function toolsFor(random: Random): readonly Tool[] {
  return [
    defineTool({
      name: 'look',
      description: 'Looks into a hive.',
      input: { type: 'object' },
      execute: () => {
        const kind = random(8);
        if (kind === 0) throw new Error(pick(['', 'It stings.'], random));
        if (kind === 1) return pick(['', ' \n'], random);
        if (kind === 2) return { content: [text('Here:'), picture, text(' '), text('And there.')] };
        if (kind === 3) return { content: [picture] };
        if (kind === 4) return { content: [text('Page by page:'), ...pictures(5 + random(40)), report] };
        return pick(['calm', 'z '.repeat(4000), 'ada@example.org'], random);
      },
    }),
    defineTool({
      name: 'ask',
      description: 'Asks the keeper.',
      input: { type: 'object' },
      execute: async (_, context) => context.interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } }),
    }),
  ];
}

const nested = Array.from({ length: 12 }).reduce<JsonSchema>(
  (inner) => ({ type: 'object', properties: { inner }, required: ['inner'] }),
  { type: 'number' },
);

/** Returns random options of a run: a schema for the answer, perhaps at the limits of strict mode, or a forced tool. */
export function randomAsk(random: Random): Pick<RunOptions, 'output' | 'toolChoice'> {
  const kind = random(12);
  if (kind === 0) return { toolChoice: pick(['required', { tool: 'look' }], random) };
  if (kind > 4) return {};
  const words = (count: number, length: number): string[] =>
    Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, 'x'));
  const schema = pick<JsonSchema>(
    [
      { type: 'object', properties: { days: { type: 'number' } }, required: ['days'] },
      { type: 'object', properties: { days: { type: 'number' }, keeper: { type: 'string' } } },
      { type: 'object', properties: { hive: { enum: words(300, 60) } }, required: ['hive'] },
      { type: 'object', properties: Object.fromEntries(words(2100, 60).map((name) => [name, {}])) },
      nested,
    ],
    random,
  );
  return { output: schema };
}

/** Marks everything that can be marked for the provider's cache. */
export const marking = definePlugin({
  name: 'marking',
  setup: ({ hooks }) => {
    hooks.wrapModelCall.tapPromise('mark', (request, next) =>
      next({
        ...request,
        cache: { tools: true, instructions: true, messages: request.messages.map(({ id }) => id) },
      }),
    );
  },
});
