import { isAbsolute } from 'node:path';

/** Whether a name in a config is a path: it begins with `./` or `../`, or is absolute. */
export function isPath(name: string): boolean {
  return /^\.{1,2}(?:[/\\]|$)/.test(name) || isAbsolute(name);
}

/** Whether a file is a module that can be imported, by its ending. */
export function isModuleFile(name: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(name) && !/\.d\.[cm]?ts$/.test(name);
}

/** Whether a file is TypeScript, by its ending. */
export function isTypeScript(name: string): boolean {
  return /\.[cm]?tsx?$/.test(name);
}

/** Whether a name was most likely meant as a path, and lacks its `./`. */
export function looksLikeFile(name: string): boolean {
  return !isPath(name) && isModuleFile(name);
}

/**
 * What a plugin is called without the prefixes of packages: `memory` for `@shallot/plugin-memory`,
 * `@acme/tickets` for `@acme/shallot-plugin-tickets`.
 */
export function shortName(name: string): string {
  return name.replace(/^@shallot\/plugin-/, '').replace(/^(@[^/]+\/)?shallot-plugin-/, '$1');
}
