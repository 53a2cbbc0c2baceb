import { hookNames } from '../base/hook-names.ts';
import type { Hook } from './hooks.ts';
import type { PluginDefinition, PluginSetup } from './plugin.ts';

/**
 * The one `setup` of a definition: taps its hooks, each under the hook's name, adds its tools, then calls its own `setup`.
 * So hosts know one form only, also those of other copies of the core.
 */
export function setupOf<Options>(
  definition: PluginDefinition<Options>,
): (plugin: PluginSetup<Options>) => void | Promise<void> {
  return (plugin) => {
    for (const hook of hookNames) {
      const member = definition[hook];
      // A hook's member has the type that this hook's tap takes: both come from `HookFunctions`.
      if (member !== undefined)
        (plugin.hooks[hook] as Hook<never, never>).tap(hook, member.bind(definition) as never);
    }
    if (definition.tools !== undefined) plugin.tools.add(definition.tools);
    return definition.setup?.(plugin);
  };
}
