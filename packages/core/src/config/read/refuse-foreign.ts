import { lstatSync, statSync } from 'node:fs';
import { basename } from 'node:path';

import { ShallotError } from '../../base/errors.ts';

/**
 * Rejects a config file found by search that another user may have placed, for example in a shared directory: it must
 * belong to the user, to root, or to the owner of the directory in which the search started. `user` is that of the
 * process; on Windows, which has none, all files pass. @throws `CONFIG_FOREIGN`
 */
export function refuseForeign(file: string, start: string, user = process.geteuid?.()): void {
  if (user === undefined) return;
  const trusted = new Set([user, 0, statSync(start).uid]);
  // For a symbolic link, both its owner and that of its target count.
  const owner = [lstatSync(file).uid, statSync(file).uid].find((uid) => !trusted.has(uid));
  if (owner === undefined) return;
  throw new ShallotError('CONFIG_FOREIGN', {
    message:
      `${basename(file)} belongs to the user ${owner}, not to you (${user}), root, or the owner of ${start}, ` +
      'where the search started. It was not read, because a config can run code. If you trust it, name it with --config, or with `path` in code.',
    at: { file },
  });
}
