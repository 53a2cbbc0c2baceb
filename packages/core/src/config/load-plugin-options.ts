import { isPlugin } from '../contract/plugin.ts';
import type { Files } from '../files/files.ts';
import type { PluginConfigEntry } from './check/config.ts';
import { loadConfigFor, type LoadConfigOptions } from './load-config.ts';
import { filesMaker } from './making/make-files.ts';
import { shortName } from './packages/names.ts';

/** The options that a config gives to one plugin, read without starting an agent. */
export interface LoadedPluginOptions {
  /**
   * The id of each enabled entry of the plugin, its options as written, and the directory of the file that contains it.
   */
  readonly entries: readonly { readonly id: string; readonly options: unknown; readonly directory: string }[];
  /** The files service that the plugin would get. The caller must close it. */
  readonly files: Files;
  /** The absolute path of the config file. */
  readonly path: string;
  /** The environment for references in options, with the variables of the `.env` file. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the options of a plugin from a config, to inspect its data. Resolves no model, tool or plugin, and needs none
 * of their environment variables. @throws the errors of `loadConfig`, and of finding and importing the module of
 * `files`
 */
export async function loadPluginOptions(
  plugin: string,
  options: LoadConfigOptions = {},
): Promise<LoadedPluginOptions> {
  const loaded = await loadConfigFor(options, ['extends', 'plugins', 'files', 'unlock']);
  const { merged, path, env } = loaded;
  const entries = merged.plugins
    .filter(({ value: { use, enabled } }) => enabled !== false && nameOf(use) === plugin)
    .map(({ value: { use, id = plugin, options: given }, directory: own }) => ({
      id,
      options: isPlugin(use) ? use.options : given,
      directory: own,
    }));
  return { entries, files: await filesMaker(loaded)(), path, env };
}

function nameOf(use: PluginConfigEntry['use']): string {
  return typeof use === 'string' ? shortName(use) : use.definition.name;
}
