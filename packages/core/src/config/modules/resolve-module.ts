import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { formatLocation, ShallotError, type SourceLocation } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { messageOf } from '../../base/thrown.ts';
import {
  findOwnPackage,
  findPackage,
  isPackageName,
  packageEntry,
  splitName,
  type InstalledPackage,
} from '../packages/find-package.ts';
import { missingPackageAdvice } from '../packages/missing-package.ts';
import { isModuleFile, isPath, looksLikeFile } from '../packages/names.ts';
import type { PackageKind } from '../packages/own-packages.ts';
import { importFile, importPackageEntry, type ModuleExports } from './import-module.ts';
import { importedEntry, keepImported } from './imported-packages.ts';
import { manifestFault } from './manifest-fault.ts';
import { isLocalFile } from './start-module.ts';

/** A resolved module that is not imported yet. */
export interface FoundModule {
  readonly file: string;
  /** Undefined for a local file. */
  readonly package?: InstalledPackage;
  /** The entry of a package; empty for its main entry. */
  readonly subpath?: string;
}

/** The location of a name, the directory to resolve it from, and the plugin to name in errors. */
export interface NamePlace {
  readonly directory: string;
  readonly at: SourceLocation;
  readonly plugin?: string;
}

/** Describes the module that a name should resolve to. */
export interface WantedModule {
  /** Undefined if the package is known to exist, so that errors can suggest installing it. */
  readonly kind?: PackageKind;
  /** The candidate packages for the name. Default: only the name itself. */
  readonly names?: readonly string[];
}

/**
 * Resolves a name in a config to a path or an installed package. @throws `MODULE_NOT_FOUND` with all candidates,
 * `MODULE_AMBIGUOUS` if several are installed
 */
export function resolveModule(
  name: string,
  place: NamePlace,
  { kind, names = [name] }: WantedModule,
): FoundModule {
  if (isPath(name)) return { file: resolveFile(name, place) };
  const [first, second] = findCandidates(names, place.directory);
  if (first === undefined) throw notInstalled(name, place, { kind, names });
  if (second !== undefined) {
    const list = [first, second]
      .map((found) => `${found.candidate} (${found.installed.directory})`)
      .join(' and ');
    throw failure(
      'MODULE_AMBIGUOUS',
      place,
      `"${name}" can mean ${list}. Write the full name of the one you mean.`,
    );
  }
  const { candidate, installed, subpath } = first;
  const known = importedEntry(installed.directory, subpath);
  // The imported code keeps running, so its manifest at that time counts.
  if (known !== undefined) return { file: known.file, package: known.package, subpath };
  try {
    return { file: packageEntry(installed, subpath), package: installed, subpath };
  } catch (error) {
    const reason = brokenManifest(installed) ?? messageOf(error);
    const message = `The package ${candidate} is installed in ${installed.directory}, but ${reason}. Reinstall it, or fix the name.`;
    throw failure('MODULE_NOT_FOUND', place, message, error);
  }
}

function brokenManifest({ directory }: InstalledPackage): string | undefined {
  const place = manifestFault(join(directory, 'package.json'));
  return place && `its package.json cannot be parsed (${formatLocation(place)})`;
}

interface Candidate {
  readonly candidate: string;
  readonly installed: InstalledPackage;
  readonly subpath: string;
}

/**
 * Returns the installed packages with these names, else the package that contains the directory if it has one of them.
 */
function findCandidates(names: readonly string[], directory: string): Candidate[] {
  const installed = names.flatMap((candidate) => {
    const { name, subpath } = splitName(candidate);
    const found = findPackage(name, directory);
    return found === undefined ? [] : [{ candidate, installed: found, subpath }];
  });
  if (installed.length > 0) return installed;
  const own = findOwnPackage(
    names.map((candidate) => splitName(candidate).name),
    directory,
  );
  return names
    .map((candidate) => ({ candidate, ...splitName(candidate) }))
    .flatMap(({ candidate, name, subpath }) =>
      own?.name === name ? [{ candidate, installed: own, subpath }] : [],
    );
}

/** Imports a resolved module. Errors carry the plugin of `place`. @throws `MODULE_FAILED`, `ESBUILD_MISSING` */
export async function importFound(found: FoundModule, place: NamePlace): Promise<ModuleExports> {
  try {
    return await importModule(found);
  } catch (error) {
    if (!(error instanceof ShallotError) || error.plugin !== undefined || place.plugin === undefined)
      throw error;
    const { code, message, at, cause } = error;
    throw new ShallotError(code, { message, plugin: place.plugin, at: at ?? place.at, cause });
  }
}

function importModule({ file, package: installed, subpath = '' }: FoundModule): Promise<ModuleExports> {
  // Packages linked from a workspace are reloaded after a change.
  if (installed === undefined || isLocalFile(file)) return importFile(file);
  return keepImported({ file, package: installed }, subpath, () => importPackageEntry(file));
}

/**
 * Returns the absolute path of an existing file. @throws `MODULE_NOT_FOUND` with the most similar name in its directory
 */
export function resolveFile(name: string, place: NamePlace): string {
  const file = resolve(place.directory, name);
  if (existsSync(file) && statSync(file).isFile()) return file;
  const problem = existsSync(file) ? 'is not a file' : 'does not exist';
  throw failure('MODULE_NOT_FOUND', place, `${file} ${problem}. ${similarFile(file)}`.trimEnd());
}

function similarFile(file: string): string {
  const directory = existsSync(file) ? file : dirname(file);
  if (!existsSync(directory)) return 'Write a path relative to the directory of the config file.';
  const names = readdirSync(directory);
  const like =
    nearest(basename(file), names) ??
    names.find((name) => isModuleFile(name) && name.startsWith(`${basename(file)}.`));
  return like === undefined ? 'Fix the path, or create the file.' : `Did you mean ${join(directory, like)}?`;
}

function notInstalled(
  name: string,
  place: NamePlace,
  { kind, names }: { readonly kind: PackageKind | undefined; readonly names: readonly string[] },
): ShallotError {
  const joined = /^use:(\S.*)$/.exec(name)?.[1];
  if (joined !== undefined) {
    const message = `"${name}" is missing a space after "use:". Write use: ${joined}`;
    return failure('MODULE_NOT_FOUND', place, message);
  }
  const local = resolve(place.directory, name);
  if (looksLikeFile(name) || existsSync(local)) {
    return failure(
      'MODULE_NOT_FOUND',
      place,
      `There is no package "${name}". Write "./${name}" to use the file.`,
    );
  }
  if (!isPackageName(splitName(name).name)) {
    const message = `"${name}" is neither a path nor a package name. Fix it.`;
    return failure('MODULE_NOT_FOUND', place, message);
  }
  const tried = names.length === 1 ? '' : ` (tried ${names.join(', ')})`;
  const advice = missingPackageAdvice({ name, names, kind, directory: place.directory });
  return failure('MODULE_NOT_FOUND', place, `No package for "${name}" is installed${tried}. ${advice}`);
}

function failure(
  code: 'MODULE_NOT_FOUND' | 'MODULE_AMBIGUOUS',
  { at, plugin }: NamePlace,
  message: string,
  cause?: unknown,
): ShallotError {
  return new ShallotError(code, { message, at, plugin, cause });
}
