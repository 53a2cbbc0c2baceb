import { isAbsolute } from 'node:path';

/** Returns true if a name in a config is a path: it begins with `./` or `../`, or is absolute. */
export function isPath(name: string): boolean {
  return /^\.{1,2}(?:[/\\]|$)/.test(name) || isAbsolute(name);
}

/** Returns true if a file's extension is that of a module. */
export function isModuleFile(name: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(name) && !/\.d\.[cm]?ts$/.test(name);
}

/** Returns true if a file's extension is that of TypeScript. */
export function isTypeScript(name: string): boolean {
  return /\.[cm]?tsx?$/.test(name);
}

/** Returns true if a name is probably a path without its `./`. */
export function looksLikeFile(name: string): boolean {
  return !isPath(name) && isModuleFile(name);
}

/**
 * Returns a plugin's name without the prefixes of packages: `memory` for `@shallot/plugin-memory`, `@acme/tickets` for
 * `@acme/shallot-plugin-tickets`.
 */
export function shortName(name: string): string {
  return name.replace(/^@shallot\/plugin-/, '').replace(/^(@[^/]+\/)?shallot-plugin-/, '$1');
}
