import { setTimeout as delay } from 'node:timers/promises';

import { ProtocolError, SdkError, SdkErrorCode, type Client } from '@modelcontextprotocol/client';
import { ShallotError } from '@shallot/core';

import type { ServerSettings } from '../config/server-settings.ts';
import { connect, type ConnectOptions } from './connect.ts';
import type { Connection } from './connection.ts';
import { describeFailure } from './describe-failure.ts';
import { fateOf, isUnreachable } from './fate-of.ts';

/** The options of a server. */
export type ServerNeeds = Omit<ConnectOptions, 'onLost' | 'signal'>;

/** The ways in which a request may be handled. */
export interface RequestTraits {
  /** True if the request may be executed twice, so that it is repeated if its answer was lost. Default: true. */
  readonly isRepeatable?: boolean;
  readonly signal?: AbortSignal;
  /** The time after which the request is not sent again. Default: none. */
  readonly deadline?: number;
}

/** The most times that a request is sent. */
const maxAttempts = 3;
/** The time for which a server may be unreachable after it was connected, in milliseconds. */
const comebackMs = 5000;
/** The time limit for a ping, in milliseconds. */
const proofMs = 5000;

/**
 * One server, from the start of the agent to its end. A request connects to it if necessary: this is the first
 * request, or the first one after the server has ended or was restarted.
 */
export class Server {
  readonly settings: ServerSettings;
  readonly #options: ServerNeeds;
  /** The connections that are not closed yet. */
  readonly #connections = new Set<Connection>();
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #failure: ShallotError | undefined;
  /** True if the server was connected since the last failure to connect. */
  #wasThere = false;
  /**
   * True if the last connection used a revision before 2026-07-28. A new connection then begins with the handshake of
   * these revisions.
   */
  #wasLegacy = false;
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

  /** The reason why the last attempt to connect failed; undefined if it did not fail. */
  get failure(): ShallotError | undefined {
    return this.#failure;
  }

  /** The client of the connection, for data that is available locally; undefined without a connection. */
  get connected(): Client | undefined {
    return this.#connection?.client;
  }

  /** Connects, unless it is connected. @throws an error with a code of this plugin */
  async start(): Promise<void> {
    await this.#open();
  }

  /**
   * Sends a request to the server. One that the server refused before executing it is sent again over a new connection;
   * so is a repeatable one whose answer was lost. `doing` completes "… failed".
   * @throws `mcp/ANSWER_LOST` if it may have been executed; else another error with a code of this plugin
   */
  async ask<T>(
    doing: string,
    request: (client: Client) => Promise<T>,
    { isRepeatable = true, signal, deadline = Infinity }: RequestTraits = {},
  ): Promise<T> {
    const what = `${doing} failed (MCP server ${this.name})`;
    for (let attempt = 1; ; attempt += 1) {
      const connection = await this.#open();
      try {
        return await connection.use(request);
      } catch (error) {
        if (signal?.aborted === true) throw error;
        const overflow = connection.takeOverflow();
        if (overflow !== undefined) throw describeFailure(overflow, this.settings, what);
        if (Date.now() >= deadline) throw describeFailure(error, this.settings, what);
        const fate = await this.#fateOf(error, connection);
        if (fate === 'answered') throw describeFailure(error, this.settings, what);
        this.#drop(connection);
        if (fate === 'lost' && !isRepeatable) throw answerLost(this.name, doing, error);
        if (attempt === maxAttempts) throw describeFailure(error, this.settings, what);
        this.#options.log.debug({ err: error }, `${doing} is sent again`);
      }
    }
  }

  /** Marks the tool list as outdated, after a refused call. */
  markToolsChanged(): void {
    this.#options.onToolsChanged();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#connecting?.catch(() => {
      // All requests that wait for the connection receive this error.
    });
    this.#connection = undefined;
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  /** Returns the fate of a request. After a timeout, pings the server, because a restarted one may ignore old sessions. */
  async #fateOf(error: unknown, { client }: Connection): Promise<ReturnType<typeof fateOf>> {
    if (!(error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)) return fateOf(error);
    if (client.getProtocolEra() !== 'legacy') return 'answered';
    try {
      await client.ping({ timeout: Math.min(proofMs, this.settings.callTimeoutMs) });
      return 'answered';
    } catch (silence) {
      return silence instanceof ProtocolError ? 'answered' : 'lost';
    }
  }

  async #open(): Promise<Connection> {
    if (this.#closed.signal.aborted) throw gone(this.name);
    if (this.#connection !== undefined) return this.#connection;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Connection> {
    const deadline = Date.now() + (this.#wasThere ? comebackMs : 0);
    for (let pauseMs = 50; ; pauseMs *= 2) {
      try {
        return await this.#connectOnce();
      } catch (error) {
        if (!this.#mayComeBack(error, deadline - pauseMs)) throw this.#failed(error);
        await delay(pauseMs, undefined, { signal: this.#closed.signal }).catch(() => {
          // The server was closed, which the next attempt reports.
        });
      }
    }
  }

  #mayComeBack(error: unknown, deadline: number): boolean {
    if (this.#closed.signal.aborted) return false;
    if (isUnreachable(error)) return Date.now() < deadline;
    // The restarted server may speak another revision.
    const wasLegacy = this.#wasLegacy;
    this.#wasLegacy = false;
    return wasLegacy;
  }

  #failed(error: unknown): ShallotError {
    this.#wasThere = false;
    this.#failure = describeFailure(error, this.settings, `The MCP server ${this.name} did not start`);
    return this.#failure;
  }

  async #connectOnce(): Promise<Connection> {
    const legacy = this.settings.legacy || this.#wasLegacy;
    const connection = await connect(
      { ...this.settings, legacy },
      {
        ...this.#options,
        signal: this.#closed.signal,
        onLost: () => this.#onLost(connection),
      },
    );
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
    this.#connection = connection;
    this.#failure = undefined;
    this.#wasThere = true;
    this.#wasLegacy = connection.client.getProtocolEra() === 'legacy';
    this.#options.onToolsChanged();
    return connection;
  }

  #onLost(connection: Connection): void {
    if (this.#closed.signal.aborted) return;
    this.#drop(connection);
    this.#options.log.warn(
      `The MCP server ${this.name} has ended unexpectedly. It is started again when it is needed.`,
    );
  }

  #drop(connection: Connection): void {
    if (this.#connection === connection) this.#connection = undefined;
    connection.retire();
  }
}

function answerLost(server: string, doing: string, cause: unknown): ShallotError {
  return new ShallotError('mcp/ANSWER_LOST', {
    message: `${doing} was sent to the MCP server ${server}, and the connection was lost before the answer arrived. It is not known whether it took effect.`,
    cause,
  });
}

function gone(server: string): ShallotError {
  return new ShallotError('mcp/SERVER_GONE', {
    message: `The MCP server ${server} was closed with its agent.`,
  });
}
