import { showValue } from '../../base/describe-value.ts';
import { ShallotError } from '../../base/errors.ts';
import type { ProviderTool } from '../../contract/model.ts';
import type { OfferedTool } from '../../contract/store.ts';
import { isTool, type Tool, type AddToolOptions } from '../../contract/tool.ts';
import type { Owner } from '../../hooks/owner.ts';
import { readResult, readResultName } from './read-result.ts';

/** A tool, and the plugin that registered it. */
export interface RegisteredTool {
  readonly tool: Tool;
  /** The plugin that registered it; undefined for the agent's own tools. */
  readonly owner: Owner | undefined;
  /** True if every request offers the tool by default. */
  readonly offered: boolean;
}

/** The registered tools of an agent, by plugin and name. Offered tools have unique names. */
export class ToolRegistry {
  readonly #byPlace = new Map<string, RegisteredTool>();
  #views = viewsOf([]);
  /** The tools offered by default, in order of registration; the same frozen array until a tool is added or removed. */
  list = this.#views.list;
  readonly #warn: (tool: string, what: string) => void;
  readonly #warned = new Set<string>();

  readonly #providerTools: readonly ProviderTool[];

  /**
   * `warn` is called once per tool name for a tool that is only partly validated. Offered tools may not use the names
   * of `providerTools`.
   */
  constructor(
    warn: (tool: string, what: string) => void = () => {},
    providerTools: readonly ProviderTool[] = [],
  ) {
    this.#warn = warn;
    this.#providerTools = providerTools;
  }

  /** The tools in `list`, and the reader of kept results unless one of them reads files. The same array until a change. */
  get listWithReader(): readonly Tool[] {
    return this.#views.listWithReader;
  }

  /** The tools offered by default, as they are stored with a run. */
  get record(): readonly OfferedTool[] {
    return this.#views.record;
  }

  /** All registered tools. Names are unique only within a plugin. */
  get all(): readonly RegisteredTool[] {
    return this.#views.all;
  }

  /**
   * Returns the tool that a plugin registered under this name; without `plugin`, one of the agent's own. Undefined if
   * there is none.
   */
  find(plugin: string | undefined, name: string): RegisteredTool | undefined {
    return this.#byPlace.get(placeOf(plugin, name));
  }

  /** Returns the registered tool for a stored offer; undefined if it is gone. */
  findOffered({ name, plugin, registeredAs }: OfferedTool): RegisteredTool | undefined {
    const registered = this.find(plugin, registeredAs ?? name);
    if (registered !== undefined || plugin !== undefined) return registered;
    return (registeredAs ?? name) === readResultName ? reader : undefined;
  }

  /**
   * Returns the registration of a tool in a request: the one with the same `execute` and `validate`, else the one that
   * `placer` registered under the same name. Undefined if there is neither.
   */
  originOf(tool: Tool, placer: Owner | undefined): RegisteredTool | undefined {
    if (tool.validate === readResult.validate) return reader;
    const alike = this.#views.byCheck.get(tool.validate) ?? [];
    const same = alike.filter((each) => each.tool.execute === tool.execute);
    return (
      same.find((each) => each.owner === placer && each.tool.name === tool.name) ??
      same.find((each) => each.tool === tool) ??
      same.find((each) => each.tool.name === tool.name) ??
      same[0] ??
      (placer === undefined ? undefined : this.find(placer.id, tool.name))
    );
  }

  /** Adds all tools or none. Returns a function that removes them. @throws `TOOL_DUPLICATE`, `TOOL_INVALID` */
  add(tools: Tool | readonly Tool[], { offered = true }: AddToolOptions = {}, owner?: Owner): () => void {
    const added: readonly Tool[] = isTool(tools) || !Array.isArray(tools) ? [tools] : tools;
    const names = new Set<string>();
    for (const tool of added) {
      if (!isTool(tool)) throw notATool(tool, owner);
      const inPlace = this.find(owner?.id, tool.name);
      const taken = inPlace ?? (offered ? this.all.find(isOfferedAs(tool.name)) : undefined);
      if (names.has(tool.name) || taken !== undefined) {
        throw duplicate(tool.name, names.has(tool.name) ? owner : taken?.owner, owner);
      }
      const theirs = this.#providerTools.find(({ name }) => offered && name === tool.name);
      if (theirs !== undefined) throw takenByProvider(theirs, owner);
      names.add(tool.name);
    }
    for (const tool of added) this.#byPlace.set(placeOf(owner?.id, tool.name), { tool, owner, offered });
    this.#review();
    for (const { name, unchecked = [] } of added) {
      if (unchecked.length === 0 || this.#warned.has(name)) continue;
      this.#warned.add(name);
      this.#warn(name, `The arguments of the tool ${name} are not checked in full. ${unchecked.join('. ')}.`);
    }
    return () => {
      for (const tool of added) {
        if (this.find(owner?.id, tool.name)?.tool === tool)
          this.#byPlace.delete(placeOf(owner?.id, tool.name));
      }
      this.#review();
    };
  }

  /** Adds registrations of another registry, whose names are known to be unique. */
  take(registered: readonly RegisteredTool[]): void {
    for (const each of registered) this.#byPlace.set(placeOf(each.owner?.id, each.tool.name), each);
    this.#review();
  }

  #review(): void {
    this.#views = viewsOf([...this.#byPlace.values()]);
    this.list = this.#views.list;
  }
}

/** The tool that every agent has without registering it. */
const reader: RegisteredTool = Object.freeze({ tool: readResult, owner: undefined, offered: false });

/** Lists derived from the registered tools; rebuilt after a change. */
interface Views {
  readonly all: readonly RegisteredTool[];
  readonly list: readonly Tool[];
  readonly listWithReader: readonly Tool[];
  readonly record: readonly OfferedTool[];
  readonly byCheck: ReadonlyMap<Tool['validate'], readonly RegisteredTool[]>;
}

function viewsOf(all: readonly RegisteredTool[]): Views {
  const offered = all.filter((each) => each.offered);
  const record = offered.map(({ tool: { name }, owner }): OfferedTool =>
    Object.freeze(owner === undefined ? { name } : { name, plugin: owner.id }),
  );
  const list = Object.freeze(offered.map(({ tool }) => tool));
  const isReadable = list.some(({ name, readsFiles }) => readsFiles === true || name === readResultName);
  return {
    all,
    list,
    listWithReader: isReadable ? list : Object.freeze([...list, readResult]),
    record: Object.freeze(record),
    byCheck: Map.groupBy(all, ({ tool }) => tool.validate),
  };
}

/** The key is unique, because plugin ids contain no slash. */
function placeOf(plugin: string | undefined, name: string): string {
  return `${plugin ?? ''}/${name}`;
}

function isOfferedAs(name: string): (each: RegisteredTool) => boolean {
  return ({ tool, offered }) => offered && tool.name === name;
}

function sourceOf(owner: Owner | undefined): string {
  return owner?.id ?? 'the agent';
}

function notATool(received: unknown, owner: Owner | undefined): ShallotError {
  return new ShallotError('TOOL_INVALID', {
    message: `${sourceOf(owner)} brings something that is not a tool: ${showValue(received)}. Pass its definition to defineTool, and add what that returns.`,
    ...(owner === undefined ? {} : { plugin: owner.id }),
  });
}

function takenByProvider({ id, name }: ProviderTool, owner: Owner | undefined): ShallotError {
  return new ShallotError('TOOL_DUPLICATE', {
    message: `There are two tools named "${name}": ${sourceOf(owner)} provides one, and the provider executes the other (${id} in "providerTools"). Rename the first, or remove one.`,
    ...(owner === undefined ? {} : { plugin: owner.id }),
  });
}

function duplicate(name: string, first: Owner | undefined, second: Owner | undefined): ShallotError {
  const [a, b] = [sourceOf(first), sourceOf(second)];
  const who = a === b ? `${a} provides it twice` : `${a} and ${b} both provide it`;
  const isOnePlugin = a !== b && first !== undefined && first.name === second?.name;
  const advice = isOnePlugin
    ? `Set an option that names the tools of ${b} apart, such as prefix or toolName, or remove one.`
    : 'Rename one, or remove one.';
  return new ShallotError('TOOL_DUPLICATE', {
    message: `There are two tools named "${name}": ${who}. ${advice}`,
    ...(second === undefined ? {} : { plugin: second.id }),
  });
}
