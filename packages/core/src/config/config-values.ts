import { isObject } from '../base/is-object.ts';
import { configKeys } from './check/config-keys.ts';
import type { LoadedConfig } from './load-config.ts';
import type { ConfigPath } from './modules/locate.ts';
import type { ValueOrigin } from './value-origin.ts';

/** A single value of a config, not an object or list. */
export interface ConfigValue {
  readonly path: ConfigPath;
  /** May be a secret: redact it with the options of `LoadedConfig.redact` before you show it. */
  readonly value: unknown;
  readonly origin: ValueOrigin;
}

/**
 * Returns all values of a merged config in the order of the reference, each with its origin. Keys that are not set
 * appear with their defaults, if any.
 */
export function configValues({ config, origin }: Pick<LoadedConfig, 'config' | 'origin'>): ConfigValue[] {
  return Object.entries(configKeys).flatMap(([key, { fallback }]) => {
    const written: unknown = Reflect.get(config, key);
    const value = written ?? fallback;
    return value === undefined ? [] : valuesIn(value, [key], origin);
  });
}

function valuesIn(value: unknown, path: ConfigPath, origin: LoadedConfig['origin']): ConfigValue[] {
  if (!isPlain(value)) return [{ path, value, origin: origin(path) }];
  const members = Object.entries(value);
  // An empty list or object counts as a value, except at the top level.
  if (members.length === 0) return path.length === 1 ? [] : [{ path, value, origin: origin(path) }];
  return members.flatMap(([key, member]) =>
    valuesIn(member, [...path, Array.isArray(value) ? Number(key) : key], origin),
  );
}

/** Returns true for plain objects and lists; configs in code may also contain models, tools, plugins and functions. */
function isPlain(value: unknown): value is object {
  if (!isObject(value) || Object.getOwnPropertySymbols(value).length > 0) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Array.prototype) return true;
  const isRecord = prototype === Object.prototype || prototype === null;
  return isRecord && !Object.values(value).some((member) => typeof member === 'function');
}
