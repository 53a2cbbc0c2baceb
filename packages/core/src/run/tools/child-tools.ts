import type { Tool } from '../../contract/tool.ts';
import type { ChildAgent } from '../../contract/work/child.ts';
import { fitsPattern } from '../../options/fits-pattern.ts';
import { refusedAgent } from '../children/known-parts.ts';
import { ownerOfTool } from '../offered-tools.ts';
import type { PluginsInRun } from '../plugins-in-run.ts';
import type { RunTerms } from '../run-terms.ts';
import { ToolRegistry, type RegisteredTool } from './tool-registry.ts';

/**
 * Returns the tools of a child: the registrations of the tools offered to its parent in the step of the call, and granted
 * tools of the root. @throws `CHILD_REFUSED` for a grant of a tool that the root does not have
 */
export function childTools(
  { parts }: RunTerms,
  plugins: PluginsInRun,
  agent: ChildAgent,
  offered: readonly Tool[],
): ToolRegistry {
  const { tools: patterns, grants = [] } = agent;
  const chosen: RegisteredTool[] = [];
  for (const tool of offered) {
    if (patterns !== undefined && !isSelected(patterns, tool.name)) continue;
    const owner = ownerOfTool(plugins, tool);
    chosen.push({ tool, owner: owner === parts.toolOwner ? undefined : owner, offered: true });
  }
  for (const grant of grants) {
    const granted = parts.rootTools.all.find((each) => isGranted(each, grant));
    if (granted === undefined)
      throw refusedAgent(
        agent,
        `was granted the tool "${grant}", which the agent at the root of the tree does not have`,
      );
    const inPlace = chosen.findIndex(({ tool }) => tool.name === granted.tool.name);
    if (inPlace === -1) chosen.push({ ...granted, offered: true });
    // `plugin/tool` selects that plugin's tool, not another one that happens to have the same name.
    else if (grant.includes('/')) chosen[inPlace] = { ...granted, offered: true };
  }
  const registry = new ToolRegistry();
  registry.take(chosen);
  return registry;
}

/** Returns true if a grant names a tool: by its name, or as `plugin/tool`. */
function isGranted({ tool, owner }: RegisteredTool, grant: string): boolean {
  return grant === tool.name || (owner !== undefined && grant === `${owner.id}/${tool.name}`);
}

/** Returns true if the patterns select a name. Patterns with `!` exclude names from the others, or from all names. */
function isSelected(patterns: readonly string[], name: string): boolean {
  const [without, selecting] = [true, false].map((isTaken) =>
    patterns.filter((pattern) => pattern.startsWith('!') === isTaken),
  );
  if (without?.some((pattern) => fitsPattern(pattern.slice(1), name)) === true) return false;
  if (selecting?.length === 0) return patterns.length > 0;
  return selecting?.some((pattern) => fitsPattern(pattern, name)) === true;
}
