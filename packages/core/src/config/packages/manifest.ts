import { showValue } from '../../base/describe-value.ts';
import { isObject } from '../../base/is-object.ts';
import type { JsonObject } from '../../base/json.ts';
import { tryJson } from '../../base/json/manifest-config.ts';
import { isVersionRange } from '../../base/version-range.ts';
import { isPluginName } from '../../contract/plugin-names.ts';
import { pluginApi, type PluginDefinition } from '../../contract/plugin.ts';

/** The part of a plugin's package.json under `shallot`. */
export interface PluginManifest {
  readonly plugin?: string;
  /** The plugin API range that the plugin supports. */
  readonly api?: string;
  /** The config entry that the package proposes for its plugin. */
  readonly entry?: ManifestEntry;
}

/** The keys of a config entry that a package proposes for its plugin. */
export interface ManifestEntry {
  readonly options: JsonObject;
}

/** The members of a package.json that loading uses. Their types are not validated. */
export interface PackageManifest {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly type?: unknown;
  readonly exports?: unknown;
  readonly packageManager?: unknown;
  readonly dependencies?: unknown;
  readonly devDependencies?: unknown;
  readonly optionalDependencies?: unknown;
  readonly peerDependencies?: unknown;
  readonly peerDependenciesMeta?: unknown;
  readonly shallot?: unknown;
}

/** Parses a package.json; undefined if it is not an object. */
export function parseManifest(text: string): PackageManifest | undefined {
  const manifest = tryJson(text);
  return isObject(manifest) ? manifest : undefined;
}

/** Returns the declarations of a plugin package about itself. */
export function pluginManifest({ shallot }: PackageManifest): PluginManifest {
  if (!isObject(shallot)) return {};
  const { plugin, api, entry } = shallot;
  return {
    ...(typeof plugin === 'string' ? { plugin } : {}),
    ...(typeof api === 'string' ? { api } : {}),
    ...(isManifestEntry(entry) ? { entry } : {}),
  };
}

/** Returns true for a short `{ "options": { … } }` and nothing else: a package does not choose its place among the others. */
function isManifestEntry(value: unknown): value is ManifestEntry {
  if (!isObject(value) || Object.keys(value).join() !== 'options') return false;
  const { options } = value;
  return isObject(options) && !Array.isArray(options) && JSON.stringify(options).length <= longestEntry;
}

/** The maximum length of an entry, in characters: a person has to read it before it is written. */
const longestEntry = 2000;

/** The maximum length of a range, which is checked before the range is parsed. */
const longestRange = 256;

/** Returns the faults of a plugin's declarations in its package.json. */
export function manifestFaults({ shallot }: PackageManifest): string[] {
  if (!isObject(shallot) || Array.isArray(shallot)) {
    const advice = 'write { "plugin": NAME, "api": RANGE }, or remove it';
    return shallot === undefined ? [] : [`"shallot" is ${showValue(shallot)}; ${advice}`];
  }
  const { plugin, api } = shallot;
  const isName = plugin === undefined || isPluginName(plugin);
  const isText = typeof api === 'string' && api.trim() !== '' && api.length <= longestRange;
  const isRange = api === undefined || (isText && isVersionRange(api));
  return [
    ...(isName
      ? []
      : [
          `"shallot.plugin" is ${showValue(plugin)}; write its name, of lower-case letters, digits and hyphens`,
        ]),
    ...(isRange ? [] : [`"shallot.api" is ${showValue(api)}; write a range such as "^${pluginApi}"`]),
  ];
}

/** Returns the parts of a plugin's definition that its package may provide. */
export function versionAndApi(manifest: PackageManifest): Pick<PluginDefinition, 'version' | 'api'> {
  const { version } = manifest;
  const { api } = pluginManifest(manifest);
  return {
    ...(typeof version === 'string' ? { version } : {}),
    ...(api === undefined ? {} : { api }),
  };
}
