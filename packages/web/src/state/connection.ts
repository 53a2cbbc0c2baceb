import { ClientError, createClient, type Client } from '@shallot/client';

import { fileBytesIn } from './attached-file.ts';
import { Live } from './live.ts';

const tokenKey = 'shallot-token';

/** The state of the connection between page and server. */
export interface ConnectionView {
  /** False if the last request got no answer. */
  readonly isReached: boolean;
  /** The name of the agent; undefined until the server has sent it. */
  readonly agent: string | undefined;
  /** The most bytes that the files of a message may have in total; 0 until the server has sent its limit. */
  readonly fileBytes: number;
  /** `token` if the server requires a token, `refused` if it has refused the current one. */
  readonly access: 'unknown' | 'granted' | 'token' | 'refused';
  readonly problem: string | undefined;
}

/** The storage for the token, such as `sessionStorage`. */
export type TokenStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The connection to the server of the page: its client, the token that the user has entered, and the agent. */
export class Connection {
  readonly view = new Live<ConnectionView>({
    isReached: true,
    agent: undefined,
    fileBytes: 0,
    access: 'unknown',
    problem: undefined,
  });
  readonly client: Client;
  readonly #storage: TokenStorage;

  constructor(url: string, storage: TokenStorage) {
    this.#storage = storage;
    this.client = createClient({
      url,
      headers: () => this.#credentials(),
      fetch: (...sent) => this.#send(...sent),
    });
  }

  /** Requests the agent from the server, which also shows whether the server lets this page in. */
  async open(): Promise<void> {
    try {
      const { name, limits } = await this.client.call('GET /agent', {});
      const fileBytes = fileBytesIn(limits.bodyBytes);
      this.#show({ agent: name, fileBytes, access: 'granted', problem: undefined });
    } catch (error) {
      if (error instanceof ClientError && error.code === 'server/UNAUTHENTICATED') return;
      this.#show({ access: 'granted', problem: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Stores a token until the tab is closed, and tries it. */
  async enter(token: string): Promise<void> {
    this.#storage.setItem(tokenKey, token);
    await this.open();
  }

  #credentials(): Readonly<Record<string, string>> {
    const token = this.#storage.getItem(tokenKey);
    return token === null ? {} : { authorization: `Bearer ${token}` };
  }

  async #send(...sent: Parameters<typeof fetch>): Promise<Response> {
    try {
      const response = await fetch(...sent);
      this.#show({ isReached: true });
      if (response.status === 401) this.#refuse();
      return response;
    } catch (error) {
      // The page itself has aborted the request, so the server may be reachable.
      if (sent[1]?.signal?.aborted !== true) this.#show({ isReached: false });
      throw error;
    }
  }

  #refuse(): void {
    const hadToken = this.#storage.getItem(tokenKey) !== null;
    this.#storage.removeItem(tokenKey);
    if (this.view.value.access !== 'refused') this.#show({ access: hadToken ? 'refused' : 'token' });
  }

  #show(change: Partial<ConnectionView>): void {
    const { value } = this.view;
    const isNew = Object.entries(change).some(([key, each]) => value[key as keyof ConnectionView] !== each);
    if (isNew) this.view.set({ ...value, ...change });
  }
}
