import type * as OtelApi from '@opentelemetry/api';

import { withNotes, type RequestNotes } from './request-notes.ts';

/** A request that was answered, for a line of a log. */
export interface RequestLine {
  readonly method: string;
  /** The path of the route; undefined if there is none. */
  readonly route?: string;
  readonly status: number;
  /** The time until the answer began, in milliseconds. The events of a stream come later. */
  readonly durationMs: number;
  /** The name of the sender. */
  readonly by?: string;
  /** The stored id of the session, and the id of its run. */
  readonly sessionId?: string;
  readonly runId?: string;
  /** The trace that the request belongs to. */
  readonly traceId?: string;
}

type Answer = () => Promise<Response>;

/**
 * Returns a function that answers requests, and reports a line for each. If `@opentelemetry/api` is installed, each
 * request has a span, below the one that the request's `traceparent` names. Runs that the request begins are below
 * the span of the request.
 */
export function observeRequests(
  onRequest: ((line: RequestLine) => void) | undefined,
): (request: Request, answer: Answer) => Promise<Response> {
  let loading: Promise<typeof OtelApi | undefined> | undefined;
  return async (request, answer) => {
    loading ??= loadOtelApi();
    const api = await loading;
    const began = performance.now();
    const { method, headers } = request;
    const traceparent = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(
      headers.get('traceparent') ?? '',
    );
    const span = api === undefined ? undefined : startSpan(api, request);
    const place = span?.traceparent ?? traceparent?.[0];
    const notes: RequestNotes = place === undefined ? {} : { traceparent: place };
    const noted: Answer = () => withNotes(notes, answer);
    const response = await (span === undefined ? noted() : span.within(noted));
    const traceId = span?.end(response, notes) ?? traceparent?.[1];
    const { route, by, sessionId, runId } = notes;
    const learned = Object.entries({ route, by, sessionId, runId, traceId }).filter(
      ([, value]) => value !== undefined,
    );
    const durationMs = Math.round(performance.now() - began);
    onRequest?.({ method, status: response.status, durationMs, ...Object.fromEntries(learned) });
    return response;
  };
}

/** The span of one request. */
interface RequestSpan {
  /** The `traceparent` of the span; undefined if the span is not recorded. */
  readonly traceparent: string | undefined;
  readonly within: (answer: Answer) => Promise<Response>;
  /** Ends the span, and returns the id of its trace; undefined if the span is not recorded. */
  readonly end: (response: Response, notes: RequestNotes) => string | undefined;
}

function startSpan(api: typeof OtelApi, { method, headers, url }: Request): RequestSpan {
  const parent = api.propagation.extract(api.context.active(), Object.fromEntries(headers));
  const attributes = { 'http.request.method': method, 'url.path': new URL(url).pathname };
  const tracer = api.trace.getTracer('@shallot/server');
  const span = tracer.startSpan(method, { kind: api.SpanKind.SERVER, attributes }, parent);
  const { traceId, spanId, traceFlags } = span.spanContext();
  const isRecorded = api.isSpanContextValid(span.spanContext());
  return {
    traceparent: isRecorded
      ? `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
      : undefined,
    within: (answer) => api.context.with(api.trace.setSpan(parent, span), answer),
    end({ status }, { route, sessionId, runId }) {
      if (route !== undefined) span.updateName(`${method} ${route}`);
      const found = { 'http.route': route, 'gen_ai.conversation.id': sessionId, 'shallot.run.id': runId };
      for (const [name, value] of Object.entries(found))
        if (value !== undefined) span.setAttribute(name, value);
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
      return isRecorded ? traceId : undefined;
    },
  };
}

/** Loads `@opentelemetry/api`, an optional peer dependency. Returns undefined if it is not installed. */
async function loadOtelApi(): Promise<typeof OtelApi | undefined> {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
