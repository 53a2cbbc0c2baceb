import { setTimeout as delay } from 'node:timers/promises';

import type { Client } from '@modelcontextprotocol/client';

import { HttpTransport } from './http-transport.ts';
import type { ProgramTransport } from './program-transport.ts';

/** An open connection to a server. */
export class Connection {
  readonly client: Client;
  readonly #transport: ProgramTransport | HttpTransport;
  #uses = 0;
  #isRetired = false;
  #closing: Promise<void> | undefined;
  #overflow: Error | undefined;
  readonly #closed = Promise.withResolvers<void>();

  constructor(client: Client, transport: ProgramTransport | HttpTransport) {
    this.client = client;
    this.#transport = transport;
  }

  /** Notes that an answer was dropped because it is too large. */
  noteOverflow(error: Error): void {
    this.#overflow = error;
  }

  /** Returns the error of an answer that was dropped since this was last called; undefined if none was. */
  takeOverflow(): Error | undefined {
    const error = this.#overflow;
    this.#overflow = undefined;
    return error;
  }

  /** Resolves when the connection is closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Makes a request. A connection that was retired meanwhile is closed after its last request. */
  async use<T>(request: (client: Client) => Promise<T>): Promise<T> {
    this.#uses += 1;
    try {
      return await request(this.client);
    } finally {
      this.#uses -= 1;
      if (this.#isRetired && this.#uses === 0) void this.close();
    }
  }

  /** Closes the connection once its current requests have ended; a refused request does not affect the others. */
  retire(): void {
    this.#isRetired = true;
    if (this.#uses === 0) void this.close();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close().finally(() => this.#closed.resolve());
    return this.#closing;
  }

  async #close(): Promise<void> {
    delete this.client.onclose;
    if (this.#transport instanceof HttpTransport) await endSession(this.#transport);
    await this.client.close();
    await this.#transport.close();
  }
}

/** Ends the session of a server of an older revision; waits at most a second. */
async function endSession(transport: HttpTransport): Promise<void> {
  if (transport.sessionId === undefined) return;
  const ending = transport.terminateSession().catch(() => {
    // Servers may refuse to end sessions.
  });
  await Promise.race([ending, delay(1000, undefined, { ref: false })]);
}
