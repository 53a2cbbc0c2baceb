import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { ShallotError, type Logger, type Tool } from '@shallot/core';
import { messageOf } from '@shallot/core/plugin';

import type { HttpSettings, ServerSettings } from './config/server-settings.ts';
import { HeldQuestions } from './questions/held-questions.ts';
import type { Elicit } from './questions/question.ts';
import { Server } from './servers/server.ts';
import type { ListedTool } from './tools/listed-tool.ts';
import { ToolList } from './tools/tool-list.ts';

export interface FleetOptions {
  readonly log: Logger;
  readonly add: (tool: Tool) => () => void;
  readonly elicit: Elicit | undefined;
  readonly oauthFor: (settings: HttpSettings) => OAuthClientProvider | undefined;
}

interface Member {
  readonly server: Server;
  readonly list: ToolList;
}

/** All servers of an agent, with their tools. */
export class Fleet {
  readonly #members: readonly Member[];
  readonly #log: Logger;

  constructor(settings: readonly ServerSettings[], options: FleetOptions) {
    this.#log = options.log;
    this.#members = settings.map((each) => memberOf(each, options));
  }

  /** The tools of all connected servers. */
  get tools(): readonly ListedTool[] {
    return this.#members.flatMap(({ list }) => list.tools);
  }

  find(tool: string): ListedTool | undefined {
    for (const { list } of this.#members) {
      const found = list.find(tool);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Starts all servers in parallel. @throws one error for all servers that failed and are not optional */
  async start(): Promise<void> {
    const started = await Promise.allSettled(this.#members.map((member) => startMember(member)));
    const failed: unknown[] = [];
    const registrations: (() => void)[] = [];
    for (const [index, result] of started.entries()) {
      if (result.status === 'fulfilled') {
        registrations.push(result.value);
        continue;
      }
      const server = this.#members[index]?.server;
      const reason: unknown = result.reason;
      if (server?.settings.optional !== true) failed.push(reason);
      else this.#leaveOut(server, reason);
    }
    if (failed.length > 1) throw allFailed(failed);
    if (failed.length === 1) throw failed[0];
    for (const register of registrations) register();
  }

  #leaveOut({ name }: Server, reason: unknown): void {
    this.#log.warn({ code: 'mcp/SERVER_LEFT_OUT' }, `${messageOf(reason)}. It is optional, and left out.`);
    this.#log.debug({ err: reason, server: name }, 'why it did not start');
  }

  /** Fetches the tool lists that may have changed; undefined if there are none. */
  refresh(): Promise<unknown> | undefined {
    const refreshing = this.#members.flatMap(({ server, list }) =>
      server.connected === undefined ? [] : (list.refresh() ?? []),
    );
    return refreshing.length === 0 ? undefined : Promise.all(refreshing);
  }

  /** Returns a status line for each server. */
  status(): readonly string[] {
    return this.#members.map(({ server, list }) => {
      const { failure, revision, settings } = server;
      const place =
        settings.kind === 'http' ? settings.url.origin : [settings.command, ...settings.args].join(' ');
      const state =
        failure === undefined
          ? `${revision ?? 'not connected'}  ${countTools(list)}`
          : `${settings.optional ? 'left out' : 'gone'}: ${failure.message}`;
      return `${settings.name}  ${state}  ${place}`;
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ server }) => server.close()));
  }
}

function countTools({ tools, leftOut }: ToolList): string {
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  return leftOut === 0 ? count : `${count}, ${leftOut} left out`;
}

function memberOf(settings: ServerSettings, { log: parent, add, elicit, oauthFor }: FleetOptions): Member {
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
  const list = new ToolList({ server, held }, { log, add });
  return { server, list };
}

/** Starts a server. Returns a function that registers its tools. */
async function startMember({ server, list }: Member): Promise<() => void> {
  await server.start();
  return list.start();
}

function allFailed(errors: readonly unknown[]): ShallotError {
  const messages = errors.map((error) => `  ${messageOf(error)}`);
  return new ShallotError('mcp/SERVER_FAILED', {
    message: `${errors.length} MCP servers did not start:\n${messages.join('\n')}`,
    cause: new AggregateError(errors),
  });
}
