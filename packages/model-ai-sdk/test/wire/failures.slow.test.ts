import {
  createAgent,
  defineTool,
  isShallotError,
  type Agent,
  type AgentOptions,
  type ShallotError,
} from '@shallot/core';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { aiSdkModel } from '../../src/index.ts';
import { garbled, half, halfThen, html, refuse, reset, silence } from './harms.ts';
import { wireKey, wireProviders } from './wire-providers.ts';
import { startWire, type Answer, type Harm } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

const both = ['run', 'stream'] as const;
type Mode = (typeof both)[number];

/** Text, then a call that must not be executed when anything is wrong with the answer. */
const turn: Answer = {
  text: 'Let me look at that for you, with all the care that it takes.',
  toolCalls: [{ id: 'call_1', name: 'look', args: '{"hive":1}' }],
};

describe.each(wireProviders)('$name', (provider) => {
  const model = aiSdkModel(provider.make(wire.url));
  let executed = 0;
  const look = defineTool({
    name: 'look',
    description: 'Looks into a hive.',
    input: { type: 'object', properties: { hive: { type: 'number' } } },
    execute: () => {
      executed += 1;
      return 'calm';
    },
  });

  async function open(options: Partial<AgentOptions> = {}): Promise<Agent> {
    executed = 0;
    const agent = await createAgent({ model, tools: [look], ...options });
    onTestFinished(() => agent.close());
    return agent;
  }

  async function failureOf(mode: Mode, options: Partial<AgentOptions> = {}): Promise<ShallotError> {
    const agent = await open(options);
    const ended = mode === 'run' ? agent.run('Look.') : agent.stream('Look.').result;
    const error = await ended.then(
      () => new Error('the run did not fail'),
      (thrown: unknown) => thrown,
    );
    if (!isShallotError(error)) throw error;
    expect(executed).toBe(0);
    expect(error.result).toMatchObject({ outcome: 'failed', stopReason: 'model-error' });
    expect(JSON.stringify([error.message, error])).not.toContain(wireKey);
    return error;
  }

  interface Failure {
    readonly name: string;
    readonly harm: Harm;
    readonly code: string;
    readonly transient: boolean;
  }
  const json = (message: string): { body: string } => ({ body: JSON.stringify({ error: { message } }) });
  const failures: readonly Failure[] = [
    { name: '500', harm: refuse(500, json('Oops.')), code: 'MODEL_OVERLOADED', transient: true },
    { name: '503', harm: refuse(503, { body: 'no upstream' }), code: 'MODEL_OVERLOADED', transient: true },
    { name: '529', harm: refuse(529, json('Overloaded')), code: 'MODEL_OVERLOADED', transient: true },
    { name: '429', harm: refuse(429, json('Slow down.')), code: 'MODEL_RATE_LIMITED', transient: true },
    { name: '401', harm: refuse(401, json('Who are you?')), code: 'MODEL_AUTH', transient: false },
    { name: '403', harm: refuse(403, json('Not you.')), code: 'MODEL_AUTH', transient: false },
    { name: '400', harm: refuse(400, json('What?')), code: 'MODEL_BAD_REQUEST', transient: false },
    { name: '404', harm: refuse(404, json('No such model.')), code: 'MODEL_BAD_REQUEST', transient: false },
    {
      name: 'a request that is too large',
      harm: refuse(400, { body: provider.overflow }),
      code: 'MODEL_CONTEXT_OVERFLOW',
      transient: false,
    },
    { name: 'a reset', harm: reset, code: 'MODEL_NETWORK', transient: true },
  ];

  it.each(failures.flatMap((failure) => both.map((mode) => ({ ...failure, mode }))))(
    '$mode: $name is $code',
    async ({ harm, code, transient, mode }) => {
      wire.answer({ harm });
      expect(await failureOf(mode)).toMatchObject({ code, transient });
      expect(wire.requests).toHaveLength(1);
    },
  );

  it.each(both)('%s: a page of HTML is an error', async (mode) => {
    wire.answer({ harm: html });
    const { code } = await failureOf(mode);
    expect(['MODEL_RESPONSE', 'MODEL_STREAM_BROKEN', 'MODEL_BAD_REQUEST']).toContain(code);
  });

  it.each(both)('%s: half an answer that ends cleanly is none', async (mode) => {
    wire.answer({ ...turn, harm: half('end') });
    const { code } = await failureOf(mode);
    expect(code).toBe('MODEL_STREAM_BROKEN');
  });

  it.each(both)('%s: a reset in the middle breaks the answer', async (mode) => {
    wire.answer({ ...turn, harm: half('reset') });
    expect(await failureOf(mode)).toMatchObject({ code: 'MODEL_STREAM_BROKEN', transient: true });
  });

  it.each(provider.errorEvent === undefined ? [] : [provider.errorEvent])(
    'stream: an error in the middle of the answer is that of the provider',
    async (errorEvent) => {
      wire.answer({ ...turn, harm: halfThen(errorEvent) });
      expect(await failureOf('stream')).toMatchObject({ code: 'MODEL_OVERLOADED', transient: true });
    },
  );

  it.each(provider.noticesGarbled === false ? [] : both)(
    '%s: an event that is not JSON breaks the answer',
    async (mode) => {
      wire.answer({ ...turn, harm: garbled });
      const { code } = await failureOf(mode);
      expect(code).toBe('MODEL_STREAM_BROKEN');
    },
  );

  it.each(both)('%s: headers that never come are silence', async (mode) => {
    wire.answer({ harm: silence });
    const bound = mode === 'run' ? { modelTimeoutMs: 50 } : { modelIdleMs: 50 };
    expect(await failureOf(mode, bound)).toMatchObject({ code: 'MODEL_IDLE', transient: true });
    await wire.requests[0]?.closed;
  });

  it.each(both)('%s: an answer that stalls is silence, and lets go of the connection', async (mode) => {
    wire.answer({ ...turn, harm: half('stall') });
    const bound = mode === 'run' ? { modelTimeoutMs: 100 } : { modelIdleMs: 100 };
    expect(await failureOf(mode, bound)).toMatchObject({ code: 'MODEL_IDLE', transient: true });
    await wire.requests[0]?.closed;
  });

  it.each([
    ['seconds', (): string => '7'],
    ['a date', (): string => new Date(Date.now() + 7000).toUTCString()],
  ] as const)('says when to come back, from %s', async (_, value) => {
    const before = Date.now();
    wire.answer({ harm: refuse(429, { headers: { 'retry-after': value() } }) });
    const { retryAt = 0 } = await failureOf('stream');
    // A date has no milliseconds.
    expect(retryAt).toBeGreaterThanOrEqual(before + 6000);
    expect(retryAt).toBeLessThan(Date.now() + 8000);
  });

  it.each(both)('%s: an abort settles the run and the request', async (mode) => {
    wire.answer({ ...turn, harm: half('stall') });
    const agent = await open();
    const controller = new AbortController();
    const { signal } = controller;
    const ended = mode === 'run' ? agent.run('Look.', { signal }) : agent.stream('Look.', { signal }).result;
    ended.catch(() => {});
    await expect.poll(() => wire.requests.length).toBe(1);
    controller.abort();
    await expect(ended).rejects.toMatchObject({ code: 'RUN_ABORTED', result: { outcome: 'aborted' } });
    expect(executed).toBe(0);
    await wire.requests[0]?.closed;
  });

  it.each(provider.wholeCalls === true ? [] : both)(
    '%s: arguments that the output limit cut off are not executed',
    async (mode) => {
      wire.answer(
        { ...turn, toolCalls: [{ id: 'call_1', name: 'look', args: '{"hive":' }], finish: 'length' },
        { text: 'Well.' },
      );
      const agent = await open();
      const ended = mode === 'run' ? agent.run('Look.') : agent.stream('Look.').result;
      await ended.catch(() => {});
      expect(executed).toBe(0);
    },
  );

  it.each(provider.rawArguments ? both : [])(
    '%s: argument text that is not JSON is told to the model',
    async (mode) => {
      wire.answer({ toolCalls: [{ id: 'call_1', name: 'look', args: '{"hive":' }] }, { text: 'Well.' });
      const agent = await open();
      const { messages, text } = await (mode === 'run' ? agent.run('Look.') : agent.stream('Look.').result);
      expect(executed).toBe(0);
      expect(text).toBe('Well.');
      expect(messages.find(({ role }) => role === 'tool')).toMatchObject({ isError: true });
    },
  );
});
