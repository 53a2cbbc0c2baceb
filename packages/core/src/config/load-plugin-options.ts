import { isChatModel, type ChatModel, type ModelName } from '../contract/model.ts';
import { isPlugin } from '../contract/plugin.ts';
import type { Files } from '../files/files.ts';
import type { PluginConfigEntry } from './check/config.ts';
import { loadConfigFor, type LoadConfigOptions } from './load-config.ts';
import { filesMaker } from './making/make-files.ts';
import type { Mention } from './modules/locate.ts';
import { resolveNamedModel } from './named-model.ts';
import { shortName } from './packages/names.ts';

/** The options of one entry of a plugin. */
export interface PluginOptions {
  readonly id: string;
  /** As written. */
  readonly options: unknown;
  /** The directory of the file that contains the entry. */
  readonly directory: string;
  /** Returns the location of a path within the entry. */
  readonly locate: Mention<unknown>['locate'];
  /** Creates a model that the options name. @throws as `resolveModel` of the plugin's `setup` */
  readonly resolveModel: (named: ModelName) => Promise<ChatModel>;
}

/** The options that a config gives to one plugin, read without starting an agent. */
export interface LoadedPluginOptions {
  /** The enabled entries of the plugin. */
  readonly entries: readonly PluginOptions[];
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
    .map((entry): PluginOptions => {
      const { value, directory, locate } = entry;
      const { use, id = plugin, options: given } = value;
      return {
        id,
        options: isPlugin(use) ? use.options : given,
        directory,
        locate,
        resolveModel: async (named) => (isChatModel(named) ? named : resolveNamedModel(named, entry, env)),
      };
    });
  return { entries, files: await filesMaker(loaded)(), path, env };
}

function nameOf(use: PluginConfigEntry['use']): string {
  return typeof use === 'string' ? shortName(use) : use.definition.name;
}
