import type { addPluginEntry, pluginEntries, removePluginEntries } from './edit/edit-plugins.ts';
import type { codeEntry, flowEntry } from './edit/new-entry.ts';
import type { yamlConfig } from './edit/yaml-config.ts';

/** Functions that write configs, or change only the list of plugins in a config. */
export interface ConfigEditor {
  readonly addPluginEntry: typeof addPluginEntry;
  readonly codeEntry: typeof codeEntry;
  readonly flowEntry: typeof flowEntry;
  readonly pluginEntries: typeof pluginEntries;
  readonly removePluginEntries: typeof removePluginEntries;
  readonly yamlConfig: typeof yamlConfig;
}

/** Loads the editor with its parser, which agents do not need. */
export async function loadConfigEditor(): Promise<ConfigEditor> {
  const [editing, entries, writing] = await Promise.all([
    import('./edit/edit-plugins.ts'),
    import('./edit/new-entry.ts'),
    import('./edit/yaml-config.ts'),
  ]);
  return { ...editing, ...entries, ...writing };
}
