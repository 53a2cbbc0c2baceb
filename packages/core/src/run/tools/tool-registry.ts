import { showValue } from '../../base/describe-value.ts';
import { ShallotError } from '../../base/errors.ts';
import type { ProviderTool } from '../../contract/model.ts';
import type { OfferedTool } from '../../contract/store.ts';
import { isTool, type Tool, type AddToolOptions } from '../../contract/tool.ts';
import type { Owner } from '../../hooks/owner.ts';

/** A tool with who registered it. */
export interface RegisteredTool {
  readonly tool: Tool;
  /** The plugin that brought it; undefined for the agent's own. */
  readonly owner: Owner | undefined;
  /** Whether requests offer it by themselves. */
  readonly offered: boolean;
}

/** The tools of an agent. A tool's place is who registered it and under which name; the offered ones share no name. */
export class ToolRegistry {
  readonly #byPlace = new Map<string, RegisteredTool>();
  #views: Views | undefined;
  readonly #warn: (tool: string, what: string) => void;
  readonly #warned = new Set<string>();

  readonly #providerTools: readonly ProviderTool[];

  /**
   * `warn` is told once of each tool, by name, of which something is not checked. No tool that is offered shares the name
   * of one that the provider executes.
   */
  constructor(
    warn: (tool: string, what: string) => void = () => {},
    providerTools: readonly ProviderTool[] = [],
  ) {
    this.#warn = warn;
    this.#providerTools = providerTools;
  }

  /** The tools that requests offer by themselves, in the order they came: one frozen array until something changes. */
  get list(): readonly Tool[] {
    return this.#current.list;
  }

  /** The same, as a run's record has them. */
  get record(): readonly OfferedTool[] {
    return this.#current.record;
  }

  /** All of them: two may have one name. */
  get all(): readonly RegisteredTool[] {
    return this.#current.all;
  }

  /** The tool that was registered in this place; without a plugin, one of the agent's own. */
  find(plugin: string | undefined, name: string): RegisteredTool | undefined {
    return this.#byPlace.get(placeOf(plugin, name));
  }

  /** The tool that a request offered, as it is registered now. */
  findOffered({ name, plugin, registeredAs }: OfferedTool): RegisteredTool | undefined {
    return this.find(plugin, registeredAs ?? name);
  }

  /**
   * The registered tool that a tool of a request counts as: the one whose `execute` and check of arguments it has, else the
   * one that the plugin which put it there has registered under its name.
   */
  originOf(tool: Tool, placer: Owner | undefined): RegisteredTool | undefined {
    const alike = this.#current.byCheck.get(tool.validate) ?? [];
    const same = alike.filter((each) => each.tool.execute === tool.execute);
    return (
      same.find((each) => each.owner === placer && each.tool.name === tool.name) ??
      same.find((each) => each.tool === tool) ??
      same.find((each) => each.tool.name === tool.name) ??
      same[0] ??
      (placer === undefined ? undefined : this.find(placer.id, tool.name))
    );
  }

  /** Adds all tools or none, and returns the undo. @throws `TOOL_DUPLICATE`, `TOOL_INVALID` */
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
    this.#views = undefined;
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
      this.#views = undefined;
    };
  }

  get #current(): Views {
    this.#views ??= viewsOf([...this.#byPlace.values()]);
    return this.#views;
  }
}

/** What is derived from the tools, until they change. */
interface Views {
  readonly all: readonly RegisteredTool[];
  readonly list: readonly Tool[];
  readonly record: readonly OfferedTool[];
  readonly byCheck: ReadonlyMap<Tool['validate'], readonly RegisteredTool[]>;
}

function viewsOf(all: readonly RegisteredTool[]): Views {
  const offered = all.filter((each) => each.offered);
  const record = offered.map(({ tool: { name }, owner }): OfferedTool =>
    Object.freeze(owner === undefined ? { name } : { name, plugin: owner.id }),
  );
  return {
    all,
    list: Object.freeze(offered.map(({ tool }) => tool)),
    record: Object.freeze(record),
    byCheck: Map.groupBy(all, ({ tool }) => tool.validate),
  };
}

/** No plugin's id has a slash in it. */
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
  return new ShallotError('TOOL_DUPLICATE', {
    message: `There are two tools named "${name}": ${who}. Rename one, or remove one.`,
    ...(second === undefined ? {} : { plugin: second.id }),
  });
}
