import type { JsonValue } from '@shallot/core';
import type { RunView, SessionLine, WaitingQuestion } from '@shallot/server';

import type { Answer, CallInput, RequestName } from './call-input.ts';
import { ClientError } from './client-error.ts';
import { Requester, type ClientOptions } from './requester.ts';
import { RunStream } from './run-stream.ts';

type RunBody = CallInput<'POST /sessions'>['body'];

/** The input of a run: a string, or parts such as files. */
export type RunInput = NonNullable<RunBody['input']>;

/** Options of `run` and `stream`. */
export interface RunOptions extends Pick<RunBody, 'title' | 'abandon' | 'output'>, Signalled {
  /** The session of the run. It is created if it does not exist. Default: a new session. */
  readonly sessionId?: string;
}

interface Signalled {
  /** Ends the reading, but not the run: `stop` ends the run. */
  readonly signal?: AbortSignal;
}

/**
 * A client of a server of `@shallot/server`. All methods reject with `ClientError`, or with the reason of an abort. While
 * the server cannot be reached, the client repeats those requests that may safely be sent twice.
 */
export interface Client {
  /** Begins a run, and waits until it ends or asks. The `text` of the result is the answer. */
  run(input: RunInput, options?: RunOptions): Promise<RunView>;
  /** Begins a run, and returns its events. The run continues even if nobody reads them. */
  stream(input: RunInput, options?: RunOptions): Promise<RunStream>;
  /**
   * Returns the events of the last run of a session, from its beginning or after a `place`; undefined if the session
   * has no run. The events end when the run ends or asks. Once it is answered, follow it again from the last `place`.
   */
  follow(
    sessionId: string,
    options?: Signalled & { readonly place?: string | undefined },
  ): Promise<RunStream | undefined>;
  /** Sends a message to the unfinished run of a session. Returns the id of the message. */
  send(
    sessionId: string,
    message: RunInput,
    options?: Signalled & { readonly id?: string; readonly when?: 'next-step' | 'after-run' },
  ): Promise<string>;
  /** Stops the unfinished run of a session after its step. Returns false if there is none. */
  stop(sessionId: string, options?: Signalled): Promise<boolean>;
  /** Returns the open questions of all sessions, or of one session. */
  interrupts(options?: Signalled & { readonly sessionId?: string }): AsyncIterable<WaitingQuestion>;
  /** Answers a question. After the last answer the run continues. The request is never repeated. */
  answer(sessionId: string, interruptId: string, answer: JsonValue, options?: Signalled): Promise<RunView>;
  /** Returns the sessions, beginning with the one that changed last. */
  sessions(
    options?: Signalled & Pick<NonNullable<CallInput<'GET /sessions'>['query']>, 'status' | 'title'>,
  ): AsyncIterable<SessionLine>;
  /** Sends any request of the table of routes: `call('DELETE /sessions/{id}', { params: { id } })`. */
  call<Name extends RequestName>(name: Name, input: CallInput<Name>): Promise<Answer<Name>>;
}

/** Creates a client of a server. The first request opens the connection; nothing has to be closed. */
export function createClient(options: ClientOptions): Client {
  const requester = new Requester(options);

  const stream: Client['stream'] = async (input, { signal, ...rest } = {}) => {
    const { sessionId, runId } = await beginRun(requester, input, { signal, ...rest });
    return new RunStream(requester, { sessionId, runId, signal });
  };

  return {
    stream,

    async run(input, options) {
      const events = await stream(input, options);
      for await (const _ of events) continue;
      return runOf(requester, events, options?.signal);
    },

    async follow(id, { signal, place } = {}) {
      const { run } = await requester.call('GET /sessions/{id}', { params: { id }, ...signalOf(signal) });
      return run && new RunStream(requester, { sessionId: id, runId: run.runId, place, signal });
    },

    async send(sessionId, message, { signal, id = `m-${randomKey()}`, when } = {}) {
      const body = { message, id, ...(when === undefined ? {} : { when }) };
      const input = { params: { id: sessionId }, body, ...signalOf(signal) };
      const sent = await requester.call('POST /sessions/{id}/messages', input, { repeatedly: true });
      return sent.id;
    },

    async stop(id, { signal } = {}) {
      const input = { params: { id }, ...signalOf(signal) };
      return (await requester.call('POST /sessions/{id}/stop', input, { repeatedly: true })).stopped;
    },

    async *interrupts({ signal, sessionId: id } = {}) {
      if (id !== undefined) {
        const session = await requester.call('GET /sessions/{id}', { params: { id }, ...signalOf(signal) });
        for (const interrupt of session.run?.interrupts ?? []) yield { sessionId: id, ...interrupt };
        return;
      }
      let after: string | undefined;
      do {
        const query = after === undefined ? {} : { after };
        const page = await requester.call('GET /interrupts', { query, ...signalOf(signal) });
        yield* page.interrupts;
        after = page.next;
      } while (after !== undefined);
    },

    answer: (id, interrupt, answer, { signal } = {}) =>
      requester.call('POST /sessions/{id}/interrupts/{interrupt}', {
        params: { id, interrupt },
        body: { answer },
        ...signalOf(signal),
      }),

    async *sessions({ signal, ...filter } = {}) {
      let after: string | undefined;
      do {
        const query = { ...filter, ...(after === undefined ? {} : { after }) };
        const page = await requester.call('GET /sessions', { query, ...signalOf(signal) });
        yield* page.sessions;
        after = page.next;
      } while (after !== undefined);
    },

    call: (name, input) => requester.call(name, input),
  };
}

/**
 * Begins a run in a session, and creates the session if it does not exist. If the answer is lost, the request is
 * repeated; the key then prevents a second run.
 */
async function beginRun(
  requester: Requester,
  input: RunInput,
  {
    sessionId,
    title,
    signal,
    ...terms
  }: Omit<RunOptions, 'signal'> & { readonly signal: AbortSignal | undefined },
): Promise<RunView> {
  const headers = { 'idempotency-key': randomKey() };
  const sent = { headers, ...signalOf(signal) };
  const body = { input, ...terms };
  if (sessionId !== undefined) {
    try {
      const inSession = { ...sent, params: { id: sessionId }, body };
      return await requester.call('POST /sessions/{id}/runs', inSession, { repeatedly: true });
    } catch (error) {
      if (!(error instanceof ClientError && error.code === 'SESSION_NOT_FOUND')) throw error;
    }
  }
  const named = {
    ...body,
    ...(sessionId === undefined ? {} : { id: sessionId }),
    ...(title === undefined ? {} : { title }),
  };
  const { run } = await requester.call('POST /sessions', { ...sent, body: named }, { repeatedly: true });
  if (run !== undefined) return run;
  throw new ClientError('client/ANSWER_INVALID', 'The session has no run, though one was begun.');
}

/** Reads a run after it was followed to its end. @throws `client/RUN_REPLACED` if the session has another one by now */
async function runOf(
  requester: Requester,
  { sessionId: id, runId }: RunStream,
  signal: AbortSignal | undefined,
): Promise<RunView> {
  const { run } = await requester.call('GET /sessions/{id}', { params: { id }, ...signalOf(signal) });
  if (run?.runId === runId) return run;
  throw new ClientError(
    'client/RUN_REPLACED',
    `Another run has begun in session ${JSON.stringify(id)}. Read the messages of the session.`,
  );
}

function signalOf(signal: AbortSignal | undefined): Signalled {
  return signal === undefined ? {} : { signal };
}

/** Returns a random key. `randomUUID` is missing in pages that were not loaded over HTTPS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
