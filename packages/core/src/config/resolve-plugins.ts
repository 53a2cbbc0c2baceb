import { join } from 'node:path';

import { showValue } from '../base/describe-value.ts';
import { isShallotError, ShallotError } from '../base/errors.ts';
import { reasonOf } from '../base/thrown.ts';
import {
  isPlugin,
  isPluginFactory,
  pluginApi,
  type CompleteDefinition,
  type Plugin,
  type PluginPlacement,
} from '../contract/plugin.ts';
import { isApiCompatible, isApiNewer } from '../plugins/check-compatibility.ts';
import { droppedAdvice } from '../plugins/dropped.ts';
import { entryName } from './check/check-config.ts';
import type { PluginConfigEntry } from './check/config.ts';
import type { LoadedConfig } from './load-config.ts';
import { checkManifest, unmetPeers } from './modules/check-manifest.ts';
import { coreCopyOf } from './modules/core-copy.ts';
import { describeExports } from './modules/describe-exports.ts';
import type { ModuleExports } from './modules/import-module.ts';
import { inStartTime } from './modules/in-start-time.ts';
import type { Mention } from './modules/locate.ts';
import { notePluginFiles } from './modules/plugin-files.ts';
import { importFound, resolveModule, type FoundModule, type NamePlace } from './modules/resolve-module.ts';
import { unlistedPackage } from './modules/unlisted-package.ts';
import { resolveNamedModel } from './named-model.ts';
import type { InstalledPackage } from './packages/find-package.ts';
import { installCommand } from './packages/install-command.ts';
import { manifestFaults, pluginManifest, versionAndApi } from './packages/manifest.ts';
import { pluginCandidates } from './packages/plugin-candidates.ts';
import type { Problems } from './read/problems.ts';

/** Receives the faults of entries: errors, or warnings for entries with `optional: true`. */
export interface PluginReports {
  readonly problems: Problems;
  readonly warnings: ShallotError[];
}

/** An entry with its resolved module, unless it is a plugin object. */
export interface FoundPlugin {
  readonly value: PluginConfigEntry;
  readonly entry: Mention<PluginConfigEntry>;
  readonly place: NamePlace;
  readonly module?: FoundModule;
}

/** Resolves the modules of all enabled entries. Disabled ones are ignored. */
export function resolvePlugins(
  entries: readonly Mention<PluginConfigEntry>[],
  reports: PluginReports,
): Promise<FoundPlugin[]> {
  const enabled = entries.filter(({ value }) => value.enabled !== false);
  return attemptEach(enabled, reports, (entry) => resolvePlugin(entry));
}

function resolvePlugin(entry: Mention<PluginConfigEntry>): FoundPlugin {
  const { use, options } = entry.value;
  const plugin = entryName(entry.value) ?? 'plugin';
  const place = { directory: entry.directory, at: entry.locate(['use']), plugin };
  if (typeof use === 'string') {
    return {
      value: entry.value,
      entry,
      place,
      module: resolveModule(use, place, { kind: 'plugin', names: pluginCandidates(use) }),
    };
  }
  if (isPlugin(use) && options !== undefined) {
    throw new ShallotError('CONFIG_INVALID', {
      message: `"options" cannot be given for a plugin that was already created. Pass them to its factory.`,
      at: entry.locate(['options']),
      plugin,
    });
  }
  return { value: entry.value, entry, place };
}

/**
 * Reports and leaves out packages whose manifest is invalid or declares an incompatible plugin API, before their code
 * runs. Warns about missing dependencies of the others.
 */
export function refuseIncompatible(
  found: readonly FoundPlugin[],
  reports: PluginReports,
): Promise<FoundPlugin[]> {
  return attemptEach(found, reports, (plugin) => {
    const { module, place } = plugin;
    if (module?.package === undefined) return plugin;
    const { name, manifest, directory } = module.package;
    refuseNonsense(module.package, place);
    const { api } = pluginManifest(manifest);
    if (api === undefined || isApiCompatible(api)) {
      const unlisted = unlistedPackage(module, place);
      reports.warnings.push(...(unlisted === undefined ? [] : [unlisted]), ...unmetPeers(module, place));
      return plugin;
    }
    const isNewer = isApiNewer(api);
    const command = installCommand(`${isNewer ? '@shallot/core' : name}@latest`, place.directory);
    throw new ShallotError('PLUGIN_INCOMPATIBLE', {
      message:
        `${name} ${String(manifest.version)} (${directory}) needs the plugin API "${api}"; this version of @shallot/core has ${pluginApi}. ` +
        `Install ${isNewer ? `an older version of ${name}, or a newer core` : 'a newer version of it'}: ${command}${droppedAdvice(api)}`,
      at: place.at,
      plugin: place.plugin,
    });
  });
}

/** @throws `PLUGIN_INVALID` for an invalid plugin name or range in the manifest */
function refuseNonsense({ directory, manifest }: InstalledPackage, place: NamePlace): void {
  const faults = manifestFaults(manifest);
  if (faults.length === 0) return;
  const file = join(directory, 'package.json');
  throw new ShallotError('PLUGIN_INVALID', {
    message: `${file} describes its plugin wrongly: ${faults.join('; ')}. If the package is not yours, install another version of it.`,
    at: place.at,
    plugin: place.plugin,
  });
}

/** Imports the modules in parallel, and creates the plugins. Plugins that fail or take too long are reported and left out. */
export function importPlugins(
  found: readonly FoundPlugin[],
  reports: PluginReports,
  { env, startTimeoutMs }: Pick<LoadedConfig, 'env' | 'startTimeoutMs'>,
): Promise<PluginPlacement[]> {
  return attemptEach(found, reports, async ({ value, entry, place, module }) => {
    const { id, priority, outside, inside, optional, onlyChildren } = value;
    const from = module?.package?.name ?? module?.file ?? place.at.file;
    const making = makePlugin(value, place, module);
    const use = await inStartTime(making, { what: from, ...place, startTimeoutMs });
    const copied = coreCopyOf(use, place);
    if (copied !== undefined) reports.warnings.push(copied);
    return {
      use,
      source: { from, at: place.at },
      manifest: module?.package && versionAndApi(module.package.manifest),
      resolveModel: (named) => resolveNamedModel(named, entry, env),
      directory: entry.directory,
      env,
      locateOption: (path, part) => entry.locate(['options', ...path], part),
      id,
      priority,
      outside,
      inside,
      optional,
      onlyChildren,
    };
  });
}

async function makePlugin(
  { id, use, options }: PluginConfigEntry,
  place: NamePlace,
  module: FoundModule | undefined,
): Promise<Plugin> {
  if (isPlugin(use)) return use;
  return blamed(place, module, async () => {
    const exported = isPluginFactory(use) ? { default: use } : await importExports(place, module, id);
    const made: unknown = exported.default;
    if (isPlugin(made) && options === undefined) return made;
    if (!isPluginFactory(made)) throw notAPlugin(exported, place, module, isPlugin(made));
    const plugin: unknown = made(options);
    if (isPlugin(plugin)) return plugin;
    throw new ShallotError('MODULE_INVALID', {
      message: `${nameOf(module)}: its default export returns ${showValue(plugin)}, which is not a plugin. It must be the result of definePlugin.`,
      at: place.at,
      plugin: place.plugin,
    });
  });
}

/** Returns the definition of the plugin that an entry names. */
export async function importDefinition({ place, module, value }: FoundPlugin): Promise<CompleteDefinition> {
  const { use } = value;
  return blamed(place, module, async () => {
    const exported =
      typeof use === 'string' ? await importExports(place, module, value.id) : { default: use };
    const made: unknown = exported.default;
    if (isPluginFactory(made) || isPlugin(made)) return made.definition;
    throw notAPlugin(exported, place, module, false);
  });
}

/**
 * Attributes all errors except a `ShallotError` to the plugin: its factory and the getters of its definition may throw
 * anything.
 */
async function blamed<T>(
  place: NamePlace,
  module: FoundModule | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (isShallotError(cause)) throw cause;
    const message = `${nameOf(module)}: its plugin cannot be created: ${reasonOf(cause)}. Create it with definePlugin.`;
    throw new ShallotError('MODULE_FAILED', { message, at: place.at, plugin: place.plugin, cause });
  }
}

/** Returns the exports of an entry's module, after checking the plugin in its default export against the manifest. */
async function importExports(
  place: NamePlace,
  module: FoundModule | undefined,
  id: string | undefined,
): Promise<ModuleExports & { readonly default?: unknown }> {
  // Entries without a plugin object name a module, which was resolved.
  if (module === undefined) return {};
  noteFiles(module, place.plugin ?? 'plugin');
  const exported = await importFound(module, place);
  const made = exported['default'];
  if (isPluginFactory(made) || isPlugin(made)) {
    checkManifest(made.definition, module, place);
    noteFiles(module, id ?? made.definition.name);
  }
  return exported;
}

function nameOf(module: FoundModule | undefined): string {
  return module?.package?.name ?? module?.file ?? 'The config';
}

function noteFiles(module: FoundModule, plugin: string): void {
  notePluginFiles(module.package?.directory ?? module.file, plugin);
}

function notAPlugin(
  exported: ModuleExports,
  place: NamePlace,
  module: FoundModule | undefined,
  isMade: boolean,
): ShallotError {
  const named = Object.keys(exported).find((name) => isPluginFactory(exported[name]));
  const advice =
    named === undefined
      ? 'The default export of a plugin module must be the result of definePlugin'
      : `Make ${named} its default export`;
  const message = isMade
    ? 'Its default export is a plugin that was already created, so it takes no options. Export the factory'
    : `It is not a plugin: it exports ${describeExports(exported)}. ${advice}`;
  return new ShallotError('MODULE_INVALID', {
    message: `${nameOf(module)}: ${message}.`,
    at: place.at,
    plugin: place.plugin,
  });
}

/** Runs a task for each entry in parallel. Failed entries are omitted and reported, optional ones as a warning. */
async function attemptEach<T extends { readonly value: PluginConfigEntry }, R>(
  entries: readonly T[],
  { problems, warnings }: PluginReports,
  work: (entry: T) => R | Promise<R>,
): Promise<R[]> {
  const results = await problems.attemptEach(entries, async (entry) => {
    try {
      return [await work(entry)];
    } catch (error) {
      if (entry.value.optional !== true || !isShallotError(error)) throw error;
      warnings.push(error);
      return [];
    }
  });
  return results.flat();
}
