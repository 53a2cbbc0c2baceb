import { reporter } from './life-signs.ts';
import { patientDispatcher } from './patient-dispatcher.ts';

/** 32 MiB are enough for a 24 MB image in base64; no text response comes close. */
const maxBytes = 32 * 1024 * 1024;
/** The useful part of an error body. */
const maxErrorBytes = 64 * 1024;

/**
 * Wraps `fetch` for provider packages, which read bodies of any length into memory. A response, or one event of a streamed
 * response, fails above 32 MiB; an error body is cut after 64 KiB; a web page fails, and so does a response without events
 * to a request for a stream. Redirects are not followed, because they would send the key to another address. Default
 * `fetch`: Node's, without its 300-second timeout; a `fetch` you pass in keeps its own limits.
 */
export function boundedFetch(fetch?: typeof globalThis.fetch): typeof globalThis.fetch {
  const send = fetch ?? patientFetch;
  return async (input, init) => {
    const alive = reporter(urlOf(input));
    const response = await send(input, { ...init, redirect: 'manual' });
    alive?.();
    const { body, ok, status, statusText, headers } = response;
    if (body === null) return response;
    const type = headers.get('content-type') ?? '';
    const isStream = ok && /event-?stream|ndjson|jsonlines/i.test(type);
    const measure = ok ? (isStream ? measureEvents() : measureAll()) : undefined;
    const wantsEvents = ok && !/ndjson|jsonlines|amazon/i.test(type) && asksForEvents(input, init);
    return new Response(bounded(body, measure, { alive, wantsEvents }), { status, statusText, headers });
  };
}

const patientFetch: typeof globalThis.fetch = (input, init) => {
  const dispatcher = patientDispatcher();
  // The types differ only in the package of the dispatcher.
  return globalThis.fetch(input, { ...(dispatcher && { dispatcher }), ...init } as RequestInit);
};

/** Returns the number of bytes in memory after a chunk. */
type Measure = (chunk: Uint8Array) => number;

function measureAll(): Measure {
  let bytes = 0;
  return (chunk) => (bytes += chunk.length);
}

const blankLines = ['\n\n', '\n\r\n', '\r\r'];

/** Measures one event at a time; events end with a blank line. */
function measureEvents(): Measure {
  let held = 0;
  return (chunk) => {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = Math.max(...blankLines.map((line) => bytes.lastIndexOf(line)));
    held = end === -1 ? held + bytes.length : bytes.length - end;
    return held;
  };
}

/** Limits a body. Without a measure, it is the body of an error. */
function bounded(
  body: ReadableStream<Uint8Array>,
  measure: Measure | undefined,
  { alive, wantsEvents }: { readonly alive: (() => void) | undefined; readonly wantsEvents: boolean },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const end = (reason: unknown): Promise<void> => reader.cancel(reason).catch(() => undefined);
  let isFirst = true;
  let errorBytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      alive?.();
      if (measure === undefined) {
        errorBytes += value.length;
        controller.enqueue(value);
        if (errorBytes < maxErrorBytes) return;
        controller.close();
        return end('an error body that is too long');
      }
      const wrong = isFirst ? wrongBeginning(value, wantsEvents) : undefined;
      const fault = wrong ?? (measure(value) > maxBytes ? tooLarge() : undefined);
      isFirst = false;
      if (fault === undefined) return controller.enqueue(value);
      controller.error(fault);
      return end(fault);
    },
    cancel: end,
  });
}

/** Returns true if a request asks for an event stream: by its body or, for Gemini, by its path. */
function asksForEvents(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): boolean {
  const body = init?.body;
  return /alt=sse/.test(urlOf(input)) || (typeof body === 'string' && /"stream":\s*true/.test(body));
}

function urlOf(input: Parameters<typeof fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
}

function wrongBeginning(chunk: Uint8Array, wantsEvents: boolean): Error | undefined {
  if (isMarkup(chunk)) return webPage();
  return wantsEvents && !mayBeEvent(chunk) ? noStream() : undefined;
}

/** Returns true if a chunk may begin an event stream: with a field name or a comment. The first chunk may be short. */
function mayBeEvent(chunk: Uint8Array): boolean {
  const [line = ''] = new TextDecoder()
    .decode(chunk)
    .trimStart()
    .split(/[\r\n]/, 1);
  return line.includes(':')
    ? /^(?:data|event|id|retry)?\s*:/.test(line)
    : ['data', 'event', 'id', 'retry'].some((field) => field.startsWith(line));
}

function noStream(): Error {
  return Object.assign(new Error('The server sent no stream where one was asked for'), { code: 'NO_STREAM' });
}

/** Returns true for HTML: neither JSON nor events begin with `<`. */
function isMarkup(chunk: Uint8Array): boolean {
  const first = chunk.find((byte) => byte > 0x20);
  return first === 0x3c;
}

function webPage(): Error {
  return Object.assign(new Error('The server answered with a web page'), { code: 'WEB_PAGE' });
}

function tooLarge(): Error {
  const message = `The server sent more than ${maxBytes / 1024 / 1024} MiB for one answer, or one event of it`;
  return Object.assign(new Error(message), { code: 'BODY_TOO_LARGE' });
}
