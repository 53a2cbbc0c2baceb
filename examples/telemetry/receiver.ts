import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';

/** A span in the JSON of OTLP over HTTP. */
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

/** A listener for spans on this machine, in the place of Jaeger, Grafana, Langfuse or an OpenTelemetry collector. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
}

export async function startReceiver(): Promise<Receiver> {
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    void take(request, spans).then((status) => response.writeHead(status).end('{}'));
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

/** Takes in the spans of a request. Returns the status to respond with. */
async function take(request: IncomingMessage, spans: ReceivedSpan[]): Promise<number> {
  if (request.method !== 'POST' || request.url !== '/v1/traces') return 404;
  try {
    // The SDK's exporter made this body.
    const { resourceSpans } = (await json(request)) as TracesRequest;
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans)));
    return 200;
  } catch {
    return 400;
  }
}
