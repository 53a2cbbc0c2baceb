import type { Answer, CallInput, RequestName } from './call-input.ts';
import { ClientError, errorOf } from './client-error.ts';
import { Patience } from './patience.ts';

/** Options of `createClient`. */
export interface ClientOptions {
  /** The address of the server, such as `https://agent.example` or the `location.origin` of a page that it serves. */
  readonly url: string;
  /** The token that is sent with each request, as a bearer token. Default: none. */
  readonly token?: string;
  /** Headers that are sent with each request. A function is called for each request, for credentials that change. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** The function that sends requests. Default: the `fetch` of the platform. */
  readonly fetch?: typeof fetch;
  /** The most times in succession that a request is repeated, or a stream reconnected. Default: 20, about a minute. */
  readonly retries?: number;
  /** The time without any data after which a stream is reconnected, in milliseconds. Default: 45,000. */
  readonly silenceMs?: number;
}

/** The parts of any request. */
interface Parts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** A request as it is sent. */
interface Sent extends Omit<Parts, 'params'> {
  readonly method: string;
  readonly path: string;
}

/** Sends requests to one server. */
export class Requester {
  readonly silenceMs: number;
  readonly #options: ClientOptions;
  readonly #base: string;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#base = options.url.replace(/\/+$/, '');
    this.silenceMs = options.silenceMs ?? 45_000;
  }

  /** Counts failures in succession, and waits between them. */
  patience(signal?: AbortSignal): Patience {
    return new Patience(this.#options.retries ?? 20, signal);
  }

  /**
   * Sends a request of the table, and returns its answer. With `repeatedly`, the default for `GET`, it is sent again after
   * a failure that may pass; this is for requests that may safely be sent twice.
   */
  call<Name extends RequestName>(
    name: Name,
    input: CallInput<Name>,
    terms?: { readonly repeatedly?: boolean },
  ): Promise<Answer<Name>>;
  async call(
    name: string,
    input: Parts,
    { repeatedly = name.startsWith('GET ') }: { readonly repeatedly?: boolean } = {},
  ): Promise<unknown> {
    const sent = sentOf(name, input);
    const patience = this.patience(sent.signal);
    for (;;) {
      try {
        return await readJson(await this.send(sent));
      } catch (error) {
        if (!repeatedly) throw error;
        await patience.afterFailure(error);
      }
    }
  }

  /**
   * Sends a request once.
   * @throws `ClientError` without an answer, and for every answer without success; the reason of an abort
   */
  async send({ method, path, query = {}, body, headers, signal }: Sent): Promise<Response> {
    const { fetch: send = fetch } = this.#options;
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
    const url = `${this.#base}${path}${search.size === 0 ? '' : `?${search.toString()}`}`;
    const response = await send(url, {
      method,
      headers: {
        ...(await this.#ownHeaders()),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((cause: unknown) => {
      throw signal?.aborted === true ? cause : unreachable(url, cause);
    });
    if (response.ok) return response;
    throw await errorOf(response);
  }

  async #ownHeaders(): Promise<Readonly<Record<string, string>>> {
    const { headers, token } = this.#options;
    const own = typeof headers === 'function' ? await headers() : headers;
    return { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...own };
  }
}

function sentOf(name: string, { params = {}, ...parts }: Parts): Sent {
  const [method = '', template = ''] = name.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
  return { ...parts, method, path };
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw unreachable(response.url, cause);
  });
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch (cause) {
    const message = `The answer to ${response.url} is not JSON.`;
    throw new ClientError('client/ANSWER_INVALID', message, { status: response.status, cause });
  }
}

export function unreachable(url: string, cause: unknown): ClientError {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return new ClientError('client/UNREACHABLE', `${url} cannot be reached (${String(reason)}).`, { cause });
}
