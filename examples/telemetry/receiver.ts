import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';

/** A span as OTLP over HTTP brings it, in JSON. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status?: { readonly code?: number };
}

interface TracesRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

/** Listens for spans on this machine: what Jaeger, Grafana, Langfuse or an OpenTelemetry collector does elsewhere. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
}

export async function startReceiver(): Promise<Receiver> {
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    const done = (status: number) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    if (!isTraces) done(404);
    else
      spansIn(request).then(
        (received) => {
          spans.push(...received);
          done(200);
        },
        () => done(400),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The receiver has no port.');
  return {
    url: `http://127.0.0.1:${address.port}/v1/traces`,
    spans,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function spansIn(request: IncomingMessage): Promise<ReceivedSpan[]> {
  // The exporter of the SDK made it.
  const { resourceSpans } = (await json(request)) as TracesRequest;
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}
