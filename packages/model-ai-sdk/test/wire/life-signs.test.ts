import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ChatModel } from '@shallot/core/model';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { aiSdkModel, boundedFetch } from '../../src/index.ts';
import { ask } from '../ask.ts';
import { pinging } from './harms.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

const comment = ': keep-alive\n\n';
const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
const progress =
  'data: {"type":"response.in_progress","response":{"id":"r","created_at":1,"model":"gpt-5"}}\n\n';

type Fetch = typeof globalThis.fetch;
const makers = {
  anthropic: (fetch?: Fetch) =>
    createAnthropic({ baseURL: `${wire.url}/v1`, apiKey: 'k', ...(fetch && { fetch }) })('claude-sonnet-5'),
  openai: (fetch?: Fetch) =>
    createOpenAI({ baseURL: `${wire.url}/v1`, apiKey: 'k', ...(fetch && { fetch }) })('gpt-4.1'),
  local: (fetch?: Fetch) =>
    createOpenAICompatible({ name: 'local', baseURL: `${wire.url}/v1`, ...(fetch && { fetch }) })('m'),
};

/** Counts the signs before the first chunk, of a server that continues after more than twenty. */
async function signsBeforeAnswer(model: ChatModel, event: string): Promise<number> {
  const enough = new AbortController();
  wire.answer({ text: 'At last.', harm: pinging(event, enough.signal) });
  let signs = 0;
  const signsBeforeWords: number[] = [];
  const alive = (): void => {
    signs += 1;
    if (signs > 20) enough.abort();
  };
  const emit = (): void => void signsBeforeWords.push(signs);
  const { response } = await ask(model, {}, { alive, emit });
  expect(response.message.content).toMatchObject([{ type: 'text', text: 'At last.' }]);
  return signsBeforeWords[0] ?? 0;
}

describe('a model that shows signs of life, and no word', () => {
  it.each([
    ['anthropic', 'a ping', ping, 'boundedFetch'],
    ['anthropic', 'a comment', comment, 'boundedFetch'],
    ['openai', 'an event of progress', progress, 'boundedFetch'],
    ['local', 'a comment', comment, 'boundedFetch'],
    // OpenAI's package holds its stream back until the first word: of events before that only our fetch hears.
    ['anthropic', 'a ping', ping, 'no fetch of ours'],
  ] as const)('of %s, by %s (%j), is heard: %s', async (name, _, event, fetch) => {
    const model = aiSdkModel(makers[name](fetch === 'boundedFetch' ? boundedFetch() : undefined));
    expect(await signsBeforeAnswer(model, event)).toBeGreaterThan(20);
    // From the first call on it is known who sees the bytes.
    expect(await signsBeforeAnswer(model, event)).toBeGreaterThan(20);
  });
});
