import { statSync } from 'node:fs';

import { isShallotError, ShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';

/** The primary result codes of SQLite that are handled separately (https://www.sqlite.org/rescode.html). */
const resultCode = {
  error: 1,
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  constraint: 19,
  notADb: 26,
};

/** Returns true if another connection has locked the database, so a retry may succeed. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === resultCode.busy || code === resultCode.locked;
}

/** Returns the `STORE_` error for an error of SQLite or the system; a `ShallotError` is returned as it is. */
export function storeError(path: string, error: unknown): ShallotError {
  if (isShallotError(error)) return error;
  if (isOutOfRange(error))
    return damaged(path, `it contains an unexpected number: ${messageOf(error)}`, error);
  switch (primaryCode(error) ?? resultCodeOf(error)) {
    case resultCode.busy:
    case resultCode.locked:
      return failed(path, 'is locked by another process', 'Try again later', error, true);
    case resultCode.readOnly:
      return failed(path, 'is read-only', 'Make the file and its directory writable', error);
    case resultCode.full:
      return failed(
        path,
        'cannot grow: the disk is full',
        'Free some space. Everything committed before is intact',
        error,
      );
    case resultCode.io:
      return failed(path, 'cannot be read or written', 'Check the disk and its free space', error);
    case resultCode.cantOpen:
      return failed(path, ...cannotOpen(path), error);
    case resultCode.corrupt:
    case resultCode.notADb:
    // The SQL is fixed: if it does not match the tables, they were altered.
    case resultCode.error:
    case resultCode.constraint:
      return damaged(path, `SQLite says: ${messageOf(error)}`, error);
    default:
      return failed(path, 'failed', 'See the cause', error);
  }
}

function cannotOpen(path: string): [what: string, todo: string] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    return ['is a directory', 'Name a file, such as sessions.db in it'];
  return ['cannot be opened', 'Check that the file and its directory are readable and writable'];
}

/** Returns `STORE_DAMAGED`. Nothing is repaired or recreated, because that could lose data that can still be saved. */
export function damaged(path: string, what: string, cause?: unknown): ShallotError {
  return new ShallotError('STORE_DAMAGED', {
    message:
      `The session database ${path} is damaged: ${what}. It was left unchanged. Restore it from a backup, or recover what ` +
      `is left with \`sqlite3 ${path} .recover\`; to start over, move it and its -wal file away.`,
    cause,
  });
}

/** Returns `STORE_FAILED` for a database, with advice. */
export function failed(
  path: string,
  what: string,
  advice: string,
  cause?: unknown,
  transient = false,
): ShallotError {
  const said = cause === undefined ? '' : ` (${messageOf(cause)})`;
  return new ShallotError('STORE_FAILED', {
    message: `The session database ${path} ${what}${said}. ${advice}.`,
    cause,
    transient,
  });
}

/** Returns SQLite's code for a system error that occurred while Node created the file. */
function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return resultCode.full;
  return error.code === 'EROFS' ? resultCode.readOnly : resultCode.cantOpen;
}

/** Returns true for a number that JavaScript cannot represent; the store never writes one. */
function isOutOfRange(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}

/** Returns the low byte of the extended code on errors of `node:sqlite`. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}
