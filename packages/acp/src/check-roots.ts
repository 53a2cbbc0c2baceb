import { stat } from 'node:fs/promises';
import { isAbsolute, parse, resolve } from 'node:path';

import { RequestError, type NewSessionRequest } from '@agentclientprotocol/sdk';

/** The longest directory, in bytes, that is kept with a session. */
const maxCwdBytes = 500;

/**
 * Checks the directories of a session. @throws a request error unless all of them are directories, and `cwd` can be
 * stored with the session
 */
export async function checkRoots({
  cwd,
  additionalDirectories = [],
}: Pick<NewSessionRequest, 'cwd' | 'additionalDirectories'>): Promise<void> {
  await check('cwd', cwd);
  checkKept(cwd);
  for (const directory of additionalDirectories) await check('additionalDirectories', directory);
}

/** Refuses a directory whose path is too long or has control characters, and the root of the file system. */
function checkKept(cwd: string): void {
  const directory = resolve(cwd);
  const bytes = Buffer.byteLength(directory);
  if (directory === parse(directory).root)
    throw refused(
      `cwd ${JSON.stringify(cwd)} is the root of the file system. Open the directory of a project: the session's files are all that is in it.`,
    );
  if (bytes > maxCwdBytes)
    throw refused(
      `cwd has ${bytes} bytes, and a session keeps at most ${maxCwdBytes}: ${JSON.stringify(cwd)}. Open it by a shorter path, such as a link.`,
    );
  if (/\p{Cc}/u.test(directory))
    throw refused(
      `cwd ${JSON.stringify(cwd)} contains a control character. Open it by another path, such as a link.`,
    );
}

async function check(what: string, directory: string): Promise<void> {
  const problem = isAbsolute(directory)
    ? await stat(directory).then(
        (found) => (found.isDirectory() ? undefined : 'is not a directory'),
        () => 'does not exist',
      )
    : 'is not an absolute path';
  if (problem !== undefined) throw refused(`${what} ${JSON.stringify(directory)} ${problem}.`);
}

function refused(message: string): RequestError {
  return RequestError.invalidParams({ code: 'OPTION_INVALID' }, message);
}
