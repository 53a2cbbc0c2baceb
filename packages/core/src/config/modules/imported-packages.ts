import { statSync } from 'node:fs';
import { join, sep } from 'node:path';

import { isObject } from '../../base/is-object.ts';
import { filesOfPackage } from '../packages/files-of-package.ts';
import { findPackage, packageIn, type InstalledPackage } from '../packages/find-package.ts';
import type { ModuleExports } from './import-module.ts';

/**
 * A package that this process has imported. Node cannot unload it, so the running code and the manifest kept here may
 * differ from those on disk.
 */
interface ImportedPackage {
  readonly package: InstalledPackage;
  /** The time of the import, in milliseconds since 1970. */
  readonly since: number;
  /** The value of `uses` at its last use. */
  lastUse: number;
  /** The exports of its entries, by subpath. */
  readonly entries: Map<string, ImportedEntry>;
  /** All packages that it depends on, directly or indirectly. */
  readonly dependencies: readonly Dependency[];
}

export interface ImportedEntry {
  readonly file: string;
  readonly package: InstalledPackage;
  readonly exports: Promise<ModuleExports>;
}

interface Dependency {
  readonly name: string;
  /** The directory of the package that depends on it. */
  readonly of: string;
  readonly version: unknown;
}

/** Running code that differs from that on disk. */
export interface StaleCode {
  /** The name of a package, or the path of a file. */
  readonly name: string;
  readonly directory?: string;
  /** The running version and the one on disk; equal if only files differ. */
  readonly versions?: readonly [running: string, onDisk: string];
  /** A changed file, if the versions are equal. */
  readonly file?: string;
}

/** The imported packages by directory. */
const imported = new Map<string, ImportedPackage>();
/** Counts the uses of imported packages. */
let uses = 0;

/** Returns a marker for `stalePackages`, to ask for packages used after it. */
export function usesSoFar(): number {
  return uses;
}

/** Returns an entry of a package that was imported before; undefined if it was not. */
export function importedEntry(directory: string, subpath: string): ImportedEntry | undefined {
  return imported.get(directory)?.entries.get(subpath);
}

/** Imports an entry of a package once, and again only after a failure. */
export function keepImported(
  entry: Omit<ImportedEntry, 'exports'>,
  subpath: string,
  importing: () => Promise<ModuleExports>,
): Promise<ModuleExports> {
  const { entries } = noteImported(entry.package);
  const known = entries.get(subpath);
  if (known !== undefined) return known.exports;
  const exports = importing();
  entries.set(subpath, { ...entry, exports });
  // A failed import may be repeated; Node decides the outcome.
  exports.catch(() => entries.delete(subpath));
  return exports;
}

/** Notes that a package was imported. */
export function noteImported(one: InstalledPackage): ImportedPackage {
  const known = imported.get(one.directory);
  const noted = known ?? {
    package: one,
    since: Date.now(),
    lastUse: 0,
    entries: new Map(),
    dependencies: dependenciesOf(one),
  };
  noted.lastUse = uses += 1;
  imported.set(one.directory, noted);
  return noted;
}

/** Returns all direct and indirect dependencies of a package. */
function dependenciesOf(one: InstalledPackage): Dependency[] {
  const dependencies: Dependency[] = [];
  const packages = new Map([[one.directory, one]]);
  for (const { directory, manifest } of packages.values()) {
    for (const name of Object.keys(isObject(manifest.dependencies) ? manifest.dependencies : {})) {
      const found = findPackage(name, directory);
      if (found === undefined) continue;
      dependencies.push({ name, of: directory, version: found.manifest.version });
      if (!packages.has(found.directory)) packages.set(found.directory, found);
    }
  }
  return dependencies;
}

/**
 * Returns those of the packages used after a marker, and of their dependencies, whose code on disk has changed since the
 * import. Packages removed from the disk are not reported.
 */
export function stalePackages(after: number): StaleCode[] {
  const seen: Seen[] = [];
  for (const { package: one, since, lastUse, dependencies } of imported.values()) {
    if (lastUse <= after) continue;
    const { name, directory, manifest } = one;
    seen.push({ name, version: manifest.version, now: packageIn(directory, name), since });
    for (const dependency of dependencies) {
      const { version } = dependency;
      const now = findPackage(dependency.name, dependency.of);
      seen.push({ name: dependency.name, version, now, since });
    }
  }
  const stale = new Map<string, StaleCode>();
  for (const code of seen.flatMap((each) => stalePackage(each) ?? [])) stale.set(JSON.stringify(code), code);
  return [...stale.values()];
}

interface Seen {
  readonly name: string;
  readonly version: unknown;
  readonly now: InstalledPackage | undefined;
  readonly since: number;
}

function stalePackage({ name, version, now, since }: Seen): StaleCode | undefined {
  if (now === undefined) return undefined;
  const { directory, manifest } = now;
  const versions = [versionText(version), versionText(manifest.version)] as const;
  if (versions[0] !== versions[1]) return { name, directory, versions };
  // Packages linked from a workspace are reloaded instead.
  if (!directory.includes(`${sep}node_modules${sep}`)) return undefined;
  const file = filesOfPackage(directory).find((each) => isNewer(join(directory, each), since));
  return file === undefined ? undefined : { name, directory, versions, file };
}

function versionText(version: unknown): string {
  return typeof version === 'string' ? version : 'no version';
}

function isNewer(file: string, since: number): boolean {
  // The time of the import has no fractions of a millisecond.
  return Math.floor(statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > since;
}
