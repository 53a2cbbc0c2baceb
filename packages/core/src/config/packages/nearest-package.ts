import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { isObject } from '../../base/is-object.ts';
import { likeness } from '../../base/nearest.ts';
import { directoriesUpwards, findPackage, packageIn } from './find-package.ts';
import { pluginManifest } from './manifest.ts';
import { ownPackages, type PackageKind } from './own-packages.ts';

/**
 * Returns the known name most similar to a mistyped one: of built-in stores, our own packages, installed plugins, or
 * dependencies in the manifests above. Undefined if none is similar. Scopes and prefixes are ignored.
 */
export function nearestPackage(name: string, kind: PackageKind, directory: string): string | undefined {
  const builtIn = kind === 'store' ? ['memory', 'sqlite'] : [];
  const installed = kind === 'plugin' ? installedPlugins(directory) : dependenciesAround(directory);
  const [best] = [...builtIn, ...ownPackages[kind], ...installed]
    .map((candidate) => ({ candidate, distance: distanceOf(partsOf(name), partsOf(candidate)) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best === undefined || best.distance === Number.POSITIVE_INFINITY ? undefined : best.candidate;
}

interface NameParts {
  readonly scope: string;
  readonly name: string;
}

function partsOf(packageName: string): NameParts {
  const [, scope = '', name = ''] =
    /^(?:@([^/]+)\/)?(?:(?:shallot-)?(?:plugin|store|model)-)?(.*)$/i.exec(packageName) ?? [];
  return { scope, name };
}

function distanceOf(word: NameParts, other: NameParts): number {
  return likeness(word.name, other.name) + (word.scope === '' ? 0 : likeness(word.scope, other.scope));
}

/** Returns the installed plugins, recognized by their name or, for direct dependencies, by their manifest. */
function installedPlugins(directory: string): string[] {
  const folders = directoriesUpwards(directory).map((current) => join(current, 'node_modules'));
  const listed = folders.flatMap((folder) =>
    list(folder).flatMap((name) =>
      name.startsWith('@') ? list(join(folder, name)).map((inner) => `${name}/${inner}`) : [name],
    ),
  );
  const isPlugin = /^(?:@shallot\/plugin-|(?:@[^/]+\/)?shallot-plugin-)/;
  const described = dependenciesAround(directory).filter((name) => {
    const found = findPackage(name, directory);
    return found !== undefined && pluginManifest(found.manifest).plugin !== undefined;
  });
  return [...listed.filter((name) => isPlugin.test(name)), ...described];
}

/** Returns the dependencies of the manifests above a directory. */
export function dependenciesAround(directory: string): string[] {
  return directoriesUpwards(directory).flatMap((current) => {
    const { dependencies: own, devDependencies: ofDevelopment } = packageIn(current)?.manifest ?? {};
    return [own, ofDevelopment].flatMap((group) => (isObject(group) ? Object.keys(group) : []));
  });
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A missing or unreadable folder yields no suggestions.
    return [];
  }
}
