import { isObject } from '../base/is-object.ts';
import { configKeys } from './check/config-keys.ts';
import type { LoadedConfig } from './load-config.ts';
import type { ConfigPath } from './modules/locate.ts';
import type { ValueOrigin } from './value-origin.ts';

/** One value of a config: neither an object with members nor a list with items. */
export interface ConfigValue {
  readonly path: ConfigPath;
  /** May be a secret: pass what you show through a redactor of `LoadedConfig.redact`. */
  readonly value: unknown;
  readonly origin: ValueOrigin;
}

/**
 * Returns all values of a merged config, in the order of its keys in the reference, each with its origin. Keys that
 * nobody wrote are there with their defaults, if they have one.
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
  // An empty list of tools or plugins is what is left of none.
  if (members.length === 0) return path.length === 1 ? [] : [{ path, value, origin: origin(path) }];
  return members.flatMap(([key, member]) =>
    valuesIn(member, [...path, Array.isArray(value) ? Number(key) : key], origin),
  );
}

/** Whether a value is data with members: a config in code may also hold models, tools, plugins and functions. */
function isPlain(value: unknown): value is object {
  if (!isObject(value) || Object.getOwnPropertySymbols(value).length > 0) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Array.prototype) return true;
  const isRecord = prototype === Object.prototype || prototype === null;
  return isRecord && !Object.values(value).some((member) => typeof member === 'function');
}
