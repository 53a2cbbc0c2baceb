import { ShallotError } from './errors.ts';
import type { Owner } from './live-tap.ts';
import { isTool, type Tool } from './tool.ts';

interface RegisteredTool {
  readonly tool: Tool;
  readonly source: string;
  /** The plugin that brought it; undefined for the agent's own. */
  readonly owner: Owner | undefined;
}

/** The tools of an agent, by name, each with who brought it. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();
  #list: readonly Tool[] | undefined;

  /** All tools, in the order they came: one frozen array until something changes. */
  get list(): readonly Tool[] {
    this.#list ??= Object.freeze([...this.#tools.values()].map(({ tool }) => tool));
    return this.#list;
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name)?.tool;
  }

  /** The plugin that brought a tool, if it is one of these and a plugin did. */
  ownerOf(tool: Tool): Owner | undefined {
    const registered = this.#tools.get(tool.name);
    return registered?.tool === tool ? registered.owner : undefined;
  }

  /** Adds all tools or none, and returns the undo. @throws `TOOL_DUPLICATE`, `TOOL_INVALID` */
  add(tools: Tool | readonly Tool[], owner?: Owner): () => void {
    const source = owner?.id ?? agentSource;
    const added: readonly Tool[] = isTool(tools) ? [tools] : tools;
    const names = new Set<string>();
    for (const tool of added) {
      if (!isTool(tool)) {
        throw new ShallotError('TOOL_INVALID', {
          message: `${source} brings something that is not a tool. Make tools with defineTool.`,
          ...pluginOf(source),
        });
      }
      const other = names.has(tool.name) ? source : this.#tools.get(tool.name)?.source;
      if (other !== undefined) throw duplicate(tool.name, other, source);
      names.add(tool.name);
    }
    for (const tool of added) this.#tools.set(tool.name, { tool, source, owner });
    this.#list = undefined;
    return () => {
      for (const tool of added) {
        if (this.#tools.get(tool.name)?.tool === tool) this.#tools.delete(tool.name);
      }
      this.#list = undefined;
    };
  }
}

/** The source of the tools that an agent was given itself. */
const agentSource = 'the agent';

function pluginOf(source: string): { readonly plugin?: string } {
  return source === agentSource ? {} : { plugin: source };
}

function duplicate(name: string, first: string, second: string): ShallotError {
  const who = first === second ? `${first} brings it twice` : `${first} and ${second} both bring it`;
  return new ShallotError('TOOL_DUPLICATE', {
    message: `There are two tools named "${name}": ${who}. Rename one, or leave one out.`,
    ...pluginOf(second),
  });
}
