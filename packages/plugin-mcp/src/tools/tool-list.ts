import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { isShallotError, type Logger, type Tool } from '@shallot/core';
import { messageOf, visible } from '@shallot/core/plugin';

import type { KnownTools, ServerFacts } from '../trust/known-tools.ts';
import { workInSlices } from '../work-in-slices.ts';
import type { Callee } from './call-tool.ts';
import { extraTools } from './extra-tools.ts';
import { listedTool, maxDefinition, type ListedTool } from './listed-tool.ts';
import { readToolList } from './read-tool-list.ts';
import { isTaken, toolNameFor } from './tool-name.ts';

/** The options of a tool list. */
export interface ToolListOptions {
  readonly log: Logger;
  /** Registers tools. Returns a function that removes them. */
  readonly add: (tools: readonly Tool[]) => () => void;
  /** The accepted definitions of tools; undefined if they are not stored. */
  readonly known: KnownTools | undefined;
}

/** Registers the tools that were read. */
export type Register = () => Promise<void>;

/** Tools that are registered and removed together, because the agent checks all its tools at each registration. */
interface Batch {
  readonly tools: ReadonlyMap<string, ListedTool>;
  readonly undo: () => void;
}

type Add = (tools: readonly Tool[]) => (() => void) | undefined;

const batchSize = 100;

/** The pause before a server is asked again for what it refused or did not answer, in milliseconds. */
export const retryMs = 30_000;

/** A list of tools, read from the server or from the file of known tools. */
interface Read {
  readonly facts: ServerFacts;
  readonly tools: readonly ServerTool[];
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * The tools of one server: fetched and registered, and fetched again after a change notification or when they expire.
 */
export class ToolList {
  readonly #callee: Callee;
  readonly #options: ToolListOptions;
  readonly #noted = new Set<string>();
  readonly #batches = new Set<Batch>();
  #facts: ServerFacts | undefined;
  #leftOut = 0;
  #isStale = true;
  #expiresAt = Infinity;
  #refreshing: Promise<void> | undefined;

  constructor(callee: Callee, options: ToolListOptions) {
    this.#callee = callee;
    this.#options = options;
  }

  get tools(): readonly ListedTool[] {
    return [...this.#batches].flatMap(({ tools }) => Array.from(tools.values()));
  }

  /** The server's instructions, current or from the file of known tools. */
  get instructions(): string | undefined {
    return this.#facts?.instructions;
  }

  /** The number of selected tools that the agent does not have. */
  get leftOut(): number {
    return this.#leftOut;
  }

  find(name: string): ListedTool | undefined {
    for (const { tools } of this.#batches) {
      const found = tools.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Marks the list as outdated: it changed, or the server was restarted. */
  markStale(): void {
    this.#isStale = true;
  }

  /** Returns a function that registers the stored tools of the server; undefined if nothing is known of it. */
  async recall(): Promise<Register | undefined> {
    const known = this.#options.known?.server(this.#callee.server.settings);
    if (known === undefined) return undefined;
    const tools = Object.values(known.tools).flatMap(({ definition, isGone }) =>
      isGone === true ? [] : [definition],
    );
    return this.#registering({ facts: known, tools, refused: [] }, this.#options.add);
  }

  /**
   * Fetches the tools for the first time, within a time in milliseconds. Returns a function that registers them, so that
   * registration follows the order of servers; it throws `TOOL_DUPLICATE`. @throws an error with a code of this plugin
   */
  async start(timeoutMs: number): Promise<Register> {
    return this.#registering(await this.#fetch(timeoutMs), this.#options.add);
  }

  /**
   * Fetches and registers the tools of a server that was connected to in the background, within a time in milliseconds.
   * @throws an error with a code of this plugin
   */
  async join(timeoutMs: number): Promise<void> {
    const read = await this.#fetch(timeoutMs);
    const register = await this.#registering(read, (added) => this.#tryAdding(added));
    await register();
  }

  /** Fetches the tools if they may have changed. If that fails, keeps them with a warning, and tries again later. */
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
      await this.join(this.#callee.server.settings.startTimeoutMs);
    } catch (error) {
      this.#expiresAt = Date.now() + retryMs;
      this.#options.log.warn(
        { err: error },
        `The tools of the MCP server ${this.#callee.server.name} could not be listed again; they stay as they were.`,
      );
    }
  }

  async #fetch(timeoutMs: number): Promise<Read> {
    this.#isStale = false;
    const { server } = this.#callee;
    const deadline = Date.now() + timeoutMs;
    const { ttlMs, ...list } = await server.ask(
      'The list of its tools',
      (client) => readToolList(client, deadline),
      { deadline },
    );
    this.#expiresAt = ttlMs !== undefined && ttlMs > 0 ? Date.now() + ttlMs : Infinity;
    const has = server.connected?.getServerCapabilities() ?? {};
    const facts = {
      resources: has.resources !== undefined,
      prompts: has.prompts !== undefined,
      instructions: server.connected?.getInstructions(),
    };
    await this.#options.known?.noteList(server.settings, facts, list.tools);
    return { facts, ...list };
  }

  async #registering(read: Read, add: Add): Promise<Register> {
    const wanted = await this.#wanted(read);
    return () => this.#take(wanted, read.facts, add);
  }

  /** Registers new and changed tools, and removes others. Unchanged tools stay the same objects. */
  async #take(wanted: Map<string, ListedTool>, facts: ServerFacts, add: Add): Promise<void> {
    this.#facts = facts;
    for (const batch of this.#batches) {
      const same = [...batch.tools].filter(
        ([name, { definition }]) => wanted.get(name)?.definition.digest === definition.digest,
      );
      if (same.length === batch.tools.size) {
        for (const [name] of same) wanted.delete(name);
        continue;
      }
      batch.undo();
      this.#batches.delete(batch);
      for (const [name, listed] of same) wanted.set(name, listed);
    }
    await workInSlices(batchesOf(wanted), (tools) => {
      const undo = add([...tools.values()].map(({ tool }) => tool));
      if (undo !== undefined) this.#batches.add({ tools, undo });
      else for (const [name, listed] of tools) this.#addAlone(name, listed, add);
    });
  }

  #addAlone(name: string, listed: ListedTool, add: Add): void {
    const undo = add([listed.tool]);
    if (undo !== undefined) this.#batches.add({ tools: new Map([[name, listed]]), undo });
    else this.#note(name, 'another tool of the agent has its name, and this one is left out');
  }

  /** Returns the tools by their names in the agent. */
  async #wanted({ tools, refused, facts }: Read): Promise<Map<string, ListedTool>> {
    const { server } = this.#callee;
    const { include, exclude } = server.settings;
    const isWanted = ({ name }: { readonly name: string }): boolean => isTaken(name, { include, exclude });
    const wanted = new Map<string, ListedTool>();
    const names = [...tools, ...refused].map(({ name }) => name);
    for (const name of include.filter((each) => !each.includes('*') && !names.includes(each))) {
      this.#note(
        name,
        `"include" names it, and the server has none. Its tools: ${names.join(', ') || 'none'}`,
      );
    }
    const taken = tools.filter(isWanted);
    const bad = refused.filter(isWanted);
    for (const { name, reason } of bad) this.#note(name, `${reason}, and it is left out`);
    await workInSlices(taken, (tool) => this.#addWanted(tool, wanted));
    this.#leftOut = bad.length + taken.length - wanted.size;
    for (const listed of extraTools(this.#callee, facts)) wanted.set(listed.tool.name, listed);
    return wanted;
  }

  #addWanted(tool: ServerTool, wanted: Map<string, ListedTool>): void {
    const { name: serverName, rename } = this.#callee.server.settings;
    const name = toolNameFor(serverName, tool.name, rename);
    const listed = this.#listed(tool, name);
    if (listed === undefined) return;
    if (wanted.has(name))
      return this.#note(
        tool.name,
        `another tool of the server has the name ${name}, and this one is left out`,
      );
    wanted.set(name, listed);
    if (listed.unchecked !== undefined)
      this.#note(tool.name, `its arguments are not checked before they are sent: ${listed.unchecked}`);
    if (listed.uncheckedOutput !== undefined)
      this.#note(tool.name, `its results are not checked by its outputSchema: ${listed.uncheckedOutput}`);
  }

  #listed(tool: ServerTool, name: string): ListedTool | undefined {
    try {
      const listed = listedTool(this.#callee, tool, name);
      if (listed !== undefined) return listed;
      this.#note(
        tool.name,
        `its definition is longer than the ${maxDefinition} characters that a model is sent of a tool, and it is left out`,
      );
    } catch (error) {
      this.#note(tool.name, `it cannot be used, and is left out: ${messageOf(error)}`);
    }
    return undefined;
  }

  /** Adds tools. Returns undefined if one of their names is taken. */
  #tryAdding(tools: readonly Tool[]): (() => void) | undefined {
    try {
      return this.#options.add(tools);
    } catch (error) {
      if (!isShallotError(error, 'TOOL_DUPLICATE')) throw error;
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

function* batchesOf(wanted: ReadonlyMap<string, ListedTool>): Generator<ReadonlyMap<string, ListedTool>> {
  const entries = [...wanted];
  for (let at = 0; at < entries.length; at += batchSize) yield new Map(entries.slice(at, at + batchSize));
}
