import { dirname, join } from 'node:path';

import { ShallotError } from '../../base/errors.ts';
import { packageAround, type InstalledPackage } from '../packages/find-package.ts';
import { installCommand } from '../packages/install-command.ts';
import type { PackageManifest } from '../packages/manifest.ts';
import type { FoundModule, NamePlace } from './resolve-module.ts';

/**
 * Returns a warning if a plugin is installed only as a dependency of another package: no package.json from the config's
 * directory upwards lists it.
 */
export function unlistedPackage(
  { package: used }: FoundModule,
  { at, plugin, directory }: NamePlace,
): ShallotError | undefined {
  const [nearest, ...above] = packagesAbove(directory);
  if (used === undefined || nearest === undefined) return undefined;
  if ([nearest, ...above].some((each) => each.directory === used.directory || lists(each, used.name)))
    return undefined;
  return new ShallotError('PLUGIN_UNLISTED', {
    message:
      `${used.name} is installed, but neither ${join(nearest.directory, 'package.json')} nor any above it lists it as a dependency: ` +
      `it disappears when the package that depends on it does. Run: ${installCommand(used.name, directory)}`,
    at,
    plugin: plugin ?? used.name,
  });
}

function packagesAbove(directory: string): InstalledPackage[] {
  const found = packageAround(directory);
  if (found === undefined) return [];
  const parent = dirname(found.directory);
  return parent === found.directory ? [found] : [found, ...packagesAbove(parent)];
}

const lists = ({ manifest }: InstalledPackage, name: string): boolean =>
  dependencyKinds.some((kind) => {
    const listed = manifest[kind];
    return typeof listed === 'object' && listed !== null && Object.hasOwn(listed, name);
  });

const dependencyKinds = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
] as const satisfies (keyof PackageManifest)[];
