import type { Logger } from '@shallot/core';
import { clipText, visible } from '@shallot/core/plugin';

import type { Server } from './servers/server.ts';
import { retryMs, type Register, type ToolList } from './tools/tool-list.ts';

/** The maximum length of a server's instructions, since the server controls them. */
const maxInstructions = 10_000;
/**
 * A server of an agent, with its tools. The start of the agent waits for it, or it is connected to in the background.
 */
export class Member {
  readonly server: Server;
  readonly list: ToolList;
  readonly #log: Logger;
  /** The first connection; it never rejects. */
  #joining: Promise<void> | undefined;
  #hasJoined = false;
  /** The reason why the first connection failed, or the first list over it. */
  #unjoined: Error | undefined;
  #retryAt = 0;

  constructor(server: Server, list: ToolList, log: Logger) {
    this.server = server;
    this.list = list;
    this.#log = log;
  }

  /**
   * Starts the server. Returns a function that registers its tools. Waits for the server only if nothing is known of
   * it and it is not optional. @throws its error, with a code of this plugin
   */
  async start(): Promise<Register> {
    const recalled = await this.list.recall();
    if (recalled === undefined && !this.server.settings.optional) {
      const register = await this.list.start(await this.#connect());
      this.#hasJoined = true;
      return register;
    }
    return async () => recalled?.();
  }

  /** Connects in the background, unless the server has connected before, is being connected to, or has just failed. */
  join(): void {
    if (this.#hasJoined || this.#joining !== undefined || Date.now() < this.#retryAt) return;
    this.#joining = this.#join().finally(() => {
      this.#joining = undefined;
    });
  }

  /** Connects if necessary, as `join` does, and waits for the attempt. Never rejects. */
  async joined(): Promise<void> {
    this.join();
    await this.#joining;
  }

  /** Connects if necessary, as `join` does, and waits for the attempt. @throws its error, unless the server is optional */
  async settled(): Promise<void> {
    await this.joined();
    if (!this.#hasJoined && !this.server.settings.optional && this.#failure !== undefined)
      throw this.#failure;
  }

  get #failure(): Error | undefined {
    return this.#unjoined ?? this.server.failure;
  }

  /**
   * Prepares a step. Waits only if the server is not optional and did not start: then it is tried again. @throws the
   * error of that attempt
   */
  async prepareStep(): Promise<void> {
    const { settings, connected } = this.server;
    const failure = this.#failure;
    if (!this.#hasJoined && !settings.optional && failure !== undefined && this.#joining === undefined) {
      this.#retryAt = 0;
      await this.settled();
    }
    if (failure !== undefined) this.join();
    if (this.#hasJoined && connected !== undefined) void this.list.refresh();
  }

  /** The server's instructions, if the options ask for them. */
  get instructions(): string | undefined {
    const { settings, name } = this.server;
    const text = settings.instructions ? this.list.instructions?.trim() : undefined;
    if (text === undefined || text === '') return undefined;
    return `Instructions of the MCP server ${visible(name)}:\n${clipText(text, maxInstructions, '\n[… cut …]\n')}`;
  }

  /** A line that describes the server for people. */
  get status(): string {
    const { revision, settings } = this.server;
    const place =
      settings.kind === 'http' ? settings.url.origin : [settings.command, ...settings.args].join(' ');
    return `${settings.name}  ${this.#state(this.#failure?.message, revision)}  ${place}`;
  }

  #state(failure: string | undefined, revision: string | undefined): string {
    const count = countTools(this.list);
    if (this.#joining !== undefined || (!this.#hasJoined && failure === undefined))
      return `connecting  ${count}`;
    if (failure !== undefined) return `${this.server.settings.optional ? 'left out' : 'gone'}: ${failure}`;
    return `${revision ?? 'not connected'}  ${count}`;
  }

  /** Connects. Returns the time that is left for the list of tools, in milliseconds. */
  async #connect(): Promise<number> {
    const began = Date.now();
    await this.server.start();
    return this.server.settings.startTimeoutMs - (Date.now() - began);
  }

  async #join(): Promise<void> {
    const { server, list } = this;
    try {
      await list.join(await this.#connect());
      this.#hasJoined = true;
      this.#unjoined = undefined;
    } catch (error) {
      this.#retryAt = Date.now() + retryMs;
      const failure = error instanceof Error ? error : new Error(String(error));
      this.#unjoined = failure;
      const { optional, name } = server.settings;
      // Errors of this plugin name the server.
      const { message } = failure;
      if (optional)
        this.#log.warn({ code: 'mcp/SERVER_LEFT_OUT' }, `${message}. It is optional, and left out.`);
      else this.#log.error({ code: 'mcp/SERVER_FAILED' }, `${message}. Runs fail until it is there.`);
      this.#log.debug({ err: error, server: name }, 'why it did not start');
    }
  }
}

function countTools({ tools, leftOut }: ToolList): string {
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  return leftOut === 0 ? count : `${count}, ${leftOut} left out`;
}
