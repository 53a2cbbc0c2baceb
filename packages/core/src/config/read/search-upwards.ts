import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import { cosmiconfig, type Loader } from 'cosmiconfig';

import { ShallotError } from '../../base/errors.ts';
import { reasonOf } from '../../base/thrown.ts';
import { manifestConfig, parseManifest } from '../packages/manifest.ts';
import { configFormats } from './config-formats.ts';

/** Where a search for a config goes. */
export interface SearchOptions {
  /** The last directory that is looked into. */
  readonly stopDir: string;
  /** Besides `package.json`. */
  readonly fileNames: readonly string[];
  /** The same search without cosmiconfig, which does not begin beside a package.json that it cannot parse. */
  readonly byName: () => string | undefined;
}

/**
 * The config of a directory or of the nearest one above it, by cosmiconfig. Nothing of it is run or parsed.
 * @throws `CONFIG_NOT_FOUND` when the search itself fails
 */
export async function searchUpwards(
  directory: string,
  { stopDir, fileNames, byName }: SearchOptions,
): Promise<string | undefined> {
  refuseSettingsThatRun();
  try {
    const explorer = cosmiconfig('shallot', {
      searchPlaces: [...fileNames, 'package.json'],
      // Loading is done by others: cosmiconfig takes an ENOENT that a config throws for a missing file, runs a config
      // that throws a second time, and keeps what it has loaded.
      loaders: Object.fromEntries(
        [...Object.keys(configFormats), '.cjs'].map((ending) => [
          ending === '' ? 'noExt' : ending,
          onlyLocate,
        ]),
      ),
      stopDir,
      cache: false,
      // An empty file is a config as well: to go on to the next directory would be a surprise.
      ignoreEmptySearchPlaces: false,
    });
    return (await explorer.search(directory))?.filepath;
  } catch (error) {
    // It reads settings of its own: of the working directory's package.json and `.config/config.yaml`, which may be broken.
    if (isManifestBroken(resolve('package.json'))) return byName();
    const message = `The search for a config failed: ${reasonOf(error)}. Name the config file to use.`;
    throw new ShallotError('CONFIG_NOT_FOUND', { message, cause: error });
  }
}

function isManifestBroken(file: string): boolean {
  try {
    return parseManifest(readFileSync(file, 'utf8')) === undefined;
  } catch {
    // One that is not there, or cannot be read, is not what stopped the search.
    return false;
  }
}

/**
 * cosmiconfig looks in the working directory for settings of its own. Of those that are code it starts the import and
 * does not wait for it: a failure there could not be caught by anybody.
 */
function refuseSettingsThatRun(): void {
  const names = ['js', 'ts', 'cjs', 'mjs'].map((ending) => join('.config', `config.${ending}`));
  const name = names.find((candidate) => existsSync(resolve(candidate)));
  if (name === undefined) return;
  throw new ShallotError('CONFIG_NOT_FOUND', {
    message: `The search for a config would load ${name} as settings of cosmiconfig. Rename that file, or name the config file to use.`,
    at: { file: resolve(name) },
  });
}

const onlyLocate: Loader = (file, content) => {
  if (basename(file) !== 'package.json') return {};
  return manifestConfig(content) === undefined ? {} : { shallot: {} };
};
