import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

import { ShallotError } from '../../base/errors.ts';
import { messageOf } from '../../base/thrown.ts';

/** The `.env` file beside a config file. */
export interface EnvFile {
  /** Its absolute path. */
  readonly path: string;
  /** Its variables, as `node --env-file` reads them. */
  readonly values: Readonly<Record<string, string>>;
}

/** The `.env` of a directory; undefined if there is none. @throws `CONFIG_ENV` if it cannot be read */
export function readEnvFile(directory: string): EnvFile | undefined {
  const path = join(directory, '.env');
  try {
    // A directory, a pipe or a device of this name is something else.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    return { path, values: parseEnv(readFileSync(path, 'utf8')) as Record<string, string> };
  } catch (cause) {
    const message = `.env cannot be read: ${messageOf(cause)}. Make it readable, or remove it.`;
    throw new ShallotError('CONFIG_ENV', { message, at: { file: path }, cause });
  }
}
