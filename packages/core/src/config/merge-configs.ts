import { resolve } from 'node:path';

import { isPlugin } from '../contract/plugin.ts';
import type { Config, PluginConfigEntry } from './check/config.ts';
import { withoutUndefined } from './check/without-undefined.ts';
import { mention, type ConfigSource, type Mention } from './modules/locate.ts';
import { isPath, shortName } from './packages/names.ts';

/** A config file that was checked. */
export interface CheckedConfig {
  readonly source: ConfigSource;
  readonly config: Config;
}

/** Configs as one. Values that hold names remember the file that they stand in. */
export interface MergedConfig {
  readonly model?: Mention<NonNullable<Config['model']>> | undefined;
  readonly instructions?: Mention<NonNullable<Config['instructions']>> | undefined;
  readonly store?: Mention<NonNullable<Config['store']>> | undefined;
  readonly files?: Mention<NonNullable<Config['files']>> | undefined;
  readonly tools: readonly Mention<NonNullable<Config['tools']>[number]>[];
  readonly plugins: readonly Mention<PluginConfigEntry>[];
  readonly plain: Omit<
    Config,
    'model' | 'instructions' | 'store' | 'files' | 'tools' | 'plugins' | 'extends' | '$schema'
  >;
}

/** Merges configs, the later over the earlier, by the rules that `Config.extends` states. */
export function mergeConfigs(configs: readonly CheckedConfig[]): MergedConfig {
  return configs.reduce<MergedConfig>(mergeInto, { tools: [], plugins: [], plain: {} });
}

function mergeInto(base: MergedConfig, { source, config }: CheckedConfig): MergedConfig {
  const {
    extends: _extends,
    $schema: _$schema,
    model,
    instructions,
    store,
    files,
    tools = [],
    plugins = [],
    ...plain
  } = config;
  const settings = { ...base.plain.settings, ...plain.settings };
  return {
    model: model === undefined ? base.model : mention(source, ['model'], model),
    instructions:
      instructions === undefined ? base.instructions : mention(source, ['instructions'], instructions),
    store: store === undefined ? base.store : mention(source, ['store'], store),
    files: files === undefined ? base.files : mention(source, ['files'], files),
    tools: [...base.tools, ...tools.map((tool, index) => mention(source, ['tools', index], tool))],
    plugins: mergePlugins(
      base.plugins,
      plugins.map((plugin, index) => toEntry(source, plugin, index)),
    ),
    plain: {
      ...base.plain,
      ...withoutUndefined(plain),
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
    },
  };
}

function toEntry(
  source: ConfigSource,
  plugin: NonNullable<Config['plugins']>[number],
  index: number,
): Mention<PluginConfigEntry> {
  if (typeof plugin !== 'string' && !isPlugin(plugin)) return mention(source, ['plugins', index], plugin);
  // The short form has no `use`: that place is the entry's own.
  return {
    ...mention(source, ['plugins', index], { use: plugin }),
    locate: () => source.locate(['plugins', index]),
  };
}

/** Entries of one file stay apart, also of one plugin: only what a file adds to another one is merged into that. */
function mergePlugins(
  base: readonly Mention<PluginConfigEntry>[],
  own: readonly Mention<PluginConfigEntry>[],
): Mention<PluginConfigEntry>[] {
  const merged = [...base];
  for (const entry of own) {
    const at = base.findIndex((other) => identityOf(other) === identityOf(entry));
    const other = at === -1 ? undefined : merged[at];
    if (other === undefined) merged.push(entry);
    else merged[at] = mergeEntry(other, entry);
  }
  return merged;
}

/**
 * Another plugin under the id replaces the entry. The name of the same plugin is looked up where it was first mentioned:
 * that is where it is installed.
 */
function mergeEntry(
  base: Mention<PluginConfigEntry>,
  own: Mention<PluginConfigEntry>,
): Mention<PluginConfigEntry> {
  if (nameOf(base) !== nameOf(own)) return own;
  const written = withoutUndefined(own.value);
  const value = { ...base.value, ...written, use: base.value.use };
  const locate: Mention<unknown>['locate'] = (path = [], part) =>
    (path[0] === undefined || Object.hasOwn(written, path[0]) ? own : base).locate(path, part);
  return { value, directory: base.directory, locate };
}

function identityOf(entry: Mention<PluginConfigEntry>): string {
  return entry.value.id ?? nameOf(entry);
}

function nameOf({ value: { use }, directory }: Mention<PluginConfigEntry>): string {
  if (typeof use !== 'string') return use.definition.name;
  return isPath(use) ? resolve(directory, use) : shortName(use);
}

/** A merged config in the form that a single file would have. */
export function flatten({ model, instructions, store, files, tools, plugins, plain }: MergedConfig): Config {
  return {
    ...plain,
    ...(model && { model: model.value }),
    ...(instructions && { instructions: instructions.value }),
    ...(store && { store: store.value }),
    ...(files && { files: files.value }),
    tools: tools.map(({ value }) => value),
    plugins: plugins.map(({ value }) => value),
  };
}
