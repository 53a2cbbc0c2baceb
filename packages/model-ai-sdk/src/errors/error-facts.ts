import { isJsonObject, toJson } from '../sdk/metadata.ts';

/**
 * Facts about a value thrown by a provider, its client or the network. Recognized by shape, because error classes may
 * be duplicated.
 */
export interface ErrorFacts {
  /** The HTTP status; from the error body if there is no other. */
  readonly status: number | undefined;
  /** All names, types and codes found: `AI_APICallError`, `overloaded_error`, `ECONNRESET`. */
  readonly kinds: readonly string[];
  /** The provider's message. */
  readonly message: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly url: string | undefined;
}

const maxDepth = 6;
/** The most characters of a body that are read. */
const maxBody = 64 * 1024;

/** Messages of wrapping errors that do not contain the reason; their cause does. */
const wrapper = /^(?:failed to process (?:successful|error) response|fetch failed)$/i;

export function factsOf(error: unknown): ErrorFacts {
  const kinds = new Set<string>();
  const messages: string[] = [];
  let facts: Partial<ErrorFacts> & { readonly said?: string | undefined } = {};
  for (const link of chainOf(error)) {
    const found = isObject(link) ? factsOfLink(link, kinds) : { text: typeof link === 'string' ? link : '' };
    const { text, ...others } = found;
    if (text !== '' && !wrapper.test(text)) messages.push(text);
    // The outermost error that has a fact wins.
    facts = { ...others, ...withoutUndefined(facts) };
  }
  const { status, headers = {}, body, url, said } = facts;
  const message = said ?? messages[0] ?? 'no details';
  return { status, kinds: [...kinds], message, headers, body, url };
}

function factsOfLink(
  link: Readonly<Record<string, unknown>>,
  kinds: Set<string>,
): Partial<ErrorFacts> & { readonly text: string; readonly said?: string | undefined } {
  const { statusCode, status, responseHeaders, url, message } = link;
  for (const name of ['name', 'code', 'type', '__type']) addKind(kinds, link[name]);
  const body = bodyOf(link);
  const inside = readBody(body, kinds);
  return {
    status: failureIn(statusOf(statusCode) ?? statusOf(status), inside.status),
    said: inside.message,
    body,
    text: typeof message === 'string' ? message : '',
    ...(isObject(responseHeaders) ? { headers: lowerCase(responseHeaders) } : {}),
    ...(typeof url === 'string' ? { url } : {}),
  };
}

/** Returns the status of an error: that of the response or, if it reports no failure, that in its body. */
function failureIn(outer: number | undefined, inner: number | undefined): number | undefined {
  return outer === undefined || outer < 300 ? (inner ?? outer) : outer;
}

function withoutUndefined<T extends object>(facts: T): T {
  // Only undefined members were removed.
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as T;
}

/** Returns an error followed by its causes, at most six values in all. */
export function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let current = error; current !== undefined && current !== null && chain.length < maxDepth;) {
    if (chain.includes(current)) break;
    chain.push(current);
    if (!isObject(current)) break;
    // Errors after several retries or connection attempts contain a list.
    const { cause, lastError, errors } = current as Record<string, unknown>;
    current = cause ?? lastError ?? (Array.isArray(errors) ? (errors[0] as unknown) : undefined);
  }
  return chain;
}

/**
 * Returns the body of an error response: parsed by the provider, as text, or the error itself if a stream contained it.
 */
function bodyOf(link: Readonly<Record<string, unknown>>): unknown {
  const { data, responseBody, value } = link;
  if (isObject(data)) return data;
  if (typeof responseBody === 'string' && responseBody !== '') return parse(responseBody.slice(0, maxBody));
  // A value that a package could not parse, such as an error in place of a chunk.
  if (isObject(value)) return value;
  return link instanceof Error ? undefined : link;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The body is plain text.
    return text;
  }
}

function readBody(
  body: unknown,
  kinds: Set<string>,
): { readonly status?: number | undefined; readonly message?: string | undefined } {
  const json = toJson(body);
  const [outer] = Array.isArray(json) ? (json as readonly unknown[]) : [json];
  if (!isJsonObject(outer)) return {};
  const inner = isJsonObject(outer['error']) ? outer['error'] : outer;
  for (const link of [outer, inner]) {
    for (const name of ['type', 'code', 'status', '__type', 'reason']) addKind(kinds, link[name]);
    const { details, innererror } = link;
    if (isJsonObject(innererror)) addKind(kinds, innererror['code']);
    if (Array.isArray(details)) {
      for (const detail of details as readonly unknown[])
        if (isJsonObject(detail)) addKind(kinds, detail['reason']);
    }
  }
  const text = [inner['message'], outer['message'], outer['error'], outer['detail']].find(
    (each) => typeof each === 'string' && each !== '',
  );
  const status = statusOf(inner['code']) ?? statusOf(inner['status']);
  return { status, message: typeof text === 'string' ? text : undefined };
}

function addKind(kinds: Set<string>, kind: unknown): void {
  if (typeof kind === 'string' && kind !== '' && kind !== 'Error' && kind !== 'error')
    kinds.add(kind.slice(0, 200));
}

function statusOf(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && Number.isInteger(status) && status >= 100 && status < 600
    ? status
    : undefined;
}

function lowerCase(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
