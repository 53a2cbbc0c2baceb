import { isPlugin } from '../contract/plugin.ts';
import type { Files } from '../files/files.ts';
import type { PluginConfigEntry } from './check/config.ts';
import { loadConfigFor, type LoadConfigOptions } from './load-config.ts';
import { makeFiles } from './make-files.ts';
import { shortName } from './packages/names.ts';

export interface LoadedPluginOptions {
  /** For each enabled entry of the plugin: its id, and its options as they were written. */
  readonly entries: readonly { readonly id: string; readonly options: unknown }[];
  /** The files that the plugin would work in. */
  readonly files: Files;
  /** The absolute path of the config file. */
  readonly path: string;
}

/**
 * Reads what a config says of the plugin of this name, for whoever looks at what it would work on. No model, tool or
 * plugin is looked for, nor what the config takes from the environment for models and stores.
 * @throws what `loadConfig` throws
 */
export async function loadPluginOptions(
  plugin: string,
  options: LoadConfigOptions = {},
): Promise<LoadedPluginOptions> {
  const { merged, directory, path } = await loadConfigFor(options, ['extends', 'plugins', 'files']);
  const entries = merged.plugins
    .map(({ value }) => value)
    .filter(({ use, enabled }) => enabled !== false && nameOf(use) === plugin)
    .map(({ use, id = plugin, options: given }) => ({ id, options: isPlugin(use) ? use.options : given }));
  return { entries, files: makeFiles(merged.files, directory), path };
}

function nameOf(use: PluginConfigEntry['use']): string {
  return typeof use === 'string' ? shortName(use) : use.definition.name;
}
