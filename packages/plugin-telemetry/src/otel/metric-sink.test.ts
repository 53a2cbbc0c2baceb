import * as api from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { createAgent, defineTool, type ToolDefinition } from '@shallot/core';
import { modelError, type ChatModel } from '@shallot/core/model';
import { scriptedModel } from '@shallot/testing';
import {
  AggregationTemporality as AggregationTemporality2,
  InMemoryMetricExporter as InMemoryMetricExporter2,
  MeterProvider as MeterProvider2,
  PeriodicExportingMetricReader as PeriodicExportingMetricReader2,
} from 'otel-sdk-metrics-2';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { unregister } from '../../test/tracing.ts';
import telemetry, { type Sink } from '../index.ts';
import { metricSink } from './metric-sink.ts';
import { RunAttributes } from './run-attributes.ts';

afterEach(() => {
  unregister();
  vi.unstubAllEnvs();
});

interface Point {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

const sdks: readonly (readonly [string, () => () => Promise<Map<string, readonly Point[]>>])[] = [
  [
    '3.x',
    () => {
      const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
      const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
      api.metrics.setGlobalMeterProvider(provider);
      return async () => {
        await provider.forceFlush();
        return pointsOf(exporter.getMetrics());
      };
    },
  ],
  [
    '2.x',
    () => {
      const exporter = new InMemoryMetricExporter2(AggregationTemporality2.CUMULATIVE);
      const provider = new MeterProvider2({ readers: [new PeriodicExportingMetricReader2({ exporter })] });
      api.metrics.setGlobalMeterProvider(provider);
      return async () => {
        await provider.forceFlush();
        return pointsOf(exporter.getMetrics());
      };
    },
  ],
];

type Exported =
  | ReturnType<InMemoryMetricExporter['getMetrics']>
  | ReturnType<InMemoryMetricExporter2['getMetrics']>;

function pointsOf(exported: Exported): Map<string, readonly Point[]> {
  const all = exported.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: found }) => found));
  return new Map(
    all.map(({ descriptor, dataPoints }) => [`${descriptor.name} ${descriptor.unit}`, dataPoints]),
  );
}

/** A run with a failed model call that a plugin would retry, a tool call, and a streamed answer. */
async function runOnce(): Promise<void> {
  const agent = await createAgent({
    name: 'cook',
    model: scriptedModel([
      { toolCalls: [{ name: 'look', args: {} }], usage: { input: 10, output: 5, total: 15, reasoning: 2 } },
      { error: modelError('MODEL_AUTH', { message: 'no key' }) },
    ]),
    tools: [defineTool({ name: 'look', description: '', input: { type: 'object' }, execute: () => 'seen' })],
    plugins: [telemetry()],
  });
  const events = agent.stream('Look.');
  await expect(async () => {
    for await (const event of events) void event;
    await events.result;
  }).rejects.toThrow('no key');
  await agent.close();
}

const tokenBoundaries = Array.from({ length: 14 }, (_, index) => 4 ** index);
const secondBoundaries = Array.from({ length: 14 }, (_, index) => 2 ** index / 100);

const call = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'test',
  'gen_ai.request.model': 'scripted',
};

describe.each(sdks)('with the SDK %s', (_, register) => {
  it('counts tokens and times of model calls, in the buckets of the conventions', async () => {
    const collect = register();
    await runOnce();
    const points = await collect();
    expect([...points.keys()]).toEqual([
      'gen_ai.client.operation.duration s',
      'gen_ai.client.operation.time_to_first_chunk s',
      'gen_ai.client.operation.time_per_output_chunk s',
      'gen_ai.client.token.usage {token}',
    ]);
    expect(points.get('gen_ai.client.token.usage {token}')).toMatchObject([
      {
        attributes: { ...call, 'gen_ai.token.type': 'input' },
        value: { sum: 10, buckets: { boundaries: tokenBoundaries } },
      },
      { attributes: { ...call, 'gen_ai.token.type': 'output' }, value: { sum: 5 } },
    ]);
    const durations = points.get('gen_ai.client.operation.duration s');
    expect(durations).toMatchObject([
      {
        attributes: call,
        value: { count: 1, buckets: { boundaries: secondBoundaries } },
      },
      { attributes: { ...call, 'error.type': 'MODEL_AUTH' }, value: { count: 1 } },
    ]);
    expect(points.get('gen_ai.client.operation.time_to_first_chunk s')).toMatchObject([
      { attributes: call, value: { count: 1 } },
    ]);
  });

  it('counts by the newer names where the environment asks for them', async () => {
    vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', 'gen_ai_latest_experimental');
    const collect = register();
    await runOnce();
    const points = await collect();
    expect([...points.keys()].toSorted()).toEqual([
      'gen_ai.client.inference.duration s',
      'gen_ai.client.inference.operation.input_tokens {token}',
      'gen_ai.client.inference.operation.output_tokens {token}',
      'gen_ai.client.inference.time_per_output_chunk s',
      'gen_ai.client.inference.time_to_first_chunk s',
      'gen_ai.client.inference.usage.input_tokens {token}',
      'gen_ai.client.inference.usage.output_tokens {token}',
      'gen_ai.client.inference.usage.reasoning.output_tokens {token}',
      'gen_ai.execute_tool.duration s',
      'gen_ai.invoke_agent.duration s',
      'gen_ai.invoke_agent.inference_calls {inference_call}',
      'gen_ai.invoke_agent.tool_calls {tool_call}',
    ]);
    expect(points.get('gen_ai.client.inference.usage.input_tokens {token}')).toMatchObject([
      { attributes: { ...call, 'gen_ai.token.modality': 'unknown' }, value: 10 },
    ]);
    expect(points.get('gen_ai.invoke_agent.inference_calls {inference_call}')).toMatchObject([
      { attributes: { 'gen_ai.agent.name': 'cook' }, value: { sum: 2 } },
    ]);
    expect(points.get('gen_ai.invoke_agent.duration s')).toMatchObject([
      { attributes: { 'gen_ai.agent.name': 'cook', 'error.type': 'MODEL_AUTH' } },
    ]);
  });
});

it('counts nothing that no provider has reported', async () => {
  const collect = sdks[0]?.[1]();
  const agent = await createAgent({ model: scriptedModel([{ text: 'Hi.' }]), plugins: [telemetry()] });
  await agent.run('Hello');
  await agent.close();
  expect([...((await collect?.()) ?? []).keys()]).toEqual(['gen_ai.client.operation.duration s']);
});

it('tells times in seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', 'gen_ai_latest_experimental');
  const collect = sdks[0]?.[1]();
  const look = defineTool({
    name: 'look',
    description: '',
    input: { type: 'object' },
    execute: () => (vi.advanceTimersByTime(500), 'seen'),
  });
  const inner = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Hi.' }]);
  const model: ChatModel = {
    id: inner.id,
    generate: (request, options) => (vi.advanceTimersByTime(2000), inner.generate(request, options)),
  };
  const agent = await createAgent({ model, tools: [look], plugins: [telemetry()] });
  for await (const event of agent.stream('Look.')) if (event.type === 'run-end') break;
  await agent.close();
  const points = (await collect?.()) ?? new Map<string, readonly Point[]>();
  const sums = ['client.inference', 'execute_tool', 'invoke_agent'].map((name) =>
    points.get(`gen_ai.${name}.duration s`),
  );
  expect(sums).toMatchObject([
    [{ value: { sum: 4, count: 2 } }],
    [{ value: { sum: 0.5 } }],
    [{ value: { sum: 4.5 } }],
  ]);
  expect(points.get('gen_ai.client.inference.time_to_first_chunk s')).toMatchObject([{ value: { max: 2 } }]);
});

it('takes the time from one chunk to the next, once for each', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const collect = sdks[0]?.[1]();
  const model: ChatModel = {
    id: 'acme/soup',
    async generate(_, { emit }) {
      for (const [seconds, text] of [
        [1, 'a'],
        [2, 'b'],
        [4, 'c'],
      ] as const) {
        vi.advanceTimersByTime(seconds * 1000);
        await emit({ type: 'text-delta', index: 0, text });
      }
      const content = [{ type: 'text', text: 'abc' } as const];
      return { message: { role: 'assistant', content }, finish: 'stop', metadata: { model: 'soup-2026' } };
    },
  };
  const agent = await createAgent({ model, plugins: [telemetry()] });
  for await (const event of agent.stream('Look.')) void event;
  await agent.close();
  const points = await collect?.();
  const attributes = { 'gen_ai.response.model': 'soup-2026' };
  expect(points?.get('gen_ai.client.operation.time_to_first_chunk s')).toMatchObject([
    { attributes, value: { count: 1, sum: 1 } },
  ]);
  expect(points?.get('gen_ai.client.operation.time_per_output_chunk s')).toMatchObject([
    { attributes, value: { count: 2, sum: 6, min: 2, max: 4 } },
  ]);
});

it('counts a tool call by how it came out, and one that waits for a person not at all', async () => {
  vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', 'gen_ai_latest_experimental');
  const collect = sdks[0]?.[1]();
  const tool = (name: string, execute: ToolDefinition['execute']) =>
    defineTool({ name, description: '', input: { type: 'object' }, execute });
  const ask = { kind: 'sure', payload: null, answer: { type: 'null' } } as const;
  const agent = await createAgent({
    name: 'cook',
    model: scriptedModel([
      { toolCalls: ['look', 'fail', 'wait'].map((name) => ({ name })) },
      { text: 'Done.' },
    ]),
    tools: [
      tool('look', () => 'seen'),
      tool('fail', () => Promise.reject(new TypeError('no'))),
      tool('wait', async (_, { interrupt }) => (await interrupt(ask), 'waited')),
    ],
    plugins: [telemetry()],
  });
  const { interrupts } = await agent.run('Look.', { sessionId: 's' });
  const counted = async (): Promise<string[]> =>
    ((await collect?.())?.get('gen_ai.execute_tool.duration s') ?? []).map(
      ({ attributes }) => `${String(attributes['gen_ai.tool.name'])} ${String(attributes['error.type'])}`,
    );
  expect((await counted()).toSorted()).toEqual(['fail TypeError', 'look undefined']);
  await agent.resume('s', Object.fromEntries(interrupts.map(({ id }) => [id, null])));
  await agent.close();
  expect(await counted()).toContain('wait undefined');
});

it('has the buckets of the conventions in the newer names too', async () => {
  vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', 'gen_ai_latest_experimental');
  const collect = sdks[0]?.[1]();
  await runOnce();
  const points = (await collect?.()) ?? new Map<string, readonly Point[]>();
  const boundaries = Object.fromEntries(
    [...points].flatMap(([name, [point]]) => {
      const { value } = point ?? {};
      return typeof value === 'object' && value !== null && 'buckets' in value
        ? [[name, (value.buckets as { readonly boundaries: unknown }).boundaries]]
        : [];
    }),
  );
  const calls = Array.from({ length: 8 }, (_, index) => 2 ** index);
  expect(boundaries).toEqual({
    'gen_ai.client.inference.operation.input_tokens {token}': tokenBoundaries,
    'gen_ai.client.inference.operation.output_tokens {token}': tokenBoundaries,
    'gen_ai.client.inference.duration s': secondBoundaries,
    'gen_ai.client.inference.time_per_output_chunk s': secondBoundaries,
    'gen_ai.client.inference.time_to_first_chunk s': secondBoundaries,
    'gen_ai.execute_tool.duration s': secondBoundaries,
    'gen_ai.invoke_agent.duration s': Array.from({ length: 13 }, (_, index) => 2 ** index / 10),
    'gen_ai.invoke_agent.inference_calls {inference_call}': calls,
    'gen_ai.invoke_agent.tool_calls {tool_call}': calls,
  });
});

it('names the model that answered, and counts what went through its cache', async () => {
  vi.stubEnv('OTEL_SEMCONV_STABILITY_OPT_IN', 'gen_ai_latest_experimental');
  const collect = sdks[0]?.[1]();
  const model: ChatModel = {
    id: 'acme/soup',
    generate: async () => ({
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
      finish: 'stop',
      usage: { input: 9, output: 1, total: 10, cacheRead: 4, cacheWrite: 2 },
      metadata: { model: 'soup-2026' },
    }),
  };
  const agent = await createAgent({ model, plugins: [telemetry()] });
  await agent.run('Hello');
  await agent.close();
  const points = await collect?.();
  const ofCache = ['read', 'write'].map((way) =>
    points?.get(`gen_ai.client.inference.usage.cache_${way}.input_tokens {token}`),
  );
  const attributes = { 'gen_ai.response.model': 'soup-2026' };
  expect(ofCache).toMatchObject([[{ attributes, value: 4 }], [{ attributes, value: 2 }]]);
});

it('wants no run before an SDK is registered, and each after that', async () => {
  const wanted: boolean[] = [];
  const sink = metricSink(api, {
    edition: '1.41',
    agent: () => ({ name: 'cook', model: scriptedModel([]) }),
    attributes: new RunAttributes({ metricAttributes: [] }, { redact: String, lose: () => {} }),
  });
  const watching: Sink = {
    name: 'watching',
    observe: (run) => void wanted.push(sink.observe(run) !== undefined),
  };
  const agent = await createAgent({
    model: scriptedModel([{ text: '1' }, { text: '2' }]),
    plugins: [telemetry({ sinks: [watching] })],
  });
  await agent.run('one');
  const collect = sdks[0]?.[1]();
  await agent.run('two');
  await agent.close();
  expect(wanted).toEqual([false, true]);
  expect((await collect?.())?.get('gen_ai.client.operation.duration s')).toMatchObject([
    { value: { count: 1 } },
  ]);
});
