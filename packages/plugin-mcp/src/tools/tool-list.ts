import type { ListToolsResult, Tool as ServerTool } from '@modelcontextprotocol/client';
import { isShallotError, type Logger, type Tool } from '@shallot/core';
import { visible } from '@shallot/core/plugin';

import type { Callee } from './call-tool.ts';
import { extraTools } from './extra-tools.ts';
import { listedTool, maxDefinition, type ListedTool } from './listed-tool.ts';
import { isTaken, toolNameFor } from './tool-name.ts';

/** The options of a tool list. */
export interface ToolListOptions {
  readonly log: Logger;
  /** Registers a tool. Returns a function that removes it. */
  readonly add: (tool: Tool) => () => void;
}

interface Added extends ListedTool {
  readonly undo: () => void;
}

const listTimeoutMs = 10_000;

/**
 * The tools of one server: fetched and registered, and fetched again after a change notification or when they expire.
 */
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

  /** Marks the list as outdated: it changed, or the server was restarted. */
  markStale(): void {
    this.#isStale = true;
  }

  /**
   * Fetches the tools for the first time. Returns a function that registers them, so that registration follows the
   * order of servers; it throws `TOOL_DUPLICATE`. @throws an error with a code of this plugin
   */
  async start(): Promise<() => void> {
    const wanted = await this.#fetch();
    return () => this.#take(wanted, this.#options.add);
  }

  /** Fetches the tools if they may have changed. If that fails, keeps them with a warning. */
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

  /** Returns the tools by their names in the agent. */
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

  /** Registers new and changed tools, and removes others. */
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

  /** The number of selected tools that the agent does not have. */
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

  /** Logs something about a tool once. */
  #note(tool: string, what: string): void {
    const name = visible(tool.slice(0, 100));
    const message = `The tool ${name} of the MCP server ${this.#callee.server.name}: ${what}.`;
    if (this.#noted.has(message) || this.#noted.size >= 100) return;
    this.#noted.add(message);
    this.#options.log.warn({ code: 'mcp/TOOL' }, message);
  }
}

/** Returns the time at which a list expires, by the server's `ttlMs`; `Infinity` without one. */
function expiryOf(list: ListToolsResult): number {
  const { ttlMs } = list as { readonly ttlMs?: unknown };
  return typeof ttlMs === 'number' && ttlMs > 0 ? Date.now() + ttlMs : Infinity;
}
