import type { Tool } from '@shallot/core';
import type { PluginSetup } from '@shallot/core/plugin';

/** The effects of tools, by name, and which of them run other agents. */
export interface ToolEffects {
  /** Returns the effect; `write` for an unknown tool. */
  of(name: string): Tool['effect'];
  /** Returns true for a tool that runs other agents: their own calls are retried and limited, not the whole task. */
  runsAgents(name: string): boolean;
}

/** Learns the effects of tools from the agent when it starts, and from each request. */
export function toolEffects({ hooks, onReady }: Pick<PluginSetup, 'hooks' | 'onReady'>): ToolEffects {
  const known = new Map<string, Pick<Tool, 'effect' | 'background'>>();
  let seen: readonly Tool[] | undefined;
  const learn = (tools: readonly Tool[] = []): void => {
    if (tools === seen) return;
    seen = tools;
    for (const tool of tools) known.set(tool.name, tool);
  };
  onReady(({ tools }) => learn(tools));
  hooks.beforeModel.tap({ name: 'learn-effects', priority: 0 }, ({ tools }) => learn(tools));
  return {
    of: (name) => known.get(name)?.effect ?? 'write',
    runsAgents: (name) => known.get(name)?.background !== undefined,
  };
}
