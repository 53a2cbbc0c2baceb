import { join, resolve } from 'node:path';

import type { Files } from '../files/files.ts';
import { diskFiles, memoryFiles, mountFiles } from '../files/index.ts';
import type { Config } from './config.ts';
import type { Mention } from './locate.ts';

/**
 * The files of an agent with a config: those of a directory, with what plugins write for themselves kept under
 * `.shallot/` of the config's directory.
 */
export function makeFiles(
  files: Mention<NonNullable<Config['files']>> | undefined,
  directory: string,
): Files {
  const { value } = files ?? {};
  if (typeof value === 'object') return value;
  if (value === 'memory') return memoryFiles();
  const root = files === undefined || value === undefined ? directory : resolve(files.directory, value);
  return mountFiles({
    '/': diskFiles(root),
    '/conversation_history/': diskFiles(join(directory, '.shallot', 'conversation_history')),
  });
}
