import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

import { ShallotError } from '../../base/errors.ts';
import { messageOf } from '../../base/thrown.ts';

/** The `.env` file beside a config file. */
export interface EnvFile {
  /** The absolute path. */
  readonly path: string;
  /** The variables, as `node --env-file` reads them. */
  readonly values: Readonly<Record<string, string>>;
}

/** Reads the `.env` file of a directory; undefined if there is none. @throws `CONFIG_ENV` if it cannot be read */
export function readEnvFile(directory: string): EnvFile | undefined {
  const path = join(directory, '.env');
  try {
    // Ignores directories, pipes and devices of this name.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    return { path, values: parseEnv(readFileSync(path, 'utf8')) as Record<string, string> };
  } catch (cause) {
    const message = `.env cannot be read: ${messageOf(cause)}. Make it readable, or remove it.`;
    throw new ShallotError('CONFIG_ENV', { message, at: { file: path }, cause });
  }
}
