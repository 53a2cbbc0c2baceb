import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

import { LLMock, type FixtureResponse } from '@copilotkit/aimock';
import type { JsonObject, JsonValue } from '@shallot/core';

import { isJsonObject } from '../../src/sdk/metadata.ts';
import { gatewayAnswer } from './gateway-answer.ts';
import { asksForThoughts } from './strict/responses-rules.ts';
import { refusalOf } from './strict/strict-vendors.ts';

/** The answer of a provider. aimock converts it to the protocol of the request. */
export interface Answer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly signature?: string;
  /** `args` is the unparsed argument text. */
  readonly toolCalls?: readonly { readonly name: string; readonly args: string; readonly id?: string }[];
  readonly finish?: string;
  readonly error?: { readonly status: number; readonly message: string; readonly type?: string };
  /** The damage that is done to the answer on its way. */
  readonly harm?: Harm;
}

/** Sends one answer, damaged. Nothing else writes to `response`. */
export type Harm = (response: ServerResponse, answer: () => Promise<Spoken>) => void | Promise<void>;

/** An answer in the format of a protocol. */
export interface Spoken {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A request that a provider package sent. */
export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Resolves if the connection is closed before the answer has ended. */
  readonly closed: Promise<void>;
}

/** A provider on loopback, for any of the protocols that aimock speaks. */
export interface Wire extends AsyncDisposable {
  readonly url: string;
  /** The requests so far, in order. */
  readonly requests: readonly WireRequest[];
  /** The messages of requests that were refused because the vendor would refuse them. */
  readonly refusals: readonly string[];
  /** Sets the answers to the next requests, one each. A request without an answer gets a 500 that says so. */
  answer(...answers: readonly (Answer | ((request: WireRequest) => Answer))[]): void;
  /** Refuses requests that do not contain this key, with a 401. */
  requireKey(key: string): void;
  /** Forgets the requests, the refusals, the required key, and answers that are left. */
  reset(): void;
}

/**
 * Starts a provider that refuses requests as the vendor of their protocol would. With `tls` it uses HTTPS with that
 * certificate.
 */
export async function startWire(tls?: ServerOptions): Promise<Wire> {
  const requests: WireRequest[] = [];
  const refusals: string[] = [];
  const answers: (Answer | ((request: WireRequest) => Answer))[] = [];
  let key: string | undefined;
  let spoken: FixtureResponse = toFixture({});
  const mock = new LLMock({ port: 0, host: '127.0.0.1', strict: true, journalMaxEntries: 1 });
  mock.on({}, () => spoken);
  await mock.start();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readAll(request);
    const closed = new Promise<void>((resolve) => {
      response.once('close', () => response.writableFinished || resolve());
    });
    const received = { path: request.url ?? '', headers: request.headers, text, closed };
    requests.push(received);
    const refusal = refusalOf(received.path, text);
    if (refusal !== undefined) {
      refusals.push(refusal.message);
      response.writeHead(refusal.status, refusal.headers);
      response.end(refusal.body);
      return;
    }
    const next = isRefused(request) ? wrongKey : (answers.shift() ?? unexpected);
    const answer = typeof next === 'function' ? next(received) : next;
    const { harm = pass } = answer;
    await harm(response, () => {
      if (request.url?.endsWith('/language-model') === true) {
        const isStream = request.headers['ai-language-model-streaming'] === 'true';
        return Promise.resolve(gatewayAnswer(answer, isStream));
      }
      spoken = toFixture(answer);
      return forward(mock.url, request, text);
    });
  }

  function isRefused({ headers, url = '' }: IncomingMessage): boolean {
    return key !== undefined && !`${url} ${JSON.stringify(headers)}`.includes(key);
  }

  const listener: RequestListener = (request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    refusals,
    answer: (...more) => void answers.push(...more),
    requireKey: (required) => (key = required),
    reset() {
      requests.length = 0;
      refusals.length = 0;
      answers.length = 0;
      key = undefined;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await mock.stop();
    },
  };
}

const wrongKey: Answer = { error: { status: 401, message: 'Incorrect key.', type: 'authentication_error' } };
const unexpected: Answer = { error: { status: 500, message: 'The test has no answer to this request.' } };

/** Sends the answer unchanged, one event after another. */
const pass: Harm = async (response, answer) => {
  const { status, headers, body } = await answer();
  response.writeHead(status, headers);
  for (const event of eventsOf(body, headers)) response.write(event);
  response.end();
};

/** Returns the events of a streamed answer; any other body in two halves. */
export function eventsOf(body: Buffer, headers: Spoken['headers']): readonly Buffer[] {
  const type = headers['content-type'] ?? '';
  if (type.includes('event-stream') && !type.includes('amazon')) return splitAfter(body, '\n\n');
  if (type.includes('ndjson')) return splitAfter(body, '\n');
  if (type.includes('amazon')) return splitFrames(body);
  const middle = Math.floor(body.length / 2);
  return [body.subarray(0, middle), body.subarray(middle)];
}

function splitAfter(body: Buffer, end: string): Buffer[] {
  const events: Buffer[] = [];
  for (let from = 0; from < body.length;) {
    const found = body.indexOf(end, from);
    const to = found === -1 ? body.length : found + end.length;
    events.push(body.subarray(from, to));
    from = to;
  }
  return events;
}

/** Splits an AWS event stream: each frame begins with its length as a big-endian 32-bit number. */
function splitFrames(body: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let from = 0; from < body.length;) {
    const to = from + body.readUInt32BE(from);
    frames.push(body.subarray(from, to));
    from = to;
  }
  return frames;
}

function toFixture({ text, reasoning, signature, toolCalls, finish, error }: Answer): FixtureResponse {
  if (error !== undefined) {
    const { status, message, type = 'server_error' } = error;
    return { error: { message, type }, status };
  }
  const more = {
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(signature === undefined ? {} : { reasoningSignature: signature }),
    ...(finish === undefined ? {} : { finishReason: finish }),
  };
  if (toolCalls === undefined) return { content: text ?? '', ...more };
  const calls = toolCalls.map(({ args, ...call }) => ({ ...call, arguments: args }));
  return text === undefined ? { toolCalls: calls, ...more } : { content: text, toolCalls: calls, ...more };
}

async function forward(
  url: string,
  { method = 'POST', url: path, headers }: IncomingMessage,
  text: string,
): Promise<Spoken> {
  // aimock closes the connection at 10 MB, and the strict rules have already checked the files.
  const small = text.length > 9_000_000 ? withShortStrings(text) : text;
  // Some packages put the protocol's name into the path.
  const answer = await fetch(`${url}${path?.replace(/^\/v1\/openai\//, '/v1/')}`, {
    method,
    headers: { 'content-type': headers['content-type'] ?? 'application/json' },
    body: path?.endsWith('/messages') === true ? withoutThinking(small) : small,
  });
  const kept = [...answer.headers].filter(([name]) =>
    /^(?:content-type|retry-after|x-request-id)$/.test(name),
  );
  const body = Buffer.from(await answer.arrayBuffer());
  return {
    status: answer.status,
    headers: Object.fromEntries(kept),
    body: path?.endsWith('/responses') === true ? withoutUnasked(body, text) : body,
  };
}

function withShortStrings(request: string): string {
  const shorten = (_key: string, value: unknown): unknown =>
    typeof value === 'string' && value.length > 100_000 ? value.slice(0, 100) : value;
  return JSON.stringify(JSON.parse(request, shorten));
}

/**
 * Returns the request without `thinking`: aimock would also require thoughts in earlier turns, and the strict rules
 * have already checked those that Anthropic requires.
 */
function withoutThinking(request: string): string {
  const { thinking: _, ...others } = JSON.parse(request) as JsonObject;
  return JSON.stringify(others);
}

/** Returns the body without the content of reasoning, unless the request asked for it. */
function withoutUnasked(body: Buffer, request: string): Buffer {
  const asked = JSON.parse(request) as JsonValue;
  if (isJsonObject(asked) && asksForThoughts(asked)) return body;
  return Buffer.from(
    body.toString('utf8').replaceAll(/"encrypted_content":"[^"]*"/g, '"encrypted_content":null'),
  );
}

async function readAll(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}
