import { definePlugin, pluginApi, type Plugin, type PluginDefinition, type PluginSetup } from '../plugin.ts';

/** A plugin without options, for a test: a name and a set-up, and what else the test is about. */
export function inlinePlugin(
  name: string,
  setup: (plugin: PluginSetup) => void | Promise<void> = () => {},
  rest: Partial<Omit<PluginDefinition, 'name' | 'setup' | 'options'>> = {},
): Plugin {
  return definePlugin({ version: '1.0.0', api: `^${pluginApi}`, ...rest, name, setup })();
}
