import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import { cosmiconfig, type Loader } from 'cosmiconfig';

import { ShallotError } from '../../base/errors.ts';
import { manifestConfig } from '../../base/json/manifest-config.ts';
import { reasonOf } from '../../base/thrown.ts';
import { parseManifest } from '../packages/manifest.ts';
import { configFormats } from './config-formats.ts';

/** The range of a search for a config. */
export interface SearchOptions {
  /** The last directory to search. */
  readonly stopDir: string;
  /** The file names to look for, besides `package.json`. */
  readonly fileNames: readonly string[];
  /** Searches without cosmiconfig, which fails if the working directory's package.json is invalid. */
  readonly byName: () => string | undefined;
}

/**
 * Returns the config of a directory or of the nearest one above it, found by cosmiconfig; undefined if there is none.
 * Parses and runs nothing. @throws `CONFIG_NOT_FOUND` if the search itself fails
 */
export async function searchUpwards(
  directory: string,
  { stopDir, fileNames, byName }: SearchOptions,
): Promise<string | undefined> {
  refuseSettingsThatRun();
  try {
    const explorer = cosmiconfig('shallot', {
      searchPlaces: [...fileNames, 'package.json'],
      // The loaders only locate files: cosmiconfig treats an ENOENT thrown by a config as a missing file, runs a config
      // that throws a second time, and caches the result.
      loaders: Object.fromEntries(
        [...Object.keys(configFormats), '.cjs'].map((ending) => [
          ending === '' ? 'noExt' : ending,
          onlyLocate,
        ]),
      ),
      stopDir,
      cache: false,
      // An empty file is a config too.
      ignoreEmptySearchPlaces: false,
    });
    return (await explorer.search(directory))?.filepath;
  } catch (error) {
    // cosmiconfig reads its own settings from the working directory's package.json and `.config/config.yaml`, which may
    // be invalid.
    if (isManifestBroken(resolve('package.json'))) return byName();
    const message = `The search for a config failed: ${reasonOf(error)}. Name the config file to use.`;
    throw new ShallotError('CONFIG_NOT_FOUND', { message, cause: error });
  }
}

function isManifestBroken(file: string): boolean {
  try {
    return parseManifest(readFileSync(file, 'utf8')) === undefined;
  } catch {
    // A missing or unreadable file did not stop the search.
    return false;
  }
}

/**
 * Rejects settings of cosmiconfig that are code in the working directory: it starts their import without awaiting it,
 * so that an error could not be caught. @throws `CONFIG_NOT_FOUND`
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
