import { createOpenAI } from '@ai-sdk/openai';
import {
  createAgent,
  defineTool,
  isShallotError,
  type Agent,
  type AgentOptions,
  type ShallotError,
  type Tool,
} from '@shallot/core';
import { toolCallsOf } from '@shallot/core/plugin';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { aiSdkModel, boundedFetch } from '../../src/index.ts';
import { huge, repeated, rewritten } from './harms.ts';
import { selfSigned } from './self-signed.ts';
import { wireKey, wireProviders, type WireProvider } from './wire-providers.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

const both = ['run', 'stream'] as const;
const mebibyte = 1024 * 1024;

function named(name: string): WireProvider {
  const provider = wireProviders.find((each) => each.name === name);
  if (provider === undefined) throw new Error(`no provider ${name}`);
  return provider;
}

async function open(provider: WireProvider, options: Partial<AgentOptions> = {}): Promise<Agent> {
  const agent = await createAgent({ model: aiSdkModel(provider.make(wire.url)), ...options });
  onTestFinished(() => agent.close());
  return agent;
}

async function failureOf(ended: Promise<unknown>): Promise<ShallotError> {
  const error = await ended.then(
    () => new Error('the run did not fail'),
    (thrown: unknown) => thrown,
  );
  if (isShallotError(error)) return error;
  throw error;
}

describe.each(
  ['openai, chat', 'openai, responses', 'anthropic', 'google', 'mistral', 'openai-compatible'].map(named),
)('$name', (provider) => {
  it.each(both)('%s: two calls with one id are two calls', async (mode) => {
    const ran: unknown[] = [];
    const agent = await open(provider, { tools: [addTool(ran)] });
    wire.answer(
      {
        toolCalls: [
          { id: 'same', name: 'add', args: '{"a":1}' },
          { id: 'same', name: 'add', args: '{"a":2}' },
        ],
      },
      { text: 'Three.' },
    );
    const { messages } = await (mode === 'run' ? agent.run('Add.') : agent.stream('Add.').result);
    expect(ran).toEqual([{ a: 1 }, { a: 2 }]);
    const ids = messages.flatMap(toolCallsOf).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []))).toEqual(ids);
  });

  it.each(both)('%s: a call may be called like what every object has', async (mode) => {
    const ran: unknown[] = [];
    const agent = await open(provider, { tools: [addTool(ran)] });
    wire.answer(
      {
        toolCalls: [
          { id: '__proto__', name: 'add', args: '{"a":1}' },
          // Some packages refuse a whole answer with such a key in its JSON; argument text is not theirs to read.
          {
            id: 'constructor',
            name: 'add',
            args: provider.rawArguments ? '{"a":2,"__proto__":{"b":3}}' : '{"a":2}',
          },
        ],
      },
      { text: 'Three.' },
    );
    const { text, messages } = await (mode === 'run' ? agent.run('Add.') : agent.stream('Add.').result);
    expect(text).toBe('Three.');
    expect(ran).toHaveLength(2);
    expect(Object.hasOwn(Object.prototype, 'b')).toBe(false);
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
  });
});

it.each(both)('%s: an answer that the provider withholds says so', async (mode) => {
  const withheld = rewritten((body) =>
    body.replaceAll('"finish_reason":"stop"', '"finish_reason":"content_filter"'),
  );
  wire.answer({ text: '', harm: withheld });
  const agent = await open(named('openai, chat'));
  const { code } = await failureOf(mode === 'run' ? agent.run('Well?') : agent.stream('Well?').result);
  expect(code).toBe('MODEL_CONTENT_FILTERED');
});

describe('too much', () => {
  it('takes a million deltas', { timeout: 120_000 }, async () => {
    wire.answer({ text: 'x', harm: repeated('"content":"x"', 1_000_000) });
    // The package that takes the least time to read them.
    const agent = await open(named('ollama'));
    let deltas = 0;
    const stream = agent.stream('Go on.');
    for await (const event of stream) if (event.type === 'text-delta') deltas += 1;
    expect(deltas).toBeGreaterThanOrEqual(1_000_000);
    expect((await stream.result).text).toHaveLength(deltas);
  });

  it('cuts an answer that never ends, and keeps what it holds small', { timeout: 120_000 }, async () => {
    const long = 'x'.repeat(10_000);
    wire.answer({
      text: 'xx',
      harm: repeated('"content":"xx"', Number.POSITIVE_INFINITY, (event) => event.replace('xx', long)),
    });
    const agent = await open(named('openai, chat'));
    const grown = memoryGrowth();
    const { code } = await failureOf(agent.stream('Go on.').result);
    expect(code).toBe('MODEL_RESPONSE');
    expect(grown()).toBeLessThan(500 * mebibyte);
    await wire.requests[0]?.closed;
  });

  it.each([
    ['run', 'application/json'],
    ['stream', 'text/event-stream'],
  ] as const)(
    '%s: cuts a body of a gigabyte, and keeps what it holds small',
    { timeout: 120_000 },
    async (mode, type) => {
      wire.answer({ harm: huge(1024 * mebibyte, type) });
      // As a config has it: what a package reads by itself, it reads to the end.
      const provider = createOpenAI({ baseURL: `${wire.url}/v1`, apiKey: wireKey, fetch: boundedFetch() });
      const agent = await createAgent({ model: aiSdkModel(provider.chat('gpt-4.1')) });
      onTestFinished(() => agent.close());
      const grown = memoryGrowth();
      const { code } = await failureOf(mode === 'run' ? agent.run('Go on.') : agent.stream('Go on.').result);
      expect(code).toBe('MODEL_RESPONSE');
      expect(grown()).toBeLessThan(300 * mebibyte);
    },
  );
});

describe('out of reach', () => {
  it.each(both)('%s: a host that does not answer', async (mode) => {
    const provider = named('openai, chat');
    const closed = await startWire();
    await closed[Symbol.asyncDispose]();
    const agent = await createAgent({ model: aiSdkModel(provider.make(closed.url)) });
    const error = await failureOf(mode === 'run' ? agent.run('Well?') : agent.stream('Well?').result);
    expect(error).toMatchObject({ code: 'MODEL_NETWORK', transient: true });
    expect(error.message).toContain(closed.url);
  });

  it.each(both)('%s: a host whose certificate nobody vouches for', async (mode) => {
    await using server = await startWire(selfSigned);
    const agent = await createAgent({ model: aiSdkModel(named('openai, chat').make(server.url)) });
    const error = await failureOf(mode === 'run' ? agent.run('Well?') : agent.stream('Well?').result);
    // Trying again does not make it trusted.
    expect(error).toMatchObject({ code: 'MODEL_NETWORK', transient: false });
    expect(error.message).toMatch(/certificate/);
    expect(error.message).not.toContain(wireKey);
    expect(server.requests).toHaveLength(0);
  });
});

function addTool(ran: unknown[]): Tool {
  return defineTool({
    name: 'add',
    description: 'Adds.',
    input: { type: 'object', properties: { a: { type: 'number' } } },
    execute: (args: unknown) => {
      ran.push(args);
      return 'added';
    },
  });
}

/** Returns a function that gives the growth of the memory of the process since now, at its peak. */
function memoryGrowth(): () => number {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
  return () => {
    clearInterval(timer);
    return Math.max(most, process.memoryUsage().rss) - before;
  };
}
