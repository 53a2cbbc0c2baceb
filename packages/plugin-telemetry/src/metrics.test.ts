import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { createAgent, defineTool, modelError } from '@shallot/core';
import { scriptedModel } from '@shallot/core/testing';
import {
  AggregationTemporality as AggregationTemporality2,
  InMemoryMetricExporter as InMemoryMetricExporter2,
  MeterProvider as MeterProvider2,
  PeriodicExportingMetricReader as PeriodicExportingMetricReader2,
} from 'otel-sdk-metrics-2';
import { afterEach, describe, expect, it, vi } from 'vitest';

import telemetry from './index.ts';
import { unregister } from './test-tracing.ts';

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
      metrics.setGlobalMeterProvider(provider);
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
      metrics.setGlobalMeterProvider(provider);
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
      'gen_ai.client.inference.operation.input_tokens {token}',
      'gen_ai.client.inference.operation.output_tokens {token}',
      'gen_ai.client.inference.usage.input_tokens {token}',
      'gen_ai.client.inference.usage.output_tokens {token}',
      'gen_ai.client.inference.usage.reasoning.output_tokens {token}',
      'gen_ai.client.operation.duration s',
      'gen_ai.client.operation.time_to_first_chunk s',
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
