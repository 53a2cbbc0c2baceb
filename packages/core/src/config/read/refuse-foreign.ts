import { lstatSync, statSync } from 'node:fs';
import { basename } from 'node:path';

import { ShallotError } from '../../base/errors.ts';

/**
 * Refuses a file that a search came upon and that somebody else may have put there, in a directory that all can write to
 * for instance: it must belong to the user, to root, or to the owner of the directory where the search began. `user` is
 * the process's; where there are none (Windows), all pass.
 * @throws `CONFIG_FOREIGN`
 */
export function refuseForeign(file: string, start: string, user = process.geteuid?.()): void {
  if (user === undefined) return;
  const trusted = new Set([user, 0, statSync(start).uid]);
  // Of a link, both count: who made it, and who can change what it leads to.
  const owner = [lstatSync(file).uid, statSync(file).uid].find((uid) => !trusted.has(uid));
  if (owner === undefined) return;
  throw new ShallotError('CONFIG_FOREIGN', {
    message:
      `${basename(file)} belongs to the user ${owner}, not to you (${user}), root, or the owner of ${start}, ` +
      'where the search started. It was not read, because a config can run code. If you trust it, name it with --config, or with `path` in code.',
    at: { file },
  });
}
