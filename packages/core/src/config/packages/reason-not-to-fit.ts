import { isObject } from '../../base/is-object.ts';
import { isInRange, isVersionRange } from '../../base/version-range.ts';
import { pluginManifest, type PackageManifest } from './manifest.ts';

/** The core that a plugin is to work with. */
export interface CoreVersions {
  /** The versions of the plugin API; there are several if the project has another copy of the core than the command. */
  readonly pluginApis: readonly string[];
  /** The version of the `@shallot/core` of the project, if it has one. */
  readonly core?: string | undefined;
}

/**
 * Why a version of a package does not work as a plugin of a core, by what its package.json says; undefined if it does.
 * Completes "1.2.0 does not fit: …".
 */
export function reasonNotToFit(manifest: unknown, { pluginApis, core }: CoreVersions): string | undefined {
  if (!isObject(manifest)) return 'the registry has no package.json of it';
  const { shallot, peerDependencies }: PackageManifest = manifest;
  const { plugin, api } = pluginManifest(manifest);
  if (plugin === undefined) return 'it is not a plugin: its package.json has no "shallot": { "plugin": … }';
  const written = isObject(shallot) ? shallot['api'] : undefined;
  if (written !== undefined && (api === undefined || !isVersionRange(api))) {
    return `its "shallot.api" is ${JSON.stringify(written)}, which is not a version range`;
  }
  const other = pluginApis.find((version) => api !== undefined && !isInRange(version, api));
  if (other !== undefined)
    return `it needs the plugin API ${String(api)}, and the installed core has ${other}`;
  const peer = isObject(peerDependencies) ? peerDependencies['@shallot/core'] : undefined;
  if (core === undefined || typeof peer !== 'string' || !isVersionRange(peer)) return undefined;
  return isInRange(core, peer, { includePrerelease: true })
    ? undefined
    : `it needs @shallot/core ${peer}, and ${core} is installed`;
}
