import { SdkHttpError, type Client } from '@modelcontextprotocol/client';
import { ShallotError } from '@shallot/core';

import type { ServerSettings } from '../config/server-settings.ts';
import { connect, type ConnectOptions, type Connection } from './connect.ts';
import { describeFailure } from './describe-failure.ts';

/** The options of a server. */
export type ServerNeeds = Omit<ConnectOptions, 'onLost' | 'signal'>;

/** One server from start to end. It is restarted once after a crash, and again only after it has answered a request. */
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

  /** The negotiated protocol revision; undefined without a connection. */
  get revision(): string | undefined {
    return this.#connection?.client.getNegotiatedProtocolVersion();
  }

  /** The reason why the server is not connected. */
  get failure(): ShallotError | undefined {
    return this.#failure;
  }

  /** The client of the connection, for data that is available locally; undefined without a connection. */
  get connected(): Client | undefined {
    return this.#connection?.client;
  }

  /** Connects. @throws an error with a code of this plugin */
  async start(): Promise<void> {
    await this.#open();
  }

  /** Sends a request to the server. `doing` completes "… failed". @throws an error with a code of this plugin */
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

  /** Marks the tool list as outdated, after a refused call. */
  markToolsChanged(): void {
    this.#options.onToolsChanged();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#connecting?.catch(() => {
      // The caller of `start` receives this error.
    });
    await this.#connection?.close();
    this.#connection = undefined;
  }

  async #askIn<T>(client: Client, request: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await request(client);
    } catch (error) {
      if (!isForgotten(error, client)) throw error;
      // The server dropped the session without processing the request.
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

/**
 * Returns true if a server of an older revision no longer knows its session; the request must be repeated in a new one.
 */
function isForgotten(error: unknown, client: Client): boolean {
  return error instanceof SdkHttpError && error.status === 404 && client.transport?.sessionId !== undefined;
}

function gone(server: string): ShallotError {
  return new ShallotError('mcp/SERVER_GONE', {
    message: `The MCP server ${server} has ended and is not started again. See what it wrote, which is logged at the level debug, and restart the agent.`,
  });
}
