import { resolve } from 'node:path';

import { ruleLists, type Permissions } from '../contract/permissions/permissions.ts';
import { isPlugin } from '../contract/plugin.ts';
import type { Config, PluginConfigEntry } from './check/config.ts';
import { withoutUndefined } from './check/without-undefined.ts';
import type { ConfigPath } from './modules/locate.ts';
import { isPath, shortName } from './packages/names.ts';
import { mention, type CheckedConfig, type SourcedMention, type ValueOrigin } from './value-origin.ts';

/** A config merged from all files. Values that may name modules or files keep the directory and location of their file. */
export interface MergedConfig {
  readonly model?: SourcedMention<NonNullable<Config['model']>> | undefined;
  readonly instructions?: SourcedMention<NonNullable<Config['instructions']>> | undefined;
  readonly store?: SourcedMention<NonNullable<Config['store']>> | undefined;
  readonly files?: SourcedMention<NonNullable<Config['files']>> | undefined;
  readonly unlock?: SourcedMention<NonNullable<Config['unlock']>> | undefined;
  readonly queue?: SourcedMention<NonNullable<Config['queue']>> | undefined;
  readonly context?: SourcedMention<NonNullable<Config['context']>> | undefined;
  readonly tools: readonly SourcedMention<NonNullable<Config['tools']>[number]>[];
  readonly plugins: readonly SourcedMention<PluginConfigEntry>[];
  readonly plain: Omit<
    Config,
    | 'model'
    | 'instructions'
    | 'store'
    | 'files'
    | 'unlock'
    | 'queue'
    | 'context'
    | 'tools'
    | 'plugins'
    | 'extends'
    | '$schema'
  >;
  /** The mentions of the values in `plain`, by key; those in `settings` by `settings.KEY`. */
  readonly plainMentions: Readonly<Record<string, SourcedMention<unknown>>>;
}

/** Merges configs by the rules of `Config.extends`; later ones override earlier ones. */
export function mergeConfigs(configs: readonly CheckedConfig[]): MergedConfig {
  return configs.reduce<MergedConfig>(mergeInto, { tools: [], plugins: [], plain: {}, plainMentions: {} });
}

function mergeInto(base: MergedConfig, file: CheckedConfig): MergedConfig {
  const {
    extends: _extends,
    $schema: _$schema,
    model,
    instructions,
    store,
    files,
    unlock,
    queue,
    context,
    tools = [],
    plugins = [],
    ...plain
  } = file.config;
  const settings = { ...base.plain.settings, ...plain.settings };
  const permissions = mergePermissions(base.plain.permissions, plain.permissions);
  return {
    model: model === undefined ? base.model : mention(file, ['model'], model),
    instructions:
      instructions === undefined ? base.instructions : mention(file, ['instructions'], instructions),
    store: store === undefined ? base.store : mention(file, ['store'], store),
    files: files === undefined ? base.files : mention(file, ['files'], files),
    unlock: unlock === undefined ? base.unlock : mention(file, ['unlock'], unlock),
    queue: queue === undefined ? base.queue : mention(file, ['queue'], queue),
    context: context === undefined ? base.context : mention(file, ['context'], context),
    tools: [...base.tools, ...tools.map((tool, index) => mention(file, ['tools', index], tool))],
    plugins: mergePlugins(
      base.plugins,
      plugins.map((plugin, index) => toEntry(file, plugin, index)),
    ),
    plain: {
      ...base.plain,
      ...withoutUndefined(plain),
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
      ...(permissions === undefined ? {} : { permissions }),
    },
    plainMentions: { ...base.plainMentions, ...plainMentions(file, withoutUndefined(plain)) },
  };
}

/** Adds the rules of a config to those of the one that it extends, so that what a base denies stays denied. */
function mergePermissions(
  base: Permissions | undefined,
  own: Permissions | undefined,
): Permissions | undefined {
  if (base === undefined || own === undefined) return own ?? base;
  const lists = ruleLists.flatMap((list) => {
    const rules = [...new Set([...(base[list] ?? []), ...(own[list] ?? [])])];
    return rules.length === 0 ? [] : [[list, rules] as const];
  });
  return { ...base, ...own, ...Object.fromEntries(lists) };
}

function plainMentions(
  file: CheckedConfig,
  plain: MergedConfig['plain'],
): Record<string, SourcedMention<unknown>> {
  const { settings = {}, ...others } = plain;
  const paths = [
    ...Object.keys(others).map((key) => [key]),
    ...Object.keys(settings).map((key) => ['settings', key]),
  ];
  return Object.fromEntries(paths.map((path) => [path.join('.'), mention(file, path, undefined)]));
}

function toEntry(
  file: CheckedConfig,
  plugin: NonNullable<Config['plugins']>[number],
  index: number,
): SourcedMention<PluginConfigEntry> {
  if (typeof plugin !== 'string' && !isPlugin(plugin)) return mention(file, ['plugins', index], plugin);
  const short = mention(file, ['plugins', index], { use: plugin });
  // The short form has no `use`, so its location is that of the entry.
  return {
    ...short,
    locate: () => short.locate(),
    origin: ([key] = []) => (key === undefined || key === 'use' ? short.origin() : { from: 'default' }),
  };
}

/** Merges the entries of a file into those of its bases with the same id. Entries within one file are never merged. */
function mergePlugins(
  base: readonly SourcedMention<PluginConfigEntry>[],
  own: readonly SourcedMention<PluginConfigEntry>[],
): SourcedMention<PluginConfigEntry>[] {
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
 * Merges two entries of one id. If they name different plugins, the later entry replaces the earlier one. Otherwise the
 * name is resolved from the first file, where the plugin is installed.
 */
function mergeEntry(
  base: SourcedMention<PluginConfigEntry>,
  own: SourcedMention<PluginConfigEntry>,
): SourcedMention<PluginConfigEntry> {
  if (nameOf(base) !== nameOf(own)) return own;
  const written = withoutUndefined(own.value);
  const value = { ...base.value, ...written, use: base.value.use };
  const writer = ([key]: ConfigPath): SourcedMention<unknown> =>
    key === undefined || Object.hasOwn(written, key) ? own : base;
  return {
    value,
    directory: base.directory,
    locate: (path = [], part) => writer(path).locate(path, part),
    origin: (path = []) => writer(path).origin(path),
  };
}

function identityOf(entry: SourcedMention<PluginConfigEntry>): string {
  return entry.value.id ?? nameOf(entry);
}

function nameOf({ value: { use }, directory }: SourcedMention<PluginConfigEntry>): string {
  if (typeof use !== 'string') return use.definition.name;
  return isPath(use) ? resolve(directory, use) : shortName(use);
}

/** Returns a merged config in the form of a single file. */
export function flatten(merged: MergedConfig): Config {
  const { model, instructions, store, files, unlock, queue, context, tools, plugins, plain } = merged;
  return {
    ...plain,
    ...(model && { model: model.value }),
    ...(instructions && { instructions: instructions.value }),
    ...(store && { store: store.value }),
    ...(files && { files: files.value }),
    ...(unlock && { unlock: unlock.value }),
    ...(queue && { queue: queue.value }),
    ...(context && { context: context.value }),
    tools: tools.map(({ value }) => value),
    plugins: plugins.map(({ value }) => value),
  };
}

/** Returns the origin of the value at a path of the flattened config. */
export function originIn(merged: MergedConfig, path: ConfigPath): ValueOrigin {
  const [key = '', second, ...rest] = path;
  const inner = path.slice(1);
  switch (key) {
    case 'model':
    case 'instructions':
    case 'store':
    case 'files':
    case 'unlock':
    case 'queue':
    case 'context':
      return merged[key]?.origin(inner) ?? nobody;
    case 'tools':
    case 'plugins':
      return typeof second === 'number' ? (merged[key][second]?.origin(rest) ?? nobody) : nobody;
    case 'settings':
      return merged.plainMentions[`settings.${second}`]?.origin(rest) ?? nobody;
    default:
      return merged.plainMentions[key]?.origin(inner) ?? nobody;
  }
}

const nobody: ValueOrigin = Object.freeze({ from: 'default' });
