import type { ListToolsResult, Tool as ServerTool } from '@modelcontextprotocol/client';
import { isShallotError, type Logger, type Tool } from '@shallot/core';
import { visible } from '@shallot/core/plugin';

import type { Callee } from './call-tool.ts';
import { extraTools } from './extra-tools.ts';
import { listedTool, maxDefinition, type ListedTool } from './listed-tool.ts';
import { isTaken, toolNameFor } from './tool-name.ts';

/** What a list of tools needs of the plugin. */
export interface ToolListOptions {
  readonly log: Logger;
  /** Registers a tool, and returns the undo. */
  readonly add: (tool: Tool) => () => void;
}

interface Added extends ListedTool {
  readonly undo: () => void;
}

const listTimeoutMs = 10_000;

/** The tools of one server: fetched, registered, and fetched again when the server says so or their time is over. */
export class ToolList {
  readonly #callee: Callee;
  readonly #options: ToolListOptions;
  readonly #noted = new Set<string>();
  #added = new Map<string, Added>();
  #leftOut = 0;
  #isStale = true;
  #expiresAt = Infinity;
  #refreshing: Promise<void> | undefined;

  constructor(callee: Callee, options: ToolListOptions) {
    this.#callee = callee;
    this.#options = options;
  }

  get tools(): readonly ListedTool[] {
    return [...this.#added.values()];
  }

  find(name: string): ListedTool | undefined {
    return this.#added.get(name);
  }

  /** The server says that its tools have changed, or is another process than before. */
  markStale(): void {
    this.#isStale = true;
  }

  /**
   * Fetches the tools for the first time, and returns the function that registers them: in the order of the servers, not in
   * that of their answers. It throws `TOOL_DUPLICATE`. @throws an error of the plugin's own
   */
  async start(): Promise<() => void> {
    const wanted = await this.#fetch();
    return () => this.#take(wanted, this.#options.add);
  }

  /** Fetches the tools if they may have changed. What cannot be fetched stays as it was, with a warning. */
  refresh(): Promise<void> | undefined {
    if (this.#refreshing === undefined && (this.#isStale || Date.now() >= this.#expiresAt)) {
      this.#refreshing = this.#fetchAgain().finally(() => {
        this.#refreshing = undefined;
      });
    }
    return this.#refreshing;
  }

  async #fetchAgain(): Promise<void> {
    try {
      this.#take(await this.#fetch(), (tool) => this.#tryAdding(tool));
    } catch (error) {
      this.#expiresAt = Infinity;
      this.#options.log.warn(
        { err: error },
        `The tools of the MCP server ${this.#callee.server.name} could not be listed again; they stay as they were.`,
      );
    }
  }

  /** By their names in the agent. */
  async #fetch(): Promise<Map<string, ListedTool>> {
    this.#isStale = false;
    const { server } = this.#callee;
    const list = await server.ask('The list of its tools', async (client) =>
      client.getServerCapabilities()?.tools === undefined
        ? { tools: [] }
        : client.listTools(undefined, { cacheMode: 'refresh', timeout: listTimeoutMs }),
    );
    this.#expiresAt = expiryOf(list);
    return this.#wanted(list.tools);
  }

  /** Registers what is new or has changed, and removes what is gone. */
  #take(wanted: Map<string, ListedTool>, add: (tool: Tool) => (() => void) | undefined): void {
    const before = this.#added;
    this.#added = new Map();
    for (const [name, old] of before) {
      if (wanted.get(name)?.definition.digest === old.definition.digest) this.#added.set(name, old);
      else old.undo();
    }
    for (const [name, listed] of wanted) {
      const undo = this.#added.has(name) ? undefined : add(listed.tool);
      if (undefined !== undo) this.#added.set(name, { ...listed, undo });
    }
  }

  /** How many tools that the options take the agent does not have. */
  get leftOut(): number {
    return this.#leftOut;
  }

  #wanted(tools: readonly ServerTool[]): Map<string, ListedTool> {
    const { server } = this.#callee;
    const { name: serverName, rename, include, exclude } = server.settings;
    const wanted = new Map<string, ListedTool>();
    const taken = tools.filter(({ name }) => isTaken(name, { include, exclude }));
    for (const tool of taken) {
      const name = toolNameFor(serverName, tool.name, rename);
      const listed = listedTool(this.#callee, tool, name);
      if (listed === undefined)
        this.#note(
          tool.name,
          `its definition is longer than the ${maxDefinition} characters that a model is sent of a tool, and it is left out`,
        );
      else if (wanted.has(name))
        this.#note(tool.name, `another tool of the server has the name ${name}, and this one is left out`);
      else wanted.set(name, listed);
      if (listed?.unchecked !== undefined)
        this.#note(tool.name, `its arguments are not checked before they are sent: ${listed.unchecked}`);
      if (listed?.uncheckedOutput !== undefined)
        this.#note(tool.name, `its results are not checked by its outputSchema: ${listed.uncheckedOutput}`);
    }
    this.#leftOut = taken.length - wanted.size;
    for (const listed of extraTools(this.#callee)) wanted.set(listed.tool.name, listed);
    return wanted;
  }

  #tryAdding(tool: Tool): (() => void) | undefined {
    try {
      return this.#options.add(tool);
    } catch (error) {
      if (!isShallotError(error, 'TOOL_DUPLICATE')) throw error;
      this.#note(tool.name, 'another tool of the agent has its name, and this one is left out');
      return undefined;
    }
  }

  /** Tells something about a tool, once. */
  #note(tool: string, what: string): void {
    const name = visible(tool.slice(0, 100));
    const message = `The tool ${name} of the MCP server ${this.#callee.server.name}: ${what}.`;
    if (this.#noted.has(message) || this.#noted.size >= 100) return;
    this.#noted.add(message);
    this.#options.log.warn({ code: 'mcp/TOOL' }, message);
  }
}

/** When a list is to be fetched again: after the time that the server gives it; without one, when the server says so. */
function expiryOf(list: ListToolsResult): number {
  const { ttlMs } = list as { readonly ttlMs?: unknown };
  return typeof ttlMs === 'number' && ttlMs > 0 ? Date.now() + ttlMs : Infinity;
}
