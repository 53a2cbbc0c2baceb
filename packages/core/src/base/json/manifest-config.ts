import { isObject } from '../is-object.ts';

/**
 * Returns the config in a package.json, under `shallot`; undefined if there is none. With `plugin` or `api`, the key
 * describes a plugin instead. Returns `{}` for a text that cannot be parsed but seems to contain a config.
 */
export function manifestConfig(text: string): unknown {
  if (!text.includes('"shallot"')) return undefined;
  const manifest = tryJson(text);
  if (!isObject(manifest)) {
    // A manifest that cannot be parsed may contain a config: reading it reports the syntax error. A dependency named
    // "shallot" does not match.
    return manifest === undefined && /"shallot"\s*:\s*[{[]/.test(text) ? {} : undefined;
  }
  const { shallot } = manifest;
  if (isObject(shallot) && ('plugin' in shallot || 'api' in shallot)) return undefined;
  return shallot;
}

/** Parses JSON; returns undefined if the text is not JSON. */
export function tryJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // JSON never yields undefined.
    return undefined;
  }
}
