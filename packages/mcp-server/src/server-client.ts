import { ShallotError, type Interrupt, type JsonValue, type Message } from '@shallot/core';
import type { FeedEvent, Problem, RunView } from '@shallot/server';

import { parseJson } from './parse-json.ts';

/** Answers requests to the routes of a server, as a sender that was let in. */
export type FetchRoute = (request: Request) => Promise<Response>;

/** Receives each event of a run; undefined for a sign of life without one. */
export type OnEvent = (event: FeedEvent | undefined) => void;

/** The terms on which a run is followed. */
export interface Following {
  readonly onEvent: OnEvent;
  /** Ends the wait, and the run after its step. */
  readonly signal: AbortSignal;
}

/** The description of an agent by `GET /agent`. */
export interface AgentView {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
}

/** The base of all URLs. Requests are answered in this process, so any local address serves. */
const base = 'http://localhost';

/** The routes of a server, as its protocols use them. All methods throw the error of a problem. */
export class ServerClient {
  readonly #fetch: FetchRoute;
  readonly #followed = new Set<Promise<void>>();

  constructor(fetch: FetchRoute) {
    this.#fetch = fetch;
  }

  /** Waits until no run is followed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#followed);
  }

  agent(): Promise<AgentView> {
    return this.#json('/agent');
  }

  session(id: string): Promise<{ readonly run?: ServedRun }> {
    return this.#json(at(id));
  }

  /** Returns the first page of the messages of a session, oldest first. */
  async messages(id: string): Promise<readonly Message[]> {
    const { messages } = await this.#json<{ readonly messages: readonly Message[] }>(at(id, '/messages'));
    return messages;
  }

  /** Creates a session with a run, and follows the run to its end or its questions. */
  create(id: string, body: RunBody, following: Following): Promise<void> {
    return this.#follow(id, request('/sessions', { ...body, id }), following);
  }

  /** Begins a run in a session, and follows it. */
  run(id: string, body: RunBody, following: Following): Promise<void> {
    return this.#follow(id, request(at(id, '/runs'), body), following);
  }

  /** Follows the last run of a session. */
  follow(id: string, following: Following): Promise<void> {
    return this.#follow(id, request(at(id, '/events')), following);
  }

  /** Sends a message to the unfinished run of a session. */
  async send(id: string, message: string): Promise<void> {
    await this.#json(at(id, '/messages'), { message });
  }

  async answer(id: string, interrupt: string, answer: JsonValue): Promise<void> {
    await this.#json(at(id, `/interrupts/${encodeURIComponent(interrupt)}`), { answer });
  }

  async #json<T>(path: string, body?: object): Promise<T> {
    const response = await this.#ok(request(path, body));
    return parseJson(await response.text());
  }

  async #ok(asked: Request): Promise<Response> {
    const response = await this.#fetch(asked);
    if (response.ok) return response;
    const { code, detail } = parseJson<Problem>(await response.text());
    throw new ShallotError(code, { message: detail });
  }

  async #follow(id: string, asked: Request, following: Following): Promise<void> {
    const over = this.#toItsEnd(id, asked, following);
    this.#followed.add(over);
    try {
      await over;
    } finally {
      this.#followed.delete(over);
    }
  }

  async #toItsEnd(id: string, asked: Request, { onEvent, signal }: Following): Promise<void> {
    asked.headers.set('accept', 'text/event-stream');
    const { body } = await this.#ok(asked);
    if (body === null) return;
    const frames = body.pipeThrough(new TextDecoderStream()).getReader();
    const leave = (): void => void frames.cancel().catch(() => undefined);
    signal.addEventListener('abort', leave, { once: true });
    try {
      let text = '';
      for (;;) {
        const { done, value } = signal.aborted ? { done: true, value: '' } : await frames.read();
        if (done) break;
        const parts = (text + value).split('\n\n');
        text = parts.pop() ?? '';
        for (const frame of parts) takeFrame(frame, onEvent);
      }
    } finally {
      signal.removeEventListener('abort', leave);
      leave();
      if (signal.aborted) await this.#json(at(id, '/stop'), {});
    }
  }
}

/** The body of a request that begins a run. */
export interface RunBody {
  readonly input: string;
  readonly title?: string;
  readonly output?: Readonly<Record<string, unknown>>;
}

/** A run as the server shows it. Its questions are those of the store, without their `details`. */
export interface ServedRun extends Omit<RunView, 'interrupts'> {
  readonly interrupts: readonly Interrupt[];
}

function at(id: string, rest = ''): string {
  return `/sessions/${encodeURIComponent(id)}${rest}`;
}

function request(path: string, body?: object): Request {
  return new Request(base + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Passes a server-sent event on; a comment is a sign of life. */
function takeFrame(frame: string, onEvent: OnEvent): void {
  const data = /^data: (.*)$/m.exec(frame)?.[1];
  // The server writes one line of JSON for each event.
  if (data !== undefined) onEvent(parseJson<FeedEvent>(data));
  else if (frame.startsWith(':')) onEvent(undefined);
}
