import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

import { context, logs, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

/** A value in OTLP's JSON form: `{ stringValue: 'a' }`. */
export type OtlpValue = Readonly<Record<string, unknown>>;

/** A signal with attributes that arrived over the wire. */
export interface Received {
  readonly signal: 'Span' | 'Metric' | 'Event';
  readonly name: string;
  /** The form of the signal, as in `conventions.md`. */
  readonly form: string;
  readonly attributes: ReadonlyMap<string, OtlpValue>;
  readonly schemaUrl: string;
  readonly spanId: string | undefined;
}

/** The real SDK, with exporters that send to a receiver on this machine. */
export interface Otlp extends AsyncDisposable {
  /** Flushes the exporters, and returns everything that has arrived. */
  received(): Promise<readonly Received[]>;
}

type Json = Readonly<Record<string, unknown>>;

const spanKinds: Readonly<Record<number, string>> = { 1: 'internal', 3: 'client' };

export async function startOtlp(): Promise<Otlp> {
  const bodies: Json[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      // The SDK's exporters made this body.
      bodies.push(body as Json);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the receiver has no port');
  const url = `http://127.0.0.1:${address.port}/v1/`;
  const spans = new SimpleSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${url}traces` }) });
  const tracers = new TracerProvider({ spanProcessors: [spans] });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${url}metrics` }),
  });
  const meters = new MeterProvider({ readers: [reader] });
  const records = new SimpleLogRecordProcessor({ exporter: new OTLPLogExporter({ url: `${url}logs` }) });
  const loggers = new LoggerProvider({ processors: [records] });
  trace.setGlobalTracerProvider(tracers);
  metrics.setGlobalMeterProvider(meters);
  logs.setGlobalLoggerProvider(loggers);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return {
    async received() {
      await Promise.all([tracers.forceFlush(), meters.forceFlush(), loggers.forceFlush()]);
      return bodies.flatMap(receivedIn);
    },
    async [Symbol.asyncDispose]() {
      for (const api of [trace, metrics, logs, context]) api.disable();
      await Promise.all([tracers.shutdown(), meters.shutdown(), loggers.shutdown()]);
      await server[Symbol.asyncDispose]();
    },
  };
}

function receivedIn(body: Json): Received[] {
  return [
    ...scoped(body, 'resourceSpans', 'scopeSpans', 'spans').map(({ item, schemaUrl }) => ({
      signal: 'Span' as const,
      name: String(item['name']).split(' ')[0] ?? '',
      form: spanKinds[Number(item['kind'])] ?? '',
      attributes: attributesIn(item),
      schemaUrl,
      spanId: String(item['spanId']),
    })),
    ...scoped(body, 'resourceMetrics', 'scopeMetrics', 'metrics').flatMap(({ item, schemaUrl }) => {
      const kind = item['histogram'] === undefined ? 'counter' : 'histogram';
      const { dataPoints } = asJson(item['histogram'] ?? item['sum']);
      return listOf(dataPoints).map((point) => ({
        signal: 'Metric' as const,
        name: String(item['name']),
        form: `${kind}, ${String(item['unit'])}`,
        attributes: attributesIn(point),
        schemaUrl,
        spanId: undefined,
      }));
    }),
    ...scoped(body, 'resourceLogs', 'scopeLogs', 'logRecords').map(({ item, schemaUrl }) => ({
      signal: 'Event' as const,
      name: String(item['eventName']),
      form: item['severityNumber'] === undefined ? '' : `severity ${Number(item['severityNumber'])}`,
      attributes: attributesIn(item),
      schemaUrl,
      spanId: String(item['spanId']),
    })),
  ];
}

function scoped(
  body: Json,
  resources: string,
  scopes: string,
  items: string,
): { readonly item: Json; readonly schemaUrl: string }[] {
  return listOf(body[resources])
    .flatMap((resource) => listOf(resource[scopes]))
    .flatMap((scope) =>
      listOf(scope[items]).map((item) => ({
        item,
        schemaUrl: typeof scope['schemaUrl'] === 'string' ? scope['schemaUrl'] : '',
      })),
    );
}

function attributesIn({ attributes }: Json): Map<string, OtlpValue> {
  return new Map(listOf(attributes).map(({ key, value }) => [String(key), asJson(value)]));
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asJson) : [];
}

function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
