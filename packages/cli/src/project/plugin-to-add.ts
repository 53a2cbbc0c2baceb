import { isShallotError, ShallotError } from '@shallot/core';

import { canAsk, terminalPrompts } from '../terminal/prompts.ts';
import { chooseVersion, type ChosenVersion } from './choose-version.ts';
import { listedIn } from './listed-plugins.ts';
import { nearlyNamed, publishedCandidates, readTypedName } from './typed-name.ts';
import type { Asking } from './versions-of.ts';

/** A plugin that a project is to get. */
export interface PluginToAdd {
  readonly packageName: string;
  /** What the config is to call it. */
  readonly use: string;
  /** What is to be installed; absent if it is there already. */
  readonly install?: ChosenVersion;
}

/**
 * Finds the package that a typed name means, and its version. A name that is nearly a known one is asked about.
 * @throws `PACKAGE_NAME`, `PACKAGE_NOT_FOUND`, `PACKAGE_UNFIT`, `REGISTRY_FAILED`
 */
export async function findPluginToAdd(typed: string, asking: Asking, isExact: boolean): Promise<PluginToAdd> {
  const { project } = asking;
  const { range, ...read } = readTypedName(typed, project.tools);
  const name = isExact ? read.name : await confirmName(read.name, asking);
  const there = installedPlugin(name, asking);
  if (there !== undefined && (range === undefined || project.tools.isInRange(there.version, range))) {
    return { packageName: there.name, use: useOf(name, there.name, asking) };
  }
  const install = await choose(name, range, asking);
  return { packageName: install.name, use: useOf(name, install.name, asking), install };
}

/** A package that is installed and listed in the manifest, and is what a name means. */
function installedPlugin(name: string, { project }: Asking): { name: string; version: string } | undefined {
  const { tools, directory } = project;
  return tools.pluginCandidates(name).flatMap((candidate) => {
    const found = tools.findPackage(candidate, directory);
    if (found === undefined || listedIn(project, candidate) === undefined) return [];
    const { version } = found.manifest;
    const isPlugin = tools.pluginManifest(found.manifest).plugin !== undefined;
    return isPlugin && typeof version === 'string' ? [{ name: candidate, version }] : [];
  })[0];
}

async function confirmName(name: string, asking: Asking): Promise<string> {
  const { project, screen, signal } = asking;
  const near = nearlyNamed(name, project);
  if (near === undefined) return name;
  const short = project.tools.shortName(near);
  if (!canAsk(screen.io)) {
    throw new ShallotError('PACKAGE_NAME', {
      message: `"${name}" is nearly "${short}" (${near}), and may be somebody else's package. Write "${short}", or confirm the name with --exact-name.`,
    });
  }
  const prompts = await terminalPrompts(screen.io, signal);
  return prompts.choose(`"${name}" is nearly the name of a plugin that is known. Which one do you mean?`, [
    { value: short, label: short, hint: near },
    { value: name, label: name, hint: 'as typed; it may be anything' },
  ]);
}

async function choose(name: string, range: string | undefined, asking: Asking): Promise<ChosenVersion> {
  const failures: ShallotError[] = [];
  const found: ChosenVersion[] = [];
  const candidates = publishedCandidates(name, asking.project);
  for (const candidate of candidates) {
    try {
      const version = await chooseVersion(candidate, range, asking);
      if (version !== undefined) found.push(version);
    } catch (error) {
      if (!isShallotError(error, 'PACKAGE_UNFIT')) throw error;
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

/** The name as it was typed, unless it could mean another package that is installed, too. */
function useOf(typed: string, packageName: string, { project: { tools, directory } }: Asking): string {
  const others = tools.pluginCandidates(typed).filter((candidate) => candidate !== packageName);
  return others.some((other) => tools.findPackage(other, directory) !== undefined) ? packageName : typed;
}
