import { createGroq } from '@ai-sdk/groq';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { createAgent, type Agent } from '@shallot/core';
import { collectEvents } from '@shallot/testing';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { aiSdkModel } from '../../src/index.ts';
import { refuse, type rewritten } from './harms.ts';
import { wireKey as apiKey } from './wire-providers.ts';
import { eventsOf, startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

const packages = [
  [
    'openai-compatible',
    () => createOpenAICompatible({ name: 'local', baseURL: `${wire.url}/v1`, apiKey })('m'),
  ],
  ['groq', () => createGroq({ baseURL: `${wire.url}/v1`, apiKey })('m')],
  ['openrouter', () => createOpenRouter({ baseURL: `${wire.url}/v1`, apiKey })('m')],
] as const;

describe.each(packages)('%s', (_, make) => {
  async function open(): Promise<Agent> {
    const agent = await createAgent({ model: aiSdkModel(make()), log: 'silent' });
    onTestFinished(() => agent.close());
    return agent;
  }

  it.each([
    [429, 'MODEL_RATE_LIMITED', true],
    ['429', 'MODEL_RATE_LIMITED', true],
    [502, 'MODEL_OVERLOADED', true],
    [401, 'MODEL_AUTH', false],
    [400, 'MODEL_BAD_REQUEST', false],
  ] as const)('an error of code %o in the body of a 200 is that error', async (code, expected, transient) => {
    const body = JSON.stringify({ error: { code, message: 'It went wrong upstream.' } });
    wire.answer({ harm: refuse(200, { body }) });
    await expect((await open()).run('Well?')).rejects.toMatchObject({
      code: expected,
      transient,
      message: expect.stringContaining('It went wrong upstream.') as string,
    });
  });

  it.each([429, 502])('an error of code %o in the place of a chunk is that error', async (code) => {
    const error = `data: ${JSON.stringify({ error: { code, message: 'It went wrong upstream.' } })}\n\n`;
    wire.answer({ harm: refuse(200, { headers: { 'content-type': 'text/event-stream' }, body: error }) });
    await expect((await open()).stream('Well?').result).rejects.toMatchObject({
      code: code === 429 ? 'MODEL_RATE_LIMITED' : 'MODEL_OVERLOADED',
    });
  });

  it.each(['{"type":"ping"}', '{"object":"chat.completion.keepalive"}', '{"type":"new_kind","at":1}'])(
    'a chunk that says nothing, %s, is passed over, with one warning',
    async (chunk) => {
      wire.answer({ text: 'one two three', harm: between(`data: ${chunk}\n\n`) });
      const { result, events } = await collectEvents((await open()).stream('Well?'));
      expect(result?.text).toBe('one two three');
      const warnings = events.filter(
        (event) => event.type === 'warning' && event.message.includes('left out'),
      );
      expect(warnings).toHaveLength(1);
    },
  );
});

/** This chunk before each other one, up to the one that says how the answer ended. */
function between(chunk: string): ReturnType<typeof rewritten> {
  return async (response, answer) => {
    const { status, headers, body } = await answer();
    response.writeHead(status, headers);
    let hasEnded = false;
    for (const event of eventsOf(body, headers)) {
      if (!hasEnded) response.write(chunk);
      hasEnded ||= /"finish_reason":"/.test(event.toString('utf8'));
      response.write(event);
    }
    response.end();
  };
}
