import { findPackage, splitName } from './find-package.ts';
import { installCommand, installListedCommand } from './install-command.ts';
import { shortName } from './names.ts';
import { dependenciesAround, nearestPackage } from './nearest-package.ts';
import { knownAs, type KnownAs } from './other-names.ts';
import { ownPackages, type PackageKind } from './own-packages.ts';

/** A package that is not installed. */
export interface MissingPackage {
  /** The name as written in the config. */
  readonly name: string;
  /** The candidate packages for the name. */
  readonly names: readonly string[];
  /** Undefined if the package is known to exist. */
  readonly kind?: PackageKind | undefined;
  readonly directory: string;
}

/**
 * Returns advice about a missing package. It suggests installing only known packages, because a misspelt name may
 * belong to a stranger.
 */
export function missingPackageAdvice({ name, names, kind, directory }: MissingPackage): string {
  if (kind === undefined) return `Run: ${installCommand(splitName(name).name, directory)}`;
  const listed = dependenciesAround(directory).find((dependency) => names.includes(dependency));
  if (listed !== undefined) {
    return `package.json lists ${listed}, but it is not installed. Run: ${installListedCommand(directory)}`;
  }
  const elsewhere = kind === 'plugin' ? knownAs(shortName(name)) : undefined;
  const near = nameOfOwn(elsewhere) ?? nearestPackage(name, kind, directory);
  if (near === undefined) return `Fix the name, or install the package it belongs to. ${known[kind]}`;
  const isOwn = ownPackages[kind].includes(near);
  const isThere = !isOwn || findPackage(near, directory) !== undefined;
  const command = installCommand(splitName(near).name, directory);
  if (names.includes(near)) return `Run: ${command}`;
  const isShort = kind === 'plugin' && !name.includes('plugin-');
  const option = elsewhere?.option === undefined ? '' : ` with the option ${elsewhere.option}`;
  const question = `Did you mean "${isShort ? shortName(near) : near}"${option}?`;
  return isThere ? question : `${question} Then run: ${command}`;
}

function nameOfOwn(known: KnownAs | undefined): string | undefined {
  return ownPackages.plugin.find((name) => shortName(name) === known?.plugin);
}

const known: Readonly<Record<PackageKind, string>> = {
  plugin: `Shallot's own plugins are ${ownPackages.plugin.map(shortName).join(', ')}.`,
  store: 'Built-in stores are memory and sqlite; a path starts with "./".',
  model: 'A path starts with "./".',
  tools: 'A path starts with "./".',
  config: 'A path starts with "./".',
  files: 'A path starts with "./".',
  queue: 'A path starts with "./".',
  context: 'A path starts with "./".',
};
