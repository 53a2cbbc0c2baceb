import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ShallotError } from '../../base/errors.ts';
import { ownFolder } from '../../base/own-folder.ts';
import type { Plugin } from '../../contract/plugin.ts';
import { findPackage, packageAround, type InstalledPackage } from '../packages/find-package.ts';
import type { NamePlace } from './resolve-module.ts';

const coreName = '@shallot/core';

/**
 * Returns a warning if a plugin uses its own copy of the core: neither the running one nor the one that the config's
 * directory resolves to.
 */
export function coreCopyOf(
  { definition, madeIn }: Plugin,
  { at, plugin = definition.name, directory }: NamePlace,
): ShallotError | undefined {
  const own = packageAround(ownFolder);
  const used =
    madeIn?.startsWith('file:') === true ? packageAround(dirname(fileURLToPath(madeIn))) : undefined;
  if (used === undefined || own === undefined) return undefined;
  const shared = [own.directory, findPackage(coreName, directory)?.directory];
  if (shared.includes(used.directory)) return undefined;
  const message =
    used.name === coreName
      ? `${plugin} uses ${versionOf(used)} in ${used.directory}, and the agent ${versionOf(own)}. Both work together, but the core is loaded twice. ` +
        `Install a version of ${plugin} that accepts ${versionOf(own)}; its author should list the core under peerDependencies.`
      : `${plugin} contains a copy of ${coreName}, bundled into ${used.directory}. It works, but the core is loaded twice. ` +
        `Its author should list the core under peerDependencies, and leave it out of the bundle.`;
  return new ShallotError('CORE_DUPLICATE', { message, at, plugin });
}

function versionOf({ name, manifest: { version } }: InstalledPackage): string {
  return typeof version === 'string' ? `${name} ${version}` : `${name} (no version)`;
}
