import { dirname } from 'node:path';

import { isShallotError, type ShallotError } from '../base/errors.ts';
import { defaultStartTimeoutMs } from '../base/in-time.ts';
import type { JsonObject } from '../base/json.ts';
import { findJsonSchema } from '../base/schema.ts';
import type { CompleteDefinition } from '../contract/plugin.ts';
import { configJsonSchema, type KnownPlugin } from './check/config-json-schema.ts';
import type { PluginConfigEntry } from './check/config.ts';
import { loadConfigFor, namedConfig, type LoadConfigOptions } from './load-config.ts';
import { inStartTime } from './modules/in-start-time.ts';
import type { Mention } from './modules/locate.ts';
import { findPackage } from './packages/find-package.ts';
import { pluginManifest } from './packages/manifest.ts';
import { isPath, shortName } from './packages/names.ts';
import { dependenciesAround } from './packages/nearest-package.ts';
import { pluginCandidates } from './packages/plugin-candidates.ts';
import { findConfig } from './read/find-config.ts';
import { Problems } from './read/problems.ts';
import { importDefinition, refuseIncompatible, resolvePlugins, type FoundPlugin } from './resolve-plugins.ts';

/** The schema of a config in a project, with the plugins that are installed there. */
export interface InstalledSchema {
  /** The JSON Schema of the config, with the options of the plugins that could be imported. */
  readonly schema: JsonObject;
  /** The plugins in the schema. */
  readonly plugins: readonly KnownPlugin[];
  /** The absolute path of the config file. */
  readonly path: string;
  /** The reasons why plugins, or the entries of the config, are missing. */
  readonly warnings: readonly ShallotError[];
}

/**
 * Describes the config of a project for editors, with the options of the plugins that it lists or has installed.
 * Imports these plugins, except disabled ones, without setting them up. Also works for an invalid config. @throws
 * `CONFIG_NOT_FOUND`, `CONFIG_AMBIGUOUS`, `CONFIG_FOREIGN`
 */
export async function installedSchema(options: LoadConfigOptions = {}): Promise<InstalledSchema> {
  const warnings: ShallotError[] = [];
  const { cwd = process.cwd() } = options;
  const path = options.path === undefined ? await findConfig(cwd) : namedConfig(options.path, cwd);
  const { directory, entries, startTimeoutMs } = await entriesOf({ ...options, path }, warnings);
  const listed = new Set(
    entries.map(({ value: { use } }) => (typeof use === 'string' ? shortName(use) : '')),
  );
  const installed = pluginsAround(directory).filter((name) => !listed.has(shortName(name)));
  const found = await importDefinitions(
    [...entries, ...installed.map((name) => mentionOf(name, directory))],
    startTimeoutMs,
    warnings,
  );
  const plugins = found.map(knownPlugin);
  return { schema: configJsonSchema(plugins), plugins, path, warnings };
}

/** Returns the plugin packages among the dependencies of a directory's manifests. */
function pluginsAround(directory: string): string[] {
  return [...new Set(dependenciesAround(directory))].filter((name) => {
    const found = findPackage(name, directory);
    return found !== undefined && pluginManifest(found.manifest).plugin !== undefined;
  });
}

async function entriesOf(
  options: LoadConfigOptions & { readonly path: string },
  warnings: ShallotError[],
): Promise<{ directory: string; entries: readonly Mention<PluginConfigEntry>[]; startTimeoutMs: number }> {
  try {
    // Describing plugins does not need environment variables.
    const { merged, directory, startTimeoutMs } = await loadConfigFor(options, ['extends', 'startTimeoutMs']);
    return { directory, entries: merged.plugins, startTimeoutMs };
  } catch (error) {
    if (!isShallotError(error)) throw error;
    warnings.push(error);
    return { directory: dirname(options.path), entries: [], startTimeoutMs: defaultStartTimeoutMs };
  }
}

function mentionOf(use: string, directory: string): Mention<PluginConfigEntry> {
  return { value: { use }, directory, locate: () => ({ file: directory }) };
}

/** Returns the definitions of the plugins that could be imported; failures become warnings. */
async function importDefinitions(
  entries: readonly Mention<PluginConfigEntry>[],
  startTimeoutMs: number,
  warnings: ShallotError[],
): Promise<{ readonly found: FoundPlugin; readonly definition: CompleteDefinition }[]> {
  const optional = entries.map((entry) => ({ ...entry, value: { ...entry.value, optional: true } }));
  const reports = { problems: new Problems(), warnings };
  const fitting = await refuseIncompatible(await resolvePlugins(optional, reports), reports);
  const imported = await reports.problems.attemptEach(fitting, async (found) => {
    const { place } = found;
    const what = place.plugin ?? 'The plugin';
    return {
      found,
      definition: await inStartTime(importDefinition(found), { what, ...place, startTimeoutMs }),
    };
  });
  try {
    reports.problems.throwIfAny('Plugins could not be described');
  } catch (error) {
    if (!isShallotError(error)) throw error;
    warnings.push(error);
  }
  return imported;
}

function knownPlugin({
  found: { value, module },
  definition,
}: {
  readonly found: FoundPlugin;
  readonly definition: CompleteDefinition;
}): KnownPlugin {
  const { options } = definition;
  const described =
    options === undefined ? { type: 'object', additionalProperties: false } : findJsonSchema(options);
  return {
    names: typeof value.use === 'string' ? namesOf(value.use, module?.package?.name) : [],
    options: described,
  };
}

/** Returns all names by which a config can refer to a plugin: as written, its package, and its short name. */
function namesOf(use: string, packageName: string | undefined): string[] {
  if (isPath(use) || packageName === undefined) return [use];
  const short = shortName(packageName);
  const isShort = pluginCandidates(short).includes(packageName);
  return [...new Set([use, packageName, ...(isShort ? [short] : [])])];
}
