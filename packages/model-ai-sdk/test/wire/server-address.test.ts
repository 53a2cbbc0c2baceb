import { createOpenAI } from '@ai-sdk/openai';
import { afterAll, beforeEach, expect, it } from 'vitest';

import { aiSdkModel, boundedFetch } from '../../src/index.ts';
import { ask } from '../ask.ts';
import { fakeLanguageModel } from '../sdk/language-model.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

const openai = (fetch?: typeof globalThis.fetch): ReturnType<ReturnType<typeof createOpenAI>> =>
  createOpenAI({ baseURL: `${wire.url}/v1`, apiKey: 'k', ...(fetch && { fetch }) })('gpt-4.1');

const here = { address: '127.0.0.1', port: Number(new URL(wire.url).port) };

it.each([true, false])('the server is known from the first request, streaming %s', async (wantsChunks) => {
  const model = aiSdkModel(openai(boundedFetch()));
  expect(model.server).toBeUndefined();
  wire.answer({ text: 'Hello.' });
  await ask(model, {}, { wantsChunks });
  expect(model.server).toEqual(here);
});

it('the server of a request that failed is known too', async () => {
  const model = aiSdkModel(openai(boundedFetch()));
  wire.answer({ error: { status: 503, message: 'busy' } });
  await expect(ask(model)).rejects.toThrow('busy');
  expect(model.server).toEqual(here);
});

it('the server stays unknown where nobody sees the requests', async () => {
  const model = aiSdkModel(openai());
  wire.answer({ text: 'Hello.' });
  await ask(model);
  expect(model.server).toBeUndefined();
});

it.each([
  ['https://api.acme.test/v1', { address: 'api.acme.test', port: 443 }],
  ['http://[::1]/v1', { address: '::1', port: 80 }],
  ['http://localhost:8080', { address: 'localhost', port: 8080 }],
  ['not a URL', undefined],
])('the base URL %s names the server before any request', (baseURL, server) => {
  expect(aiSdkModel(fakeLanguageModel({}), { baseURL }).server).toEqual(server);
});
