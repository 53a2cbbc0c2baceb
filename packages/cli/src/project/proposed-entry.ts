import { ownPackages, shortName, type ManifestEntry } from '@shallot/core/command';

import type { PluginToAdd } from './plugin-to-add.ts';

/** An entry as it is written into a config. */
export type WrittenEntry = string | { readonly use: string; readonly options: ManifestEntry['options'] };

/** The reasons to write the entry that a package proposes. */
export interface Trust {
  /** True if a person sees the change and is asked about it. */
  readonly isAsked: boolean;
  /** The names of trusted plugins, as typed. */
  readonly names: readonly string[];
}

/**
 * Returns the entry to write for a plugin: the one that its package proposes if the package is ours, is trusted, or a
 * person decides; otherwise its name alone.
 */
export function entryToWrite(plugin: PluginToAdd, trust: Trust): WrittenEntry {
  return isTrusted(plugin, trust) ? proposedEntry(plugin) : plugin.use;
}

/** Returns the entry that a package proposes; the plugin's name if it proposes none. */
export function proposedEntry({ use, entry }: PluginToAdd): WrittenEntry {
  return entry === undefined ? use : { use, options: entry.options };
}

function isTrusted({ packageName, use }: PluginToAdd, { isAsked, names }: Trust): boolean {
  // Nobody else can publish in our scope.
  const isOwn = ownPackages.plugin.includes(packageName);
  return isOwn || isAsked || [use, packageName, shortName(packageName)].some((name) => names.includes(name));
}
