import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { ShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import { createWhole } from '../base/whole-file.ts';

/** The format of a key file: 256 bits in base64url. */
const fileFormat = /^[\w-]{43}$/;

/** The key of this process if there is no other; lost when the process ends. */
const ofProcess = newKey();

/**
 * Returns a function that returns the secret in a key file, 256 random bits in base64url. The file is created on first
 * use if its directory exists, readable only for its owner; without the directory, the secret lasts as long as this
 * process. Several purposes share a file: derive a key for each. @throws `KEY_INVALID` for an invalid file; the returned
 * function throws it if the file cannot be created
 */
export function keptKey(path: string, platform: NodeJS.Platform = process.platform): () => string {
  let known = readKey(path, platform);
  return () => (known ??= existsSync(dirname(path)) ? makeKey(path, platform) : ofProcess);
}

function readKey(path: string, platform: NodeJS.Platform): string | undefined {
  if (!existsSync(path)) return undefined;
  let secret: string;
  let mode: number;
  try {
    ({ mode } = statSync(path));
    secret = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw invalid(
      path,
      `cannot be read: ${messageOf(error)}`,
      'Make it readable for the user of this process',
    );
  }
  // Windows does not express read permissions in the mode.
  if (platform !== 'win32' && (mode & 0o077) !== 0)
    throw invalid(
      path,
      `can be read by others (mode ${(mode & 0o777).toString(8)})`,
      `Run chmod 600 ${path}`,
    );
  if (!fileFormat.test(secret))
    throw invalid(
      path,
      secret === '' ? 'is empty' : 'does not hold a key of 43 characters in base64url',
      'Restore it from a backup, or delete it: values that were sealed with it are lost then',
    );
  return secret;
}

/** Creates a key file. If another process creates it first, its key is used. */
function makeKey(path: string, platform: NodeJS.Platform): string {
  const secret = newKey();
  try {
    if (createWhole(path, `${secret}\n`)) return secret;
  } catch (error) {
    throw invalid(
      path,
      `cannot be made: ${messageOf(error)}`,
      'Make its folder writable, or give a key in the options',
    );
  }
  return readKey(path, platform) ?? makeKey(path, platform);
}

function newKey(): string {
  return randomBytes(32).toString('base64url');
}

function invalid(path: string, what: string, remedy: string): ShallotError {
  return new ShallotError('KEY_INVALID', { message: `The key file ${path} ${what}. ${remedy}.` });
}
