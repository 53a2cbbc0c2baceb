import type { Tool } from '@shallot/core';
import type { PluginSetup } from '@shallot/core/plugin';

/** The effects of tools, by name. */
export interface ToolEffects {
  /** `write` for a tool that nobody has seen. */
  of(name: string): Tool['effect'];
}

/** Learns the effects of tools from the agent when it starts, and from each request. */
export function toolEffects({ hooks, onReady }: Pick<PluginSetup, 'hooks' | 'onReady'>): ToolEffects {
  const known = new Map<string, Tool['effect']>();
  let seen: readonly Tool[] | undefined;
  const learn = (tools: readonly Tool[] = []): void => {
    if (tools === seen) return;
    seen = tools;
    for (const { name, effect } of tools) known.set(name, effect);
  };
  onReady(({ tools }) => learn(tools));
  hooks.beforeModel.tap({ name: 'learn-effects', priority: 0 }, ({ tools }) => learn(tools));
  return { of: (name) => known.get(name) ?? 'write' };
}
