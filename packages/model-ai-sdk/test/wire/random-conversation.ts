import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import {
  createAgent,
  defineTool,
  memoryStore,
  type Agent,
  type AgentOptions,
  type Input,
  type RunResult,
  type Tool,
} from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { contextEditing } from '@shallot/plugin-context-editing';
import { redaction } from '@shallot/plugin-redaction';
import { resilience } from '@shallot/plugin-resilience';
import { summarization } from '@shallot/plugin-summarization';

import { aiSdkModel } from '../../src/index.ts';
import { wireKey as apiKey } from './wire-providers.ts';
import type { Answer, Wire, WireRequest } from './wire-server.ts';

/** A whole number from 0 up to, not including, the limit. */
type Random = (limit: number) => number;

const thinking = { thinking: { type: 'enabled', budgetTokens: 1024 } };
const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const vendors: readonly ((url: string) => Parameters<typeof aiSdkModel>[0])[] = [
  (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses('gpt-5'),
  (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses('ft:gpt-5:acme::1'),
  (url) => createAzure({ baseURL: `${url}/openai`, apiKey })('a-deployment'),
  (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat('gpt-4.1'),
  (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey })('claude-sonnet-4-5'),
  (url) => createGoogle({ baseURL: `${url}/v1beta`, apiKey })('gemini-2.5-pro'),
  (url) => createGoogle({ baseURL: `${url}/v1beta`, apiKey })('gemini-3-flash'),
  (url) =>
    createAmazonBedrock({ baseURL: url, region: 'us-east-1', apiKey })('anthropic.claude-sonnet-4-5-v1:0'),
];

/** A conversation that came to its end. */
export interface Conversation {
  readonly seed: number;
  /** The requests that a vendor would have refused. */
  readonly refusals: readonly string[];
  /** The models that could not go on with the session in the end. */
  readonly blocked: readonly string[];
  readonly requests: number;
}

/**
 * Has one conversation of several runs with all that may come, each run by a new agent. In the end it asks one of the vendors, or
 * all, for one more answer.
 */
export async function randomConversation(
  wire: Wire,
  seed: number,
  asked: 'one' | 'all',
): Promise<Conversation> {
  const random = randomFrom(seed);
  const refusals: string[] = [];
  let requests = 0;
  const store = memoryStore();
  const runs = 2 + random(4);
  for (let run = 0; run < runs; run += 1) {
    wire.reset();
    wire.answer(...Array.from({ length: 60 }, () => (request: WireRequest) => randomAnswer(request, random)));
    await using agent = await randomAgent(wire, store, random);
    await oneRun(agent, random);
    refusals.push(...wire.refusals);
    requests += wire.requests.length;
  }
  const blocked: string[] = [];
  for (const [index, make] of vendors.entries()) {
    if (asked === 'one' && index !== seed % vendors.length) continue;
    wire.reset();
    wire.answer({ text: 'Yes.' });
    const model = aiSdkModel(make(wire.url));
    await using agent = await createAgent({ model, store, tools: toolsFor(random), log: 'silent' });
    const failure: string | undefined = await agent
      .run('Are you still there?', { sessionId: 's', abandon: true })
      .then(() => undefined, String);
    if (failure !== undefined) blocked.push(`${index} ${model.id}: ${failure}`);
  }
  return { seed, refusals, blocked, requests };
}

async function randomAgent(
  wire: Wire,
  store: NonNullable<AgentOptions['store']>,
  random: Random,
): Promise<Agent & AsyncDisposable> {
  const [first, second] = [pick(vendors, random), pick(vendors, random)].map((make) =>
    aiSdkModel(make(wire.url)),
  );
  const model = first as ChatModel;
  const all: NonNullable<AgentOptions['plugins']> = [
    contextEditing({ lastN: 1 + random(6) }),
    contextEditing({ stripToolCalls: true }),
    redaction({ detectors: { email: 'redact' } }),
    summarization({ trigger: { messages: 8 }, keep: { messages: 3 } }),
  ];
  const fallback = resilience({ modelRetry: false, modelFallback: { models: [second as ChatModel] } });
  return createAgent({
    model,
    store,
    tools: toolsFor(random),
    plugins: [...(random(3) === 0 ? [] : [fallback]), ...(random(2) === 0 ? [pick(all, random)] : [])],
    instructions: pick(['', ' ', 'You know bees.'], random),
    settings: random(2) === 0 ? { provider: { anthropic: thinking, azure: { user: 'ada' } } } : {},
    maxSteps: 5,
    log: 'silent',
  });
}

async function oneRun(agent: Agent, random: Random): Promise<void> {
  let ended = await settled(agent, (options) => agent.run(randomInput(random), options), random);
  for (let answers = 0; ended?.outcome === 'interrupted' && answers < 3 && random(4) > 0; answers += 1) {
    const given = Object.fromEntries(ended.interrupts.map(({ id }) => [id, pick(['', 'yes'], random)]));
    ended = await agent.resume('s', given).catch(failed);
  }
}

async function settled(
  agent: Agent,
  run: (options: { readonly sessionId: string; readonly abandon: true }) => Promise<RunResult>,
  random: Random,
): Promise<RunResult | undefined> {
  if (random(2) === 0) return run({ sessionId: 's', abandon: true }).catch(failed);
  return agent.stream(randomInput(random), { sessionId: 's', abandon: true }).result.catch(failed);
}

/** A run may fail: the session has to go on. */
function failed(): undefined {}

function randomInput(random: Random): Input {
  const picture = { type: 'file', mediaType: 'image/png', data: image } as const;
  const text = (said: string) => ({ type: 'text', text: said }) as const;
  return pick<Input>(
    [
      'How are the bees?',
      'Write to ada@example.org, please.',
      'x '.repeat(4000),
      { role: 'user', content: [text(' '), picture] },
      { role: 'user', content: [text('What is this?'), picture, text('\n')] },
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

function randomAnswer({ text: request }: WireRequest, random: Random): Answer {
  if (request.includes('<conversation>')) return { text: 'They spoke of bees.' };
  const reasoning =
    random(2) === 0 ? { reasoning: pick(['Hm.', 'ada@example.org asks.'], random), signature: 'signed' } : {};
  const text = pick(
    ['It is calm.', '\n\n', ' ', '', 'y '.repeat(200), 'I wrote to ada@example.org.'],
    random,
  );
  const kind = random(10);
  if (kind === 0) return { error: { status: 529, message: 'Overloaded', type: 'overloaded_error' } };
  if (kind === 1) return { ...reasoning, text, finish: 'length' };
  if (kind < 4) return { ...reasoning, text: 'It is calm.' };
  const toolCalls = Array.from({ length: 1 + random(3) }, (_, index) => ({
    id: pick([`call_${random(1e6)}_${index}`, `toolu:${'x'.repeat(50)}${random(1e6)}${index}`], random),
    name: pick(['look', 'ask', 'gone'], random),
    args: pick(['{}', '{"hive":1}'], random),
  }));
  return { ...reasoning, text, toolCalls };
}

function toolsFor(random: Random): readonly Tool[] {
  const picture = { type: 'file', mediaType: 'image/png', data: image } as const;
  const text = (said: string) => ({ type: 'text', text: said }) as const;
  return [
    defineTool({
      name: 'look',
      description: 'Looks into a hive.',
      input: { type: 'object' },
      execute: () => {
        const kind = random(6);
        if (kind === 0) throw new Error(pick(['', 'It stings.'], random));
        if (kind === 1) return pick(['', ' \n'], random);
        if (kind === 2) return { content: [text('Here:'), picture, text(' '), text('And there.')] };
        if (kind === 3) return { content: [picture] };
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

function pick<T>(list: readonly T[], random: Random): T {
  const found = list[random(list.length)];
  if (found === undefined) throw new Error('There is nothing to pick from.');
  return found;
}

function randomFrom(seed: number): Random {
  let state = Math.imul(seed + 1, 2_654_435_761);
  return (limit) => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
}
