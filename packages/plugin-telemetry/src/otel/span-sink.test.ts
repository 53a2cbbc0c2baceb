import { context, trace } from '@opentelemetry/api';
import { createAgent, definePlugin, defineTool, memoryStore, textOf } from '@shallot/core';
import { modelError } from '@shallot/core/model';
import { submitRun } from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { registerTracing, sdks, spanNamed, treeOf, unregister } from '../../test/tracing.ts';
import telemetry from '../index.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks at something.',
  input: { type: 'object', properties: { at: { type: 'string' } } },
  execute: () => 'an onion',
});

afterEach(() => {
  unregister();
  vi.unstubAllEnvs();
});

describe.each(sdks)('with the SDK %s', (_, register) => {
  it('makes spans of a run, its model calls and its tool calls, by the conventions', async () => {
    using tracing = register();
    const agent = await createAgent({
      name: 'cook',
      model: scriptedModel([
        {
          toolCalls: [{ id: 'c1', name: 'look', args: { at: 'x' } }],
          usage: { input: 10, output: 5, total: 15, cacheRead: 4, cacheWrite: 2, reasoning: 1 },
        },
        { text: 'An onion.', usage: { input: 20, output: 7, total: 27 } },
      ]),
      tools: [look],
      plugins: [telemetry()],
    });
    const { runId } = await agent.run('What is it?', {
      sessionId: 'kitchen',
      settings: { temperature: 0.5, topP: 0.9, topK: 3, maxOutputTokens: 100, stopSequences: ['.'], seed: 7 },
    });
    await agent.close();

    const spans = tracing.spans();
    expect(treeOf(spans)).toEqual([
      'invoke_agent cook',
      '  chat scripted',
      '  execute_tool look',
      '  chat scripted',
    ]);
    const root = spanNamed(spans, 'invoke_agent cook');
    expect(root.kind).toBe(0);
    expect(root.status.code).toBe(0);
    expect(root.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'test',
      'gen_ai.request.model': 'scripted',
      'gen_ai.agent.name': 'cook',
      'gen_ai.conversation.id': 'kitchen',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.top_p': 0.9,
      'gen_ai.request.max_tokens': 100,
      'gen_ai.request.stop_sequences': ['.'],
      'gen_ai.request.seed': 7,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 30,
      'gen_ai.usage.output_tokens': 12,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'gen_ai.usage.cache_creation.input_tokens': 2,
      'gen_ai.usage.reasoning.output_tokens': 1,
      'shallot.run.id': runId,
      'shallot.run.outcome': 'completed',
      'shallot.run.stop_reason': 'answer',
    });
    const chat = spans.find(({ name }) => name === 'chat scripted');
    expect(chat?.kind).toBe(2);
    expect(chat?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'test',
      'gen_ai.request.model': 'scripted',
      'gen_ai.conversation.id': 'kitchen',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.top_p': 0.9,
      'gen_ai.request.top_k': 3,
      'gen_ai.request.max_tokens': 100,
      'gen_ai.request.stop_sequences': ['.'],
      'gen_ai.request.seed': 7,
      'gen_ai.response.finish_reasons': ['tool_call'],
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'gen_ai.usage.cache_creation.input_tokens': 2,
      'gen_ai.usage.reasoning.output_tokens': 1,
      'shallot.step': 1,
    });
    expect(spanNamed(spans, 'execute_tool look').attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'look',
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.description': 'Looks at something.',
      'gen_ai.conversation.id': 'kitchen',
      'gen_ai.agent.name': 'cook',
      'shallot.step': 1,
    });
  });

  it('shows retries, fallbacks and the calls of plugins as spans of their own', async () => {
    using tracing = register();
    const other = scriptedModel([{ text: 'Hi.' }], { id: 'acme/spare' });
    const fallback = definePlugin({
      name: 'fallback',
      priority: 38,
      setup: ({ hooks }) =>
        hooks.wrapModelCall.tapPromise({ name: 'other' }, async (request, next) => {
          try {
            return await next(request);
          } catch {
            return next({ ...request, model: other });
          }
        }),
    })();
    const summary = definePlugin({
      name: 'summary',
      priority: 50,
      setup: ({ hooks, generate }) =>
        hooks.beforeModel.tapPromise('sum', async (request, run) => {
          await generate(run, { messages: request.messages }, { purpose: 'summary' });
        }),
    })();
    const agent = await createAgent({
      name: 'cook',
      model: scriptedModel([
        { text: 'Short.' },
        { error: modelError('MODEL_OVERLOADED', { message: 'busy' }) },
      ]),
      plugins: [fallback, summary, telemetry()],
    });
    await agent.run('Hello');
    await agent.close();

    const spans = tracing.spans();
    expect(treeOf(spans)).toEqual([
      'invoke_agent cook',
      '  chat scripted',
      '  chat scripted',
      '  chat spare',
    ]);
    const [own, failed] = spans.filter(({ name }) => name === 'chat scripted');
    expect(own?.attributes).toMatchObject({ 'shallot.plugin': 'summary', 'shallot.purpose': 'summary' });
    expect(failed?.attributes).toMatchObject({ 'error.type': 'MODEL_OVERLOADED' });
    expect(failed?.status).toEqual({ code: 2, message: 'busy' });
    expect(spanNamed(spans, 'chat spare').attributes).toMatchObject({
      'gen_ai.provider.name': 'acme',
      'shallot.model.attempt': 2,
    });
  });
});

describe('spans', () => {
  it.each([
    [true, 7],
    [false, undefined],
  ])(
    'have the usage of a run on its own span if usageOnRuns is %s, and on its calls always',
    async (usageOnRuns, input) => {
      using tracing = registerTracing();
      const agent = await createAgent({
        name: 'cook',
        model: scriptedModel([{ text: 'Done.', usage: { input: 7, output: 3, total: 10 } }]),
        plugins: [telemetry({ usageOnRuns })],
      });
      await agent.run('Peel.');
      await agent.close();
      const tokens = (name: string): unknown =>
        spanNamed(tracing.spans(), name).attributes['gen_ai.usage.input_tokens'];
      expect(tokens('invoke_agent cook')).toBe(input);
      expect(tokens('chat scripted')).toBe(7);
    },
  );

  it('name the skill that is loaded', async () => {
    using tracing = registerTracing();
    const skill = defineTool({
      name: 'skill',
      description: 'Loads a skill.',
      input: { type: 'object', properties: { name: { type: 'string' } } },
      execute: () => 'Peel it.',
    });
    const agent = await createAgent({
      model: scriptedModel([
        { toolCalls: [{ name: 'skill', args: { name: 'peeling' } }] },
        { text: 'Done.' },
      ]),
      tools: [skill],
      plugins: [telemetry()],
    });
    await agent.run('Peel.');
    await agent.close();
    expect(spanNamed(tracing.spans(), 'execute_tool skill peeling').attributes).toMatchObject({
      'gen_ai.tool.name': 'skill',
      'gen_ai.skill.name': 'peeling',
    });
  });

  it('say that a conversation has been compacted, and not of the call that does it', async () => {
    using tracing = registerTracing();
    const summary = (text: string) =>
      ({ id: 'sum', role: 'user', source: 'summarization', content: [{ type: 'text', text }] }) as const;
    const compact = definePlugin({
      name: 'summarization',
      setup: ({ hooks, generate }) =>
        hooks.beforeModel.tap('compact', async (request, run) => {
          const asked = { messages: [summary('Condense: …')] };
          const { message } = await generate(run, asked, { purpose: 'summarization' });
          return { ...request, messages: [summary(textOf(message)), ...request.messages.slice(-1)] };
        }),
    })();
    const agent = await createAgent({
      model: scriptedModel([{ text: 'Earlier: …' }, { text: 'Hi.' }]),
      plugins: [telemetry(), compact],
    });
    await agent.run('Hello');
    await agent.close();
    const chats = tracing.spans().filter(({ name }) => name === 'chat scripted');
    expect(chats.map(({ attributes }) => attributes['gen_ai.conversation.compacted'])).toEqual([
      undefined,
      true,
    ]);
  });

  it('tell the time to the first chunk, of streamed answers only', async () => {
    using tracing = registerTracing();
    const agent = await createAgent({
      model: scriptedModel([{ text: 'Streamed.' }, { text: 'Whole.' }]),
      plugins: [telemetry()],
    });
    for await (const event of agent.stream('Hello')) if (event.type === 'run-end') break;
    await agent.run('Again');
    await agent.close();
    const [streamed, whole] = tracing.spans().filter(({ name }) => name === 'chat scripted');
    expect(streamed?.attributes['gen_ai.request.stream']).toBe(true);
    expect(streamed?.attributes['gen_ai.response.time_to_first_chunk']).toBeGreaterThan(0);
    expect(whole?.attributes).not.toHaveProperty(['gen_ai.response.time_to_first_chunk']);
    expect(whole?.attributes).not.toHaveProperty(['gen_ai.request.stream']);
  });

  it('have the error type of tools that fail, are refused, or do not exist', async () => {
    using tracing = registerTracing();
    const tools = [
      defineTool({
        name: 'fails',
        description: '',
        input: { type: 'object' },
        execute: () => {
          throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
        },
      }),
      defineTool({ name: 'denied', description: '', input: { type: 'object' }, execute: () => 'no' }),
    ];
    const gate = definePlugin({
      name: 'guard',
      setup: ({ hooks }) =>
        hooks.wrapToolCall.tapPromise({ name: 'deny', gate: true }, async (call, next) =>
          call.name === 'denied'
            ? { content: [{ type: 'text', text: 'No.' }], isError: true, denied: { by: 'guard' } }
            : next(call),
        ),
    })();
    const agent = await createAgent({
      model: scriptedModel([
        { toolCalls: ['fails', 'denied', 'missing'].map((name) => ({ name, args: {} })) },
        { text: 'Done.' },
      ]),
      tools,
      plugins: [telemetry(), gate],
    });
    await agent.run('Go.');
    await agent.close();
    const spans = tracing.spans();
    const of = (name: string) => spanNamed(spans, `execute_tool ${name}`);
    expect(of('fails').attributes['error.type']).toBe('ECONNREFUSED');
    expect(of('fails').status).toEqual({ code: 2, message: 'refused' });
    expect(of('denied').attributes).toMatchObject({
      'error.type': 'tool_error',
      'shallot.tool.denied_by': 'guard',
    });
    expect(of('missing').attributes['error.type']).toBe('tool_error');
  });

  it('of a run that fails have its error', async () => {
    using tracing = registerTracing();
    const agent = await createAgent({
      name: 'cook',
      model: scriptedModel([{ error: modelError('MODEL_AUTH', { message: 'no key' }) }]),
      plugins: [telemetry()],
    });
    await expect(agent.run('Hello')).rejects.toThrow('no key');
    await agent.close();
    const root = spanNamed(tracing.spans(), 'invoke_agent cook');
    expect(root.attributes).toMatchObject({ 'error.type': 'MODEL_AUTH', 'shallot.run.outcome': 'failed' });
    expect(root.status.code).toBe(2);
  });

  it('of a submitted run are inside the span of its traceparent, whatever is active in the worker', async () => {
    using tracing = registerTracing();
    const store = memoryStore();
    const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    const traceparents = [`00-${traceId}-${spanId}-01`, `00-${'0'.repeat(32)}-${spanId}-01`, undefined];
    for (const [index, traceparent] of traceparents.entries())
      await submitRun(store, `s${index}`, 'Go', traceparent === undefined ? {} : { traceparent });
    const model = scriptedModel(traceparents.map(() => ({ text: 'Done.' })));
    await using agent = await createAgent({ name: 'cook', model, store, plugins: [telemetry()] });
    const tracer = trace.getTracer('app');
    await tracer.startActiveSpan('other', async (span) => {
      for (const index of traceparents.keys()) await agent.resume(`s${index}`);
      span.end();
    });
    const runs = tracing.spans().filter(({ name }) => name === 'invoke_agent cook');
    const other = spanNamed(tracing.spans(), 'other');
    expect(runs.map((run) => [run.traceId, run.parentId])).toEqual([
      [traceId, spanId],
      [other.traceId, other.id],
      [other.traceId, other.id],
    ]);
    await expect(submitRun(store, 't', 'Go', { traceparent: '00-1' })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });

  it('of a run that waits for an answer tell what it asks; the resumed one links to it, in another agent too', async () => {
    using tracing = registerTracing();
    const store = memoryStore();
    const ask = definePlugin({
      name: 'ask',
      setup: ({ hooks }) =>
        hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, scope) => {
          await scope.interrupt({ kind: 'approval', payload: {}, answer: { type: 'boolean' } });
          return next(call);
        }),
    })();
    const start = (steps: Parameters<typeof scriptedModel>[0]) =>
      createAgent({
        name: 'cook',
        model: scriptedModel(steps),
        tools: [look],
        store,
        plugins: [telemetry(), ask],
      });
    const first = await start([{ toolCalls: [{ id: 'c1', name: 'look', args: {} }] }]);
    const { interrupts } = await first.run('Look.', { sessionId: 's' });
    await first.close();
    const before = tracing.spans();
    const asked = spanNamed(before, 'invoke_agent cook');
    expect(asked.status.code).toBe(0);
    expect(asked.events).toMatchObject([
      {
        name: 'shallot.interrupt',
        attributes: {
          'shallot.interrupt.kind': 'approval',
          'shallot.plugin': 'ask',
          'gen_ai.tool.name': 'look',
        },
      },
    ]);
    const waiting = spanNamed(before, 'execute_tool look');
    expect(waiting.attributes).toMatchObject({ 'shallot.tool.interrupted': true });
    expect(waiting.attributes).not.toHaveProperty(['error.type']);

    const second = await start([{ text: 'Done.' }]);
    await second.resume('s', Object.fromEntries(interrupts.map(({ id }) => [id, true])));
    await second.close();
    const after = tracing.spans().slice(before.length);
    expect(treeOf(after)).toEqual(['invoke_agent cook', '  execute_tool look', '  chat scripted']);
    const resumed = spanNamed(after, 'invoke_agent cook');
    expect(resumed.links.map(({ context: { traceId, spanId } }) => [traceId, spanId])).toEqual([
      [asked.traceId, asked.id],
    ]);
    expect(resumed.traceId).not.toBe(asked.traceId);
    expect(resumed.attributes).toMatchObject({ 'shallot.run.resumed': true });
  });

  it('are inside of what the application has begun, and around what tools and layers begin', async () => {
    using tracing = registerTracing();
    const tracer = trace.getTracer('application');
    const fetches = defineTool({
      name: 'fetch',
      description: '',
      input: { type: 'object' },
      execute: () => {
        tracer.startSpan('GET').end();
        return 'done';
      },
    });
    const inner = scriptedModel([{ toolCalls: [{ name: 'fetch', args: {} }] }, { text: 'Done.' }]);
    const model: typeof inner = Object.assign(Object.create(inner) as typeof inner, {
      generate: (...args: Parameters<typeof inner.generate>) => {
        tracer.startSpan('POST').end();
        return inner.generate(...args);
      },
    });
    const spanning = definePlugin({
      name: 'spanning',
      setup: ({ hooks }) =>
        hooks.wrapModelCall.tapPromise('span', (request, next) =>
          tracer.startActiveSpan('layer', async (span) => {
            try {
              return await next(request);
            } finally {
              span.end();
            }
          }),
        ),
    })();
    const agent = await createAgent({
      name: 'cook',
      model,
      tools: [fetches],
      plugins: [telemetry(), spanning],
    });
    await tracer.startActiveSpan('request', async (span) => {
      await agent.run('Fetch.');
      span.end();
    });
    await agent.close();
    expect(treeOf(tracing.spans())).toEqual([
      'request',
      '  invoke_agent cook',
      '    layer',
      '      chat scripted',
      '        POST',
      '    execute_tool fetch',
      '      GET',
      '    layer',
      '      chat scripted',
      '        POST',
    ]);
  });

  it('are right without a context manager', async () => {
    using tracing = registerTracing();
    context.disable();
    const agent = await createAgent({
      name: 'cook',
      model: scriptedModel([{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'Done.' }]),
      tools: [look],
      plugins: [telemetry()],
    });
    await agent.run('Look.');
    await agent.close();
    expect(treeOf(tracing.spans())).toEqual([
      'invoke_agent cook',
      '  chat scripted',
      '  execute_tool look',
      '  chat scripted',
    ]);
  });

  it('are made as soon as an SDK is registered, and no more when it is gone', async () => {
    const agent = await createAgent({
      model: scriptedModel([{ text: '1' }, { text: '2' }, { text: '3' }]),
      plugins: [telemetry()],
    });
    await agent.run('one');
    const tracing = registerTracing();
    await agent.run('two');
    expect(tracing.spans()).toHaveLength(2);
    tracing[Symbol.dispose]();
    await agent.run('three');
    await agent.close();
    expect(tracing.spans()).toHaveLength(2);
  });

  it('use the newer names where the environment asks for them', async () => {
    vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', 'http, gen_ai_latest_experimental');
    using tracing = registerTracing();
    const usage = { input: 9, output: 1, total: 10, cacheWrite: 3 };
    const agent = await createAgent({
      model: scriptedModel([{ text: 'Hi.', usage }]),
      plugins: [telemetry()],
    });
    await agent.run('Hello');
    await agent.close();
    const { attributes } = spanNamed(tracing.spans(), 'chat scripted');
    expect(attributes['gen_ai.usage.cache_write.input_tokens']).toBe(3);
    expect(attributes).not.toHaveProperty(['gen_ai.usage.cache_creation.input_tokens']);
  });

  it('hold no secret, wherever one is', async () => {
    const secret = 'hunter2-hunter2';
    using tracing = registerTracing();
    const leaky = definePlugin({
      name: 'leaky',
      setup({ hooks }) {
        hooks.wrapModelCall.tap(`uses ${secret}`, (request, next) =>
          next({ ...request, instructions: `The password is ${secret}.` }),
        );
        hooks.wrapToolCall.tap('fail', () => {
          throw new Error(`GET https://example.com/?key=${secret} failed`);
        });
      },
    })();
    const agent = await createAgent({
      name: `cook ${secret}`,
      model: scriptedModel([{ toolCalls: [{ name: 'look', args: { at: { deep: [`"${secret}"`] } } }] }]),
      tools: [look],
      plugins: [telemetry({ content: true, insight: true, log: false }), leaky],
      redact: { secrets: [secret] },
    });
    await expect(agent.run(`My password is ${secret}.`, { sessionId: secret })).rejects.toThrow('failed');
    await agent.close();
    const spans = tracing.spans();
    expect(spans.length).toBeGreaterThan(4);
    expect(JSON.stringify(spans)).not.toContain(secret);
    expect(JSON.stringify(spans)).toContain('[redacted]');
  });

  it('hold JSON that stays JSON, whatever is said of secrets', async () => {
    using tracing = registerTracing();
    const at = `it's password='open and the token: {`;
    const agent = await createAgent({
      model: scriptedModel([{ toolCalls: [{ name: 'look', args: { at, url: '/?token=' } }] }, { text: at }]),
      tools: [look],
      plugins: [telemetry({ content: true })],
    });
    await agent.run(at);
    await agent.close();
    const json = tracing
      .spans()
      .flatMap(({ attributes }) => Object.values(attributes))
      .filter((value): value is string => typeof value === 'string' && /^[[{]/.test(value));
    expect(json.length).toBeGreaterThan(6);
    for (const each of json) expect(() => JSON.parse(each) as unknown).not.toThrow();
    expect(spanNamed(tracing.spans(), 'execute_tool look').attributes['gen_ai.tool.call.arguments']).toBe(
      `{"at":"it's password='[redacted]","url":"/?token="}`,
    );
  });
});
