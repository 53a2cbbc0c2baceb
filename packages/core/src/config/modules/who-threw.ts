import { dirname } from 'node:path';

import { isShallotError, type SourceLocation } from '../../base/errors.ts';
import { currentPlugin } from '../../hooks/plugin-context.ts';
import { packageAround } from '../packages/find-package.ts';
import { pluginOfFile } from './plugin-files.ts';
import { isUsers, stackPlaces } from './stack-places.ts';
import { whereNamed } from './where-thrown.ts';

/** The origin of an uncaught error, as far as its stack shows it. */
export interface Thrower {
  /** The plugin's id or name in the config. */
  readonly plugin?: string;
  /** The innermost location in a user's file, else in the plugin, else in any package except Shallot's. */
  readonly at?: SourceLocation;
  /** True if the whole stack is Shallot's, and no plugin or location is known. */
  readonly isOurs: boolean;
}

/**
 * Finds the origin of an error that was not thrown in a hook. The plugin is the one that the error names, else the one
 * with a file in the stack, else, after `trackPlugins`, the one whose code is running.
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

/** Returns true for files of the core or the command, wherever they are installed. */
function isOurs(file: string): boolean {
  const { name = '' } = packageAround(dirname(file)) ?? {};
  return name === '@shallot/core' || name === 'shallot';
}
