import { diag, metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { memoryStore } from '@shallot/core';
import { newClaim, type RunRecord, type Store } from '@shallot/core/store';
import { expect, onTestFinished, test, vi } from 'vitest';

import { observeStore } from './observe-store.ts';

/** A registered meter provider: what it has collected is returned by gauge, each with its attributes. */
function collecting(): () => Promise<Record<string, unknown[]>> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  metrics.setGlobalMeterProvider(provider);
  onTestFinished(async () => {
    metrics.disable();
    await provider.shutdown();
  });
  return async () => {
    exporter.reset();
    await provider.forceFlush();
    const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    const each = found.flatMap((scope) => scope.metrics);
    return Object.fromEntries(
      each.map(({ descriptor, dataPoints }) => [
        `${descriptor.name} ${descriptor.unit}`,
        dataPoints.map(({ attributes, value }) => [attributes, value]),
      ]),
    );
  };
}

const run = (change: Partial<RunRecord>): RunRecord => {
  const noUsage = {
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
    modelCalls: 0,
    toolCalls: 0,
    byPlugin: {},
  };
  return {
    id: 'r',
    status: 'running',
    step: 1,
    usage: noUsage as never,
    usageBefore: noUsage as never,
    startedAt: 0,
    state: {},
    position: { at: 'step' },
    interrupts: [],
    answers: {},
    ...change,
  };
};

test('what waits, runs and is parked in a store is observed when metrics are collected', async () => {
  const collect = collecting();
  const inner = memoryStore();
  let looks = 0;
  const store: Store = { ...inner, list: (filter) => ((looks += 1), inner.list(filter)) };
  const stop = await observeStore(store);
  const agent = { id: 'tea', version: '2' };
  await store.commit('waiting', 0, { run: run({ agent }), about: { owner: 'ann' } });
  await store.commit('running', 0, { run: run({ agent }), claim: newClaim('me', 60_000) });
  const failure = { code: 'RUN_STUCK', message: 'stuck' } as const;
  await store.commit('parked', 0, { run: run({ parked: true, failure }) });
  const waits = { 'shallot.agent': 'tea', 'shallot.agent.version': '2', 'shallot.owner': 'ann' };
  expect(await collect()).toEqual({
    'shallot.sessions {session}': [
      [{ 'shallot.status': 'parked' }, 1],
      [{ 'shallot.status': 'running' }, 2],
      [{ 'shallot.status': 'damaged' }, 0],
    ],
    'shallot.runs.waiting {run}': [[waits, 1]],
    'shallot.runs.waiting.age s': [[waits, expect.any(Number)]],
    'shallot.runs.running {run}': [
      [{ 'host.name': expect.any(String) as string, 'process.pid': process.pid }, 1],
    ],
    'shallot.runs.parked {run}': [[{ 'error.type': 'RUN_STUCK' }, 1]],
  });
  stop();
  looks = 0;
  await collect();
  expect(looks).toBe(0);
});

test('a store that is away keeps no other metric from being collected', async () => {
  const collect = collecting();
  const warn = vi.spyOn(diag, 'warn').mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const store: Store = { ...memoryStore(), stats: () => Promise.reject(new Error('away')) };
  const stop = await observeStore(store);
  metrics.getMeter('own').createCounter('own').add(1);
  expect(await collect()).toMatchObject({ 'own ': [[{}, 1]] });
  expect(warn).toHaveBeenCalledOnce();
  stop();
});
