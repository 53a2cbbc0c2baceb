import { context, propagation, trace } from '@opentelemetry/api';
import type { TextMapPropagator } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { createAgent, defineTool, memoryStore } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { expect, onTestFinished, test } from 'vitest';

import { createServer } from '../create-server.ts';
import type { RequestLine } from './observe-requests.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

/** Reads `traceparent`, as the propagator of an application does. */
const propagator: TextMapPropagator = {
  inject: () => undefined,
  fields: () => ['traceparent'],
  extract(around, carrier, getter) {
    const [, id = '', spanId = ''] = String(getter.get(carrier, 'traceparent')).split('-');
    return id === ''
      ? around
      : trace.setSpanContext(around, { traceId: id, spanId, traceFlags: 1, isRemote: true });
  },
};

async function serve() {
  const lines: RequestLine[] = [];
  const traces: (string | undefined)[] = [];
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute() {
      traces.push(trace.getActiveSpan()?.spanContext().traceId);
      return 'nothing';
    },
  });
  const store = memoryStore();
  const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Nothing.' }]);
  const agent = await createAgent({ name: 'test', model, store, tools: [look] });
  const server = createServer({ agent, store }, { onRequest: (line) => lines.push(line) });
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  const send = (path: string, body?: object) =>
    server.fetch(
      new Request(`http://localhost${path}`, {
        headers: { 'content-type': 'application/json', traceparent },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      }),
    );
  return { lines, traces, send, store };
}

test('a request has one line, with its run and its trace', async () => {
  const { lines, send, store } = await serve();
  await send('/sessions?wait=30', { id: 'a', input: 'Look' });
  await send('/nothing');
  const run = (await store.load('a'))?.run;
  expect(lines).toMatchObject([
    {
      method: 'POST',
      route: '/sessions',
      status: 201,
      by: 'operator',
      sessionId: 'a',
      runId: run?.id,
      traceId,
    },
    { method: 'GET', status: 404 },
  ]);
  // A worker elsewhere finds the place in the trace with the run.
  expect(run?.submitted).toMatchObject({ traceparent });
});

test('a request has one span, below its traceparent, and its run is below that', async () => {
  const exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(propagator);
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
  onTestFinished(() => {
    context.disable();
    propagation.disable();
    trace.disable();
  });
  const { lines, traces, send, store } = await serve();
  await send('/sessions?wait=30', { id: 'a', input: 'Look' });
  const [span, ...more] = exporter.getFinishedSpans();
  expect(more).toEqual([]);
  expect(span).toMatchObject({
    name: 'POST /sessions',
    parentSpanContext: { spanId: 'b7ad6b7169203331' },
    attributes: {
      'http.route': '/sessions',
      'http.response.status_code': 201,
      'shallot.run.id': (await store.load('a'))?.run?.id,
    },
  });
  // The run is below the span, whoever executes it.
  expect((await store.load('a'))?.run?.submitted?.traceparent).toBe(
    `00-${traceId}-${span?.spanContext().spanId}-01`,
  );
  expect([span?.spanContext().traceId, lines[0]?.traceId]).toEqual([traceId, traceId]);
  expect(traces).toEqual([traceId]);
});
