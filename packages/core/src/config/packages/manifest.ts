import { showValue } from '../../base/describe-value.ts';
import { isObject } from '../../base/is-object.ts';
import { isVersionRange } from '../../base/version-range.ts';
import { isPluginName } from '../../contract/plugin-names.ts';
import { pluginApi, type PluginDefinition } from '../../contract/plugin.ts';

/** What a plugin's package.json says of it under `shallot`. */
export interface PluginManifest {
  readonly plugin?: string;
  /** The range of the plugin API that it was written for. */
  readonly api?: string;
}

/** The fields of a package.json that loading looks at. Anybody may have written anything there. */
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

/** A package.json as an object; undefined if it is not one. */
export function parseManifest(text: string): PackageManifest | undefined {
  const manifest = tryJson(text);
  return isObject(manifest) ? manifest : undefined;
}

/** What a package that is a plugin says of itself. */
export function pluginManifest({ shallot }: PackageManifest): PluginManifest {
  if (!isObject(shallot)) return {};
  const { plugin, api } = shallot;
  return {
    ...(typeof plugin === 'string' ? { plugin } : {}),
    ...(typeof api === 'string' ? { api } : {}),
  };
}

/** Beyond what anybody writes, and checked at once. */
const longestRange = 256;

/** What a package.json says of a plugin and cannot mean. */
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

/** What a plugin's definition may leave to its package. */
export function versionAndApi(manifest: PackageManifest): Pick<PluginDefinition, 'version' | 'api'> {
  const { version } = manifest;
  const { api } = pluginManifest(manifest);
  return {
    ...(typeof version === 'string' ? { version } : {}),
    ...(api === undefined ? {} : { api }),
  };
}

/**
 * The config in a package.json, under `shallot`; undefined if there is none. With `plugin` or `api` in it, the same key
 * describes a plugin and is no config.
 */
export function manifestConfig(text: string): unknown {
  if (!text.includes('"shallot"')) return undefined;
  const manifest = tryJson(text);
  if (!isObject(manifest)) {
    // Broken, and it may hold a config: reading it will say what is wrong with it. A dependency of that name is none.
    return manifest === undefined && /"shallot"\s*:\s*[{[]/.test(text) ? {} : undefined;
  }
  const { shallot } = manifest;
  if (isObject(shallot) && ('plugin' in shallot || 'api' in shallot)) return undefined;
  return shallot;
}

function tryJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // Undefined is nothing that JSON can say.
    return undefined;
  }
}
