import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';

import { ShallotError } from '../../base/errors.ts';
import { issueSentence } from '../../options/option-shape.ts';
import { readWhole, type Option } from '../../options/option.ts';
import { formatPath } from '../modules/locate.ts';
import { Problems } from '../read/problems.ts';
import { readConfig } from '../read/read-config.ts';
import { refuseForeign } from '../read/refuse-foreign.ts';

/**
 * Reads a file of rules; undefined if it does not exist. @throws `CONFIG_INVALID`, `CONFIG_SYNTAX`, `CONFIG_FOREIGN`;
 * `SETUP_FAILED` for several faults: no agent starts if the file is only partly valid
 */
export async function readRules<T>(
  file: string,
  option: Option<T>,
  startTimeoutMs: number,
  user?: number,
): Promise<T | undefined> {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) {
    const message = `${file} is not a regular file. Replace it: rules behind a link could be anybody's.`;
    throw new ShallotError('CONFIG_INVALID', { message, at: { file } });
  }
  refuseForeign(file, dirname(file), user);
  const { value, locate } = await readConfig(file, startTimeoutMs);
  const { output, issues } = readWhole(option, value ?? {});
  const problems = new Problems();
  for (const { message, path } of issues) {
    const what = path.length === 0 ? 'The file' : formatPath(path);
    problems.add(
      new ShallotError('CONFIG_INVALID', {
        message: issueSentence(message, what, `key "${path.at(-1)}"`),
        at: locate(path),
      }),
    );
  }
  problems.throwIfAny(`The permissions in ${file} cannot be used`);
  return output;
}
