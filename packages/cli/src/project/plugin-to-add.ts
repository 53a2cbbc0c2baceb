import { isShallotError, ShallotError } from '@shallot/core';
import {
  findPackage,
  isInRange,
  pluginCandidates,
  pluginManifest,
  shortName,
  type ManifestEntry,
} from '@shallot/core/command';

import { terminalAsker } from '../asking/terminal-asker.ts';
import { canAsk } from '../terminal/prompts.ts';
import { chooseVersion, type ChosenVersion } from './choose-version.ts';
import { listedIn } from './listed-plugins.ts';
import { nearlyNamed, publishedCandidates, readTypedName } from './typed-name.ts';
import type { Asking } from './versions-of.ts';

/** A plugin to add to a project. */
export interface PluginToAdd {
  readonly packageName: string;
  /** The name for the config. */
  readonly use: string;
  /** The entry that its package.json proposes. */
  readonly entry?: ManifestEntry | undefined;
  /** The version to install; undefined if it is installed. */
  readonly install?: ChosenVersion;
}

/**
 * Finds the package and version for a typed name. Asks about a name similar to a known one. @throws `PACKAGE_NAME`,
 * `PACKAGE_NOT_FOUND`, `PACKAGE_INCOMPATIBLE`, `REGISTRY_FAILED`
 */
export async function findPluginToAdd(typed: string, asking: Asking, isExact: boolean): Promise<PluginToAdd> {
  const { range, ...read } = readTypedName(typed);
  const name = isExact ? read.name : await confirmName(read.name, asking);
  const there = installedPlugin(name, asking);
  if (there !== undefined && (range === undefined || isInRange(there.version, range))) {
    return { packageName: there.name, use: useOf(name, there.name, asking), entry: there.entry };
  }
  const install = await choose(name, range, asking);
  return { packageName: install.name, use: useOf(name, install.name, asking), entry: install.entry, install };
}

/** Returns the installed package in the manifest that a name refers to; undefined if there is none. */
function installedPlugin(
  name: string,
  { project }: Asking,
): { name: string; version: string; entry: ManifestEntry | undefined } | undefined {
  const { directory } = project;
  return pluginCandidates(name).flatMap((candidate) => {
    const found = findPackage(candidate, directory);
    if (found === undefined || listedIn(project, candidate) === undefined) return [];
    const { version } = found.manifest;
    const { plugin, entry } = pluginManifest(found.manifest);
    return plugin !== undefined && typeof version === 'string' ? [{ name: candidate, version, entry }] : [];
  })[0];
}

async function confirmName(name: string, asking: Asking): Promise<string> {
  const { project, screen, signal } = asking;
  const near = nearlyNamed(name, project);
  if (near === undefined) return name;
  const short = shortName(near);
  if (!canAsk(screen.io)) {
    throw new ShallotError('PACKAGE_NAME', {
      message: `"${name}" is nearly "${short}" (${near}), and may be somebody else's package. Write "${short}", or confirm the name with --exact-name.`,
    });
  }
  return terminalAsker(
    screen,
    signal,
  )((prompts) =>
    prompts.choose(`"${name}" is nearly the name of a plugin that is known. Which one do you mean?`, [
      { value: short, label: short, hint: near },
      { value: name, label: name, hint: 'as typed; it may be anything' },
    ]),
  );
}

async function choose(name: string, range: string | undefined, asking: Asking): Promise<ChosenVersion> {
  const failures: ShallotError[] = [];
  const found: ChosenVersion[] = [];
  const candidates = publishedCandidates(name);
  for (const candidate of candidates) {
    try {
      const version = await chooseVersion(candidate, range, asking);
      if (version !== undefined) found.push(version);
    } catch (error) {
      if (!isShallotError(error, 'PACKAGE_INCOMPATIBLE')) throw error;
      failures.push(error);
    }
  }
  const [first, second] = found;
  if (first !== undefined && second !== undefined) {
    const message = `"${name}" can mean ${first.name} or ${second.name}. Write the full name of the one you mean.`;
    throw new ShallotError('PACKAGE_NAME', { message });
  }
  if (first !== undefined) return first;
  if (failures[0] !== undefined) throw failures[0];
  const { manager } = asking.project;
  throw new ShallotError('PACKAGE_NOT_FOUND', {
    message: `The registry of ${manager.name} has no package ${candidates.join(' or ')}. Fix the name, or the registry in the settings of ${manager.name}.`,
  });
}

/** Returns the typed name, or the package name if the typed one is ambiguous. */
function useOf(typed: string, packageName: string, { project: { directory } }: Asking): string {
  const others = pluginCandidates(typed).filter((candidate) => candidate !== packageName);
  return others.some((other) => findPackage(other, directory) !== undefined) ? packageName : typed;
}
