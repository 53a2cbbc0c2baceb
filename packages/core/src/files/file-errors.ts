import { isShallotError, ShallotError } from '../base/errors.ts';
import { messageOf, systemCode } from '../base/thrown.ts';
import { quotePath } from './path.ts';

/** Creates the error `FILE_NOT_FOUND`, for a path without a file. */
export function fileNotFound(path: string): ShallotError {
  return new ShallotError('FILE_NOT_FOUND', {
    message: `There is no file ${quotePath(path)}. List its directory to see what exists.`,
  });
}

/** Creates the error `FILE_KIND`, for something other than a regular file; `found` names it: `a directory`. */
export function notAFile(path: string, found: string): ShallotError {
  return new ShallotError('FILE_KIND', {
    message: `${quotePath(path)} is ${found}, not a regular file. Choose another path.`,
  });
}

export function notText(path: string): ShallotError {
  return new ShallotError('FILE_KIND', {
    message: `${quotePath(path)} is not text: it is binary, or not encoded as UTF-8. Choose another path, or save it as UTF-8.`,
  });
}

/** Creates the error `FILE_KIND`, for a file where a directory is expected. */
export function notADirectory(path: string): ShallotError {
  return new ShallotError('FILE_KIND', {
    message: `${quotePath(path)} is a file, not a directory. Choose another path.`,
  });
}

/** @throws `FILE_TOO_LARGE` when a file of `bytes` bytes is over the limit */
export function checkSize(path: string, bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new ShallotError('FILE_TOO_LARGE', {
    message: `${quotePath(path)} has ${bytes} bytes; the limit is ${maxBytes}. Split it, or raise \`maxBytes\`.`,
  });
}

/** Compares revisions for compare-and-swap; `found` is undefined if there is no file. @throws `FILE_CONFLICT` */
export function checkFileRevision(
  path: string,
  expected: string | null | undefined,
  found: string | undefined,
): void {
  if (expected === undefined || (expected ?? undefined) === found) return;
  const what =
    found === undefined
      ? `no longer exists; its revision was ${expected}`
      : expected === null
        ? `already exists, at revision ${found}`
        : `is at revision ${found}, not ${expected}: it has changed since it was read`;
  throw new ShallotError('FILE_CONFLICT', { message: `${quotePath(path)} ${what}. Read it again.` });
}

/** Returns `FILE_FAILED` for an error of the operating system; a `ShallotError` is returned as it is. */
export function fileFailed(path: string, doing: string, cause: unknown): ShallotError {
  if (isShallotError(cause)) return cause;
  const code = systemCode(cause);
  return new ShallotError('FILE_FAILED', {
    // Removes Node's ", open '…'", which names a path of the machine.
    message: `Could not ${doing} ${quotePath(path)}: ${messageOf(cause).replace(/, \w+ '.*/s, '')}.${adviceFor[code ?? ''] ?? ''}`,
    cause,
    transient: code !== undefined && transientCodes.has(code),
  });
}

const adviceFor: Readonly<Record<string, string>> = {
  EACCES: ' Check the owner of the file and its directory.',
  EPERM: ' Check the owner of the file and its directory.',
  EROFS: ' The disk is read-only.',
  ENOSPC: ' The disk is full: free some space.',
  EDQUOT: ' The quota is used up: free some space.',
  EMFILE: ' Too many files are open: do less in parallel, or raise `ulimit -n`.',
  ENFILE: ' Too many files are open on this machine.',
};

const transientCodes: ReadonlySet<string> = new Set(['EAGAIN', 'EBUSY', 'EMFILE', 'ENFILE', 'EINTR']);
