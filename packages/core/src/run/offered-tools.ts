import type { OfferedTool } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import type { Owner } from '../hooks/owner.ts';
import type { ActiveRun } from './active-run.ts';
import type { ToolRegistry } from './tools/tool-registry.ts';

/** Notes which tools a plugin has put into a request. */
export function notePlacer(
  run: ActiveRun,
  owner: Owner,
  tools: readonly Tool[],
  given: readonly Tool[] = [],
): void {
  const known = new Set(given);
  for (const tool of tools) if (!known.has(tool)) run.notePlacer(tool, owner);
}

/** Whom a tool of a request acts as: the plugin that registered it, else the one that put it there. */
export function actsAs(run: ActiveRun, tool: Tool): Owner {
  const placer = run.placerOf(tool);
  const origin = run.parts.tools.originOf(tool, placer);
  return (origin === undefined ? placer : origin.owner) ?? run.parts.toolOwner;
}

/** The tools of a request as they are stored. */
export function storeTools(run: ActiveRun, tools: readonly Tool[]): readonly OfferedTool[] {
  const { list, record } = run.parts.tools;
  // Most requests offer what is registered, and nothing else.
  return tools === list ? record : Object.freeze(tools.map((tool) => storeTool(run, tool, executed)));
}

/** The same, with what the model was told of them: for a request that is still to be sent. */
export function storeDescribedTools(run: ActiveRun, tools: readonly Tool[]): readonly OfferedTool[] {
  return Object.freeze(tools.map((tool) => storeTool(run, tool, [...executed, ...described])));
}

/** What decides how a call is executed, and what the model is told of a tool. */
const executed = ['effect', 'returnDirectly'] as const;
const described = ['description', 'inputSchema'] as const;

function storeTool(
  run: ActiveRun,
  tool: Tool,
  members: readonly (keyof NonNullable<OfferedTool['changed']>)[],
): OfferedTool {
  const { name } = tool;
  const placer = run.placerOf(tool);
  const origin = run.parts.tools.originOf(tool, placer);
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
 * The tools that were offered, for a run that goes on. What cannot be found again is left out, which is said: no call that
 * is open needs it, or the run had not been taken up.
 */
export function restoreTools(run: ActiveRun, offered: readonly OfferedTool[]): readonly Tool[] {
  const { tools } = run.parts;
  const gone = offered.filter((each) => tools.findOffered(each) === undefined);
  if (gone.length > 0) {
    const names = gone.map(({ name }) => name).join(', ');
    run.warn(
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

/** Whether a tool of a request would be found again, if the run had to be taken up. */
export function isRegistered(run: ActiveRun, tool: Tool): boolean {
  return run.parts.tools.originOf(tool, run.placerOf(tool)) !== undefined;
}
