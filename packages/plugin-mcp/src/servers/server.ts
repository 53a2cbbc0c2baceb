import { SdkHttpError, type Client } from '@modelcontextprotocol/client';
import { ShallotError } from '@shallot/core';

import type { ServerSettings } from '../config/server-settings.ts';
import { connect, type ConnectOptions, type Connection } from './connect.ts';
import { describeFailure } from './describe-failure.ts';

/** What a server needs of those around it. */
export type ServerNeeds = Omit<ConnectOptions, 'onLost' | 'signal'>;

/** One server from start to end. One that dies is started again once, and once more after it has answered since. */
export class Server {
  readonly settings: ServerSettings;
  readonly #options: ServerNeeds;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #failure: ShallotError | undefined;
  #mayRestart = true;
  readonly #closed = new AbortController();

  constructor(settings: ServerSettings, options: ServerNeeds) {
    this.settings = settings;
    this.#options = options;
  }

  get name(): string {
    return this.settings.name;
  }

  /** The revision that was agreed on; undefined while there is no connection. */
  get revision(): string | undefined {
    return this.#connection?.client.getNegotiatedProtocolVersion();
  }

  /** Why the server is not there. */
  get failure(): ShallotError | undefined {
    return this.#failure;
  }

  /** The connection's client, for what needs no answer of the server. */
  get connected(): Client | undefined {
    return this.#connection?.client;
  }

  /** @throws an error of the plugin's own */
  async start(): Promise<void> {
    await this.#open();
  }

  /** Asks the server for something. `doing` completes "… failed". @throws an error of the plugin's own */
  async ask<T>(doing: string, request: (client: Client) => Promise<T>): Promise<T> {
    try {
      const client = await this.#client();
      const answer = await this.#askIn(client, request);
      this.#mayRestart = true;
      return answer;
    } catch (error) {
      throw describeFailure(error, this.name, `${doing} failed (MCP server ${this.name})`);
    }
  }

  /** A refused call says that the list of tools is an old one. */
  markToolsChanged(): void {
    this.#options.onToolsChanged();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#connecting?.catch(() => {
      // Whoever started it was told.
    });
    await this.#connection?.close();
    this.#connection = undefined;
  }

  async #askIn<T>(client: Client, request: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await request(client);
    } catch (error) {
      if (!isForgotten(error, client)) throw error;
      // The server has dropped the session, and has not looked at the request.
      if (this.#connection?.client === client) await this.#reopen();
      return request(await this.#client());
    }
  }

  async #client(): Promise<Client> {
    const connection = this.#connection ?? (await this.#connecting);
    if (connection !== undefined && !this.#closed.signal.aborted) return connection.client;
    throw this.#failure ?? gone(this.name);
  }

  async #reopen(): Promise<void> {
    const old = this.#connection;
    this.#connection = undefined;
    await old?.close();
    await this.#open();
  }

  async #open(): Promise<Connection> {
    this.#failure = undefined;
    this.#connecting = connect(this.settings, {
      ...this.#options,
      signal: this.#closed.signal,
      onLost: () => this.#onLost(),
    });
    try {
      const connection = await this.#connecting;
      this.#connection = connection;
      this.#options.onToolsChanged();
      return connection;
    } catch (error) {
      this.#failure = describeFailure(error, this.name, `The MCP server ${this.name} did not start`);
      throw this.#failure;
    } finally {
      this.#connecting = undefined;
    }
  }

  #onLost(): void {
    if (this.#closed.signal.aborted || this.#connection === undefined) return;
    this.#connection = undefined;
    const { log } = this.#options;
    if (!this.#mayRestart) {
      this.#failure = gone(this.name);
      log.error(`The MCP server ${this.name} has ended again, and is not started any more.`);
      return;
    }
    this.#mayRestart = false;
    log.warn(`The MCP server ${this.name} has ended unexpectedly, and is started again.`);
    this.#open().catch((error: unknown) =>
      log.error({ err: error }, `The MCP server ${this.name} could not be started again.`),
    );
  }
}

/** A server of the older revisions that does not know its session any more; the request has to be made in a new one. */
function isForgotten(error: unknown, client: Client): boolean {
  return error instanceof SdkHttpError && error.status === 404 && client.transport?.sessionId !== undefined;
}

function gone(server: string): ShallotError {
  return new ShallotError('mcp/SERVER_GONE', {
    message: `The MCP server ${server} has ended and is not started again. See what it wrote, which is logged at the level debug, and restart the agent.`,
  });
}
