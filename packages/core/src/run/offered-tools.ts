import type { OfferedTool } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import type { Owner } from '../hooks/owner.ts';
import type { Signs } from './parts/signs.ts';
import type { PluginsInRun } from './plugins-in-run.ts';
import type { ToolRegistry } from './tools/tool-registry.ts';

/** Notes the plugin that added tools to a request: the tools in `tools` that are not in `given`. */
export function notePlacer(
  plugins: PluginsInRun,
  owner: Owner,
  tools: readonly Tool[],
  given: readonly Tool[] = [],
): void {
  const known = new Set(given);
  for (const tool of tools) if (!known.has(tool)) plugins.notePlacer(tool, owner);
}

/** Returns the plugin that a tool of a request belongs to: the one that registered it, else the one that added it. */
export function ownerOfTool(plugins: PluginsInRun, tool: Tool): Owner {
  const placer = plugins.placerOf(tool);
  const origin = plugins.parts.tools.originOf(tool, placer);
  return (origin === undefined ? placer : origin.owner) ?? plugins.parts.toolOwner;
}

/** Returns the tools of a request in their stored form. */
export function storeTools(plugins: PluginsInRun, tools: readonly Tool[]): readonly OfferedTool[] {
  const { list, record } = plugins.parts.tools;
  // Most requests offer exactly the registered tools.
  return tools === list ? record : Object.freeze(tools.map((tool) => storeTool(plugins, tool, executed)));
}

/**
 * Returns the tools in their stored form with the descriptions that the model gets, for a request that is not sent yet.
 */
export function storeDescribedTools(plugins: PluginsInRun, tools: readonly Tool[]): readonly OfferedTool[] {
  return Object.freeze(tools.map((tool) => storeTool(plugins, tool, [...executed, ...described])));
}

/** Members that affect the execution of a call. */
const executed = ['effect', 'returnDirectly'] as const;
const described = ['description', 'inputSchema'] as const;

function storeTool(
  plugins: PluginsInRun,
  tool: Tool,
  members: readonly (keyof NonNullable<OfferedTool['changed']>)[],
): OfferedTool {
  const { name } = tool;
  const placer = plugins.placerOf(tool);
  const origin = plugins.parts.tools.originOf(tool, placer);
  const owner = origin === undefined ? placer : origin.owner;
  const changed = members.filter((key) => origin !== undefined && origin.tool[key] !== tool[key]);
  return Object.freeze({
    name,
    ...(owner === undefined ? {} : { plugin: owner.id }),
    ...(origin === undefined || origin.tool.name === name ? {} : { registeredAs: origin.tool.name }),
    ...(changed.length === 0 ? {} : { changed: Object.fromEntries(changed.map((key) => [key, tool[key]])) }),
  });
}

/**
 * Returns the offered tools of a resumed run. Missing tools are left out with a warning: no open call needs them, or
 * the resume would have been rejected.
 */
export function restoreTools(
  plugins: PluginsInRun,
  signs: Signs,
  offered: readonly OfferedTool[],
): readonly Tool[] {
  const { tools } = plugins.parts;
  const gone = offered.filter((each) => tools.findOffered(each) === undefined);
  if (gone.length > 0) {
    const names = gone.map(({ name }) => name).join(', ');
    signs.warn(
      'TOOLS_GONE',
      `The run continues without the tools ${names}: they are not registered. Register tools for requests with tools.add(tool, { offered: false }).`,
    );
  }
  return Object.freeze(offered.flatMap((each) => restoreTool(tools, each) ?? []));
}

function restoreTool(tools: ToolRegistry, offered: OfferedTool): Tool | undefined {
  const tool = tools.findOffered(offered)?.tool;
  if (tool === undefined || (tool.name === offered.name && offered.changed === undefined)) return tool;
  return Object.freeze({ ...tool, ...offered.changed, name: offered.name });
}

/** Returns true if a resume could find a tool of a request in the registry. */
export function isRegistered(plugins: PluginsInRun, tool: Tool): boolean {
  return plugins.parts.tools.originOf(tool, plugins.placerOf(tool)) !== undefined;
}
