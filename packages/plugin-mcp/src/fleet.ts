import { setImmediate } from 'node:timers/promises';

import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { ShallotError, type Logger, type Tool } from '@shallot/core';
import { messageOf } from '@shallot/core/plugin';

import type { HttpSettings, ServerSettings } from './config/server-settings.ts';
import { Member } from './member.ts';
import { HeldQuestions } from './questions/held-questions.ts';
import type { Elicit } from './questions/question.ts';
import { Server } from './servers/server.ts';
import type { ListedTool } from './tools/listed-tool.ts';
import { ToolList, type Register } from './tools/tool-list.ts';
import type { KnownTools } from './trust/known-tools.ts';

export interface FleetOptions {
  readonly log: Logger;
  readonly add: (tools: readonly Tool[]) => () => void;
  readonly elicit: Elicit | undefined;
  readonly known: KnownTools | undefined;
  readonly oauthFor: (settings: HttpSettings) => OAuthClientProvider | undefined;
}

/** All servers of an agent, with their tools. */
export class Fleet {
  readonly #members: readonly Member[];
  readonly #log: Logger;
  #isClosed = false;

  constructor(settings: readonly ServerSettings[], options: FleetOptions) {
    this.#log = options.log;
    this.#members = settings.map((each) => memberOf(each, options));
  }

  /** The tools of all servers. */
  get tools(): readonly ListedTool[] {
    return this.#members.flatMap(({ list }) => list.tools);
  }

  find(tool: string): ListedTool | undefined {
    return this.#memberOf(tool)?.list.find(tool);
  }

  /** Finds a tool as its server lists it now. Waits while the server is being connected to. */
  async findListed(tool: string): Promise<ListedTool | undefined> {
    await this.#memberOf(tool)?.joined();
    return this.find(tool);
  }

  #memberOf(tool: string): Member | undefined {
    return this.#members.find(({ list }) => list.find(tool) !== undefined);
  }

  /** Starts all servers in parallel. @throws one error for all servers that are waited for and failed */
  async start(): Promise<void> {
    if (this.#members.length === 0) {
      const message =
        'No MCP server is named, so there is nothing to do. Name one under "servers", or a file in "mcpJson".';
      this.#log.warn({ code: 'mcp/NO_SERVERS' }, message);
    }
    const started = await Promise.allSettled(this.#members.map((member) => member.start()));
    const failed: unknown[] = [];
    const registrations: Register[] = [];
    for (const result of started) {
      if (result.status === 'fulfilled') registrations.push(result.value);
      else failed.push(result.reason);
    }
    throwFailed(failed);
    for (const register of registrations) await register();
    void this.#joinOthers();
  }

  /**
   * Connects to the servers that `start` did not wait for, one per turn of the event loop: starting a program takes
   * time, and the first run takes precedence.
   */
  async #joinOthers(): Promise<void> {
    for (const member of this.#members) {
      await setImmediate();
      if (!this.#isClosed) member.join();
    }
  }

  /**
   * Waits for all connections in progress.
   * @throws one error for all servers that are not optional and failed
   */
  async settled(): Promise<void> {
    const settled = await Promise.allSettled(this.#members.map((member) => member.settled()));
    throwFailed(settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : [])));
  }

  /** Prepares a step: lists that may have changed are fetched in the background. */
  async prepareStep(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.prepareStep()));
  }

  /** Returns the instructions of the servers whose options ask for them. */
  instructions(): readonly string[] {
    return this.#members.flatMap(({ instructions }) => instructions ?? []);
  }

  /** Returns a status line for each server. */
  status(): readonly string[] {
    return this.#members.map(({ status }) => status);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#members.map(({ server }) => server.close()));
  }
}

function memberOf(
  settings: ServerSettings,
  { log: parent, add, elicit, known, oauthFor }: FleetOptions,
): Member {
  const log = parent.child({ server: settings.name });
  const held = new HeldQuestions(settings.name, elicit, log);
  const server: Server = new Server(settings, {
    log,
    oauthFor,
    onQuestion: (request, { mcpReq }) => held.answer(request, mcpReq.signal),
    onToolsChanged: () => {
      list.markStale();
    },
  });
  const list: ToolList = new ToolList(
    { server, held, refreshTools: () => (server.connected === undefined ? undefined : list.refresh()) },
    { log, add, known },
  );
  return new Member(server, list, log);
}

/** Throws the error, or one error that combines several. */
function throwFailed(errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  if (errors.length === 1) throw errors[0];
  const messages = errors.map((error) => `  ${messageOf(error)}`);
  throw new ShallotError('mcp/SERVER_FAILED', {
    message: `${errors.length} MCP servers did not start:\n${messages.join('\n')}`,
    cause: new AggregateError(errors),
  });
}
