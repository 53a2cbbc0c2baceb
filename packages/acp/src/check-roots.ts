import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';

import { RequestError, type NewSessionRequest } from '@agentclientprotocol/sdk';

/** @throws a request error unless the directories of a session are some */
export async function checkRoots({
  cwd,
  additionalDirectories = [],
}: Pick<NewSessionRequest, 'cwd' | 'additionalDirectories'>): Promise<void> {
  await check('cwd', cwd);
  for (const directory of additionalDirectories) await check('additionalDirectories', directory);
}

async function check(what: string, directory: string): Promise<void> {
  const problem = isAbsolute(directory)
    ? await stat(directory).then(
        (found) => (found.isDirectory() ? undefined : 'is not a directory'),
        () => 'does not exist',
      )
    : 'is not an absolute path';
  if (problem !== undefined)
    throw RequestError.invalidParams(
      { code: 'OPTION_INVALID' },
      `${what} ${JSON.stringify(directory)} ${problem}.`,
    );
}
