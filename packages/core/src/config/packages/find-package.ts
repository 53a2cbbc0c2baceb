import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { exports as resolveExports } from 'resolve.exports';

import { nearest } from '../../base/nearest.ts';
import { messageOf } from '../../base/thrown.ts';
import { parseManifest, type PackageManifest } from './manifest.ts';

/** An installed package. */
export interface InstalledPackage {
  readonly name: string;
  /** Its real directory, with symbolic links resolved, as in Node. */
  readonly directory: string;
  readonly manifest: PackageManifest;
}

/** Splits an import specifier: `@acme/tools/extra` is `extra` of `@acme/tools`. */
export function splitName(specifier: string): { readonly name: string; readonly subpath: string } {
  const segments = specifier.split('/');
  const length = specifier.startsWith('@') ? 2 : 1;
  return { name: segments.slice(0, length).join('/'), subpath: segments.slice(length).join('/') };
}

/** Returns true for a valid package name. */
export function isPackageName(name: string): boolean {
  return /^(?:@[^/\\@:\s]+\/)?[^/\\@:.\s][^/\\@:\s]*$/.test(name);
}

/**
 * Returns the package with this name from the nearest `node_modules` that has it, upwards from a directory; undefined if
 * there is none. Runs no code.
 */
export function findPackage(name: string, directory: string): InstalledPackage | undefined {
  if (!isPackageName(name)) return undefined;
  for (const current of directoriesUpwards(directory)) {
    const found = packageIn(join(current, 'node_modules', name), name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the package that contains a directory, if it has one of these names and can be imported from itself. */
export function findOwnPackage(names: readonly string[], directory: string): InstalledPackage | undefined {
  const own = packageAround(directory);
  return own !== undefined && names.includes(own.name) && own.manifest.exports !== undefined
    ? own
    : undefined;
}

/** Returns the package that contains a directory; undefined if there is none. */
export function packageAround(directory: string): InstalledPackage | undefined {
  for (const current of directoriesUpwards(directory)) {
    const found = packageIn(current);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns a directory and all its parents. */
export function directoriesUpwards(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...directoriesUpwards(parent)];
}

/**
 * Returns the package in a directory, under `name` if it is given, otherwise under the name in its manifest; undefined
 * without a manifest.
 */
export function packageIn(directory: string, name?: string): InstalledPackage | undefined {
  const file = join(directory, 'package.json');
  if (!existsSync(file)) return undefined;
  const manifest = parseManifest(readFileSync(file, 'utf8')) ?? {};
  const ownName = typeof manifest.name === 'string' ? manifest.name : '';
  return { name: name ?? ownName, directory: realpathSync.native(directory), manifest };
}

/**
 * Returns the file of a package entry, by the conditions of ES modules. (`createRequire` supports only those of
 * CommonJS, and `import.meta.resolve` only the importing module.) @throws an `Error` that names the missing entry
 */
export function packageEntry({ name, directory, manifest }: InstalledPackage, subpath = ''): string {
  if (manifest.exports === undefined || manifest.exports === null) return legacyEntry(directory, subpath);
  const conditions = ['node-addons', 'module-sync'];
  const entry = exportedEntry({ ...manifest, name }, subpath === '' ? '.' : `./${subpath}`, conditions);
  const file = join(directory, entry);
  if (!existsSync(file))
    throw new Error(`its package.json names ${entry}, which does not exist (was it built?)`);
  return realpathSync.native(file);
}

interface Exporting {
  readonly name: string;
  readonly exports?: unknown;
}

function exportedEntry(manifest: Exporting, path: string, conditions: readonly string[]): string {
  try {
    const [entry] = resolveExports(manifest, path, { conditions: [...conditions] }) ?? [];
    if (entry !== undefined) return entry;
  } catch (error) {
    if (!messageOf(error).startsWith('No known conditions')) throw pathMissing(path, manifest, error);
    const message = `the "exports" of its package.json have neither "import" nor "default" for "${path}"`;
    throw new Error(message, { cause: error });
  }
  throw pathMissing(path, manifest);
}

function pathMissing(path: string, { name, exports }: Exporting, cause?: unknown): Error {
  const entries = typeof exports === 'object' && exports !== null ? Object.keys(exports) : [];
  const near = nearest(path, entries);
  const advice = near === undefined ? '' : `; did you mean "${join(name, near).replaceAll('\\', '/')}"?`;
  return new Error(`its package.json does not export "${path}"${advice}`, { cause });
}

function legacyEntry(directory: string, subpath: string): string {
  const path = join(directory, subpath);
  if (subpath !== '' && existsSync(path) && statSync(path).isFile()) return realpathSync.native(path);
  try {
    return createRequire(join(directory, 'package.json')).resolve(path);
  } catch (error) {
    throw new Error(messageOf(error).split('\n', 1)[0], { cause: error });
  }
}
