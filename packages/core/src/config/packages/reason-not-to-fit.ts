import { isObject } from '../../base/is-object.ts';
import { isInRange, isVersionRange } from '../../base/version-range.ts';
import { pluginManifest, type PackageManifest } from './manifest.ts';

/** The core that a plugin must be compatible with. */
export interface CoreVersions {
  /** The plugin API versions: several if the project and the command use different copies of the core. */
  readonly pluginApis: readonly string[];
  /** The version of `@shallot/core` in the project; undefined if it has none. */
  readonly core?: string | undefined;
}

/**
 * Returns the reason why a version of a package is not a compatible plugin, by its package.json; undefined if it is.
 * The text completes "1.2.0 does not fit: …".
 */
export function reasonNotToFit(manifest: unknown, { pluginApis, core }: CoreVersions): string | undefined {
  if (!isObject(manifest)) return 'the registry has no package.json of it';
  const { shallot }: PackageManifest = manifest;
  const { plugin, api } = pluginManifest(manifest);
  if (plugin === undefined) return 'it is not a plugin: its package.json has no "shallot": { "plugin": … }';
  const written = isObject(shallot) ? shallot['api'] : undefined;
  if (written !== undefined && (api === undefined || !isVersionRange(api))) {
    return `its "shallot.api" is ${JSON.stringify(written)}, which is not a version range`;
  }
  const other = pluginApis.find((version) => api !== undefined && !isInRange(version, api));
  if (other !== undefined)
    return `it needs the plugin API ${String(api)}, and the installed core has ${other}`;
  return reasonForPeer(manifest, core);
}

/**
 * Returns the reason why a package does not accept the core as its peer; undefined if it does, or declares no such peer.
 */
export function reasonForPeer(manifest: unknown, core: string | undefined): string | undefined {
  const { peerDependencies }: PackageManifest = isObject(manifest) ? manifest : {};
  const peer = isObject(peerDependencies) ? peerDependencies['@shallot/core'] : undefined;
  if (core === undefined || typeof peer !== 'string' || !isVersionRange(peer)) return undefined;
  return isInRange(core, peer, { includePrerelease: true })
    ? undefined
    : `it needs @shallot/core ${peer}, and ${core} is installed`;
}
