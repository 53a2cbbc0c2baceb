import { dirname } from 'node:path';

import { isShallotError, type SourceLocation } from '../../base/errors.ts';
import { currentPlugin } from '../../hooks/plugin-context.ts';
import { packageAround } from '../packages/find-package.ts';
import { pluginOfFile } from './plugin-files.ts';
import { isUsers, stackPlaces } from './stack-places.ts';
import { whereNamed } from './where-thrown.ts';

/** Whose error one is that nobody waited for, as far as its stack tells. */
export interface Thrower {
  /** The plugin that a config names, by its id or name. */
  readonly plugin?: string;
  /** The innermost place in a file of the user's, else of the plugin's, else of any package but ours. */
  readonly at?: SourceLocation;
  /** Whether the whole stack is ours, and nobody else is named. */
  readonly isOurs: boolean;
}

/**
 * Finds whose error something is that no hook threw: by the files of its stack, else, once `trackPlugins` was called, by whose
 * code is running.
 */
export function whoThrew(error: unknown): Thrower {
  const places = [...stackPlaces(error)];
  const inPlugin = places.find(({ file }) => pluginOfFile(file) !== undefined);
  const named = isShallotError(error) ? error.plugin : undefined;
  const plugin = named ?? (inPlugin === undefined ? currentPlugin() : pluginOfFile(inPlugin.file));
  const users = places.find(({ file }) => isUsers(file) && !isOurs(file));
  const at = users ?? inPlugin ?? places.find(({ file }) => !isOurs(file)) ?? whereNamed(error);
  return {
    ...(plugin === undefined ? {} : { plugin }),
    ...(at === undefined ? {} : { at }),
    isOurs: places.length > 0 && at === undefined && plugin === undefined,
  };
}

/** Whether a file is the core's or the command's, wherever they are installed. */
function isOurs(file: string): boolean {
  const { name = '' } = packageAround(dirname(file)) ?? {};
  return name === '@shallot/core' || name === 'shallot';
}
