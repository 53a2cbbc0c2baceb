import { findPackage, packageAround, pluginManifest } from '@shallot/core/command';

import type { Project } from './find-project.ts';

/** The manifest group that lists a package, and its range. */
export interface Listing {
  readonly dev: boolean;
  readonly range: string;
}

/** Returns the entry of a package in a project's manifest; undefined if there is none. */
export function listedIn({ home }: Project, name: string): Listing | undefined {
  const manifest = packageAround(home)?.manifest;
  const groups = [
    [manifest?.dependencies, false],
    [manifest?.optionalDependencies, false],
    [manifest?.devDependencies, true],
  ] as const;
  for (const [group, dev] of groups) {
    const range = rangesOf(group)[name];
    if (range !== undefined) return { dev, range };
  }
  return undefined;
}

/** Returns the installed plugins that a project's manifest lists, with their versions. */
export function listedPlugins(
  project: Project,
): readonly { readonly name: string; readonly version: string }[] {
  const { home, directory } = project;
  const manifest = packageAround(home)?.manifest;
  const names = [manifest?.dependencies, manifest?.devDependencies, manifest?.optionalDependencies].flatMap(
    (group) => Object.keys(rangesOf(group)),
  );
  return [...new Set(names)].flatMap((name) => {
    const found = findPackage(name, directory);
    if (found === undefined || pluginManifest(found.manifest).plugin === undefined) return [];
    const { version } = found.manifest;
    return typeof version === 'string' ? [{ name, version }] : [];
  });
}

function rangesOf(group: unknown): Readonly<Record<string, string>> {
  if (typeof group !== 'object' || group === null) return {};
  return Object.fromEntries(
    Object.entries(group).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
