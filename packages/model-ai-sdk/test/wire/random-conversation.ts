import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createGoogle } from '@ai-sdk/google';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createXai } from '@ai-sdk/xai';
import { createAgent, memoryStore, type Agent, type AgentOptions, type RunResult } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { sqliteStore } from '@shallot/core/sqlite';
import { contextEditing } from '@shallot/plugin-context-editing';
import { redaction } from '@shallot/plugin-redaction';
import { resilience } from '@shallot/plugin-resilience';
import { summarization } from '@shallot/plugin-summarization';

import { aiSdkModel } from '../../src/index.ts';
import {
  marking,
  pick,
  randomAnswer,
  randomAsk,
  randomFrom,
  randomInput,
  toolsFor,
  type Random,
} from './random-parts.ts';
import { wireKey as apiKey } from './wire-providers.ts';
import type { Wire, WireRequest } from './wire-server.ts';

const thinking = { thinking: { type: 'enabled', budgetTokens: 1024 } };

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
  (url) => createXai({ baseURL: `${url}/v1`, apiKey })('grok-4'),
  (url) => createMistral({ baseURL: `${url}/v1`, apiKey })('mistral-large-latest'),
  (url) =>
    createOpenAICompatible({
      name: 'local',
      baseURL: `${url}/v1`,
      apiKey,
      supportsStructuredOutputs: true,
    })('local-model'),
];

/** The result of a random conversation. */
export interface Conversation {
  readonly seed: number;
  /** The requests that a vendor would have refused. */
  readonly refusals: readonly string[];
  /** The models that could not continue the session at the end. */
  readonly blocked: readonly string[];
  readonly requests: number;
}

/**
 * Plays a conversation of several runs with random inputs, answers and plugins; each run has a new agent. At the end it
 * asks one of the vendors, or each of them, for one more answer.
 */
export async function randomConversation(
  wire: Wire,
  seed: number,
  asked: 'one' | 'all',
): Promise<Conversation> {
  const random = randomFrom(seed);
  const refusals: string[] = [];
  let requests = 0;
  await using stored = storedSession(seed);
  const runs = 2 + random(4);
  for (let run = 0; run < runs; run += 1) {
    wire.reset();
    wire.answer(...Array.from({ length: 60 }, () => (request: WireRequest) => randomAnswer(request, random)));
    await using store = stored.open();
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
    await using store = stored.open();
    await using agent = await createAgent({ model, store, tools: toolsFor(random), log: 'silent' });
    const failure: string | undefined = await agent
      .run('Are you still there?', { sessionId: 's', abandon: true })
      .then(() => undefined, String);
    if (failure !== undefined) blocked.push(`${index} ${model.id}: ${failure}`);
  }
  return { seed, refusals, blocked, requests };
}

type OpenStore = NonNullable<AgentOptions['store']> & AsyncDisposable;

/** Returns the store of a session. Every tenth session is in a file, which each run opens again. */
function storedSession(seed: number): AsyncDisposable & { readonly open: () => OpenStore } {
  if (seed % 10 > 0) {
    const kept = Object.assign(memoryStore(), { [Symbol.asyncDispose]: () => Promise.resolve() });
    return { open: () => kept, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const folder = mkdtempSync(join(tmpdir(), 'shallot-random-'));
  return {
    open: () => {
      const store = sqliteStore(join(folder, 'sessions.db'));
      return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  };
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
    marking(),
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

/** Executes a run, answers some of its questions, and resumes it if it failed. */
async function oneRun(agent: Agent, random: Random): Promise<void> {
  let ended = await settled(agent, random);
  for (let more = 0; ended?.outcome === 'interrupted' && more < 3 && random(4) > 0; more += 1) {
    const given = Object.fromEntries(ended.interrupts.map(({ id }) => [id, pick(['', 'yes'], random)]));
    ended = await agent.resume('s', given).catch(failed);
  }
  if (ended === undefined && random(2) === 0) await agent.resume('s', {}).catch(failed);
}

async function settled(agent: Agent, random: Random): Promise<RunResult | undefined> {
  const options = { sessionId: 's', abandon: true, ...randomAsk(random) };
  if (random(2) === 0) return agent.run(randomInput(random), options).catch(failed);
  return agent.stream(randomInput(random), options).result.catch(failed);
}

/** Ignores the failure of a run, because the session must be able to continue after one. */
function failed(): undefined {}
