import { ShallotError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import { isInRange, isVersionRange } from '../../base/version-range.ts';
import type { PluginDefinition } from '../../contract/plugin.ts';
import { findPackage } from '../packages/find-package.ts';
import { installCommand } from '../packages/install-command.ts';
import { pluginManifest } from '../packages/manifest.ts';
import type { FoundModule, NamePlace } from './resolve-module.ts';

/**
 * Checks that a plugin's definition matches the manifest of its package, because compatibility was checked by the
 * manifest. @throws `PLUGIN_INVALID`
 */
export function checkManifest(
  { name, version, api }: PluginDefinition,
  module: FoundModule | undefined,
  { at, plugin }: NamePlace,
): void {
  if (module?.package === undefined) return;
  const { name: packageName, manifest } = module.package;
  const said = pluginManifest(manifest);
  // The manifest describes only the main entry; other entries may export other plugins.
  if (said.plugin !== undefined && said.plugin !== name && module.subpath !== '') return;
  const pairs = [
    ['shallot.plugin', said.plugin, 'name', name],
    ['version', typeof manifest.version === 'string' ? manifest.version : undefined, 'version', version],
    ['shallot.api', said.api, 'api', api],
  ] as const;
  const differing = pairs.filter(
    ([, inManifest, , defined]) =>
      inManifest !== undefined && defined !== undefined && inManifest !== defined,
  );
  if (differing.length === 0) return;
  const list = differing.map(
    ([key, inManifest, member, defined]) =>
      `"${key}" is "${inManifest}" but the definition's ${member} is "${defined}"`,
  );
  throw new ShallotError('PLUGIN_INVALID', {
    message: `The package.json of ${packageName} contradicts its plugin: ${list.join('; ')}. Make them equal; if the package is not yours, install another version of it.`,
    at,
    plugin: plugin ?? packageName,
  });
}

/** Returns warnings for peer dependencies of a plugin package that are missing or have another version. */
export function unmetPeers(module: FoundModule, { at, plugin, directory }: NamePlace): ShallotError[] {
  if (module.package === undefined) return [];
  const { name, directory: home, manifest } = module.package;
  const optional = membersOf(manifest.peerDependenciesMeta);
  return Object.entries(membersOf(manifest.peerDependencies)).flatMap(([peer, range]) => {
    if (typeof range !== 'string' || !isVersionRange(range)) return [];
    const found = findPackage(peer, home);
    const isOptional = membersOf(optional[peer])['optional'] === true;
    if (found === undefined && isOptional) return [];
    const version = found?.manifest.version;
    if (typeof version === 'string' && isInRange(version, range, { includePrerelease: true })) return [];
    const state = found === undefined ? 'is not installed' : `is installed in version ${String(version)}`;
    const message =
      `${name} ${String(manifest.version)} needs ${peer} ${range}, which ${state}. ` +
      `Install a matching version (${installCommand(`"${peer}@${range}"`, directory)}), or a version of ${name} that works with it.`;
    return [new ShallotError('PLUGIN_PEER', { message, at, plugin: plugin ?? name })];
  });
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
