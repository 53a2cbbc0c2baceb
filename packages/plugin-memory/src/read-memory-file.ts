import { isShallotError, ShallotError } from '@shallot/core';
import type { Files, OwnOptions } from '@shallot/core/files';
import { isTransient, reasonOf } from '@shallot/core/plugin';

/** The maximum size of a memory file; larger files are logs or dumps. */
const maxFileBytes = 1024 * 1024;

/** A memory file as stored. */
export interface MemoryFile {
  readonly text: string;
  /** The byte order mark of the file, or an empty string. */
  readonly mark: string;
  readonly revision: string;
}

/** Reads a file; undefined if it is missing. @throws `memory/FILE_FAILED`, with the path, for any other fault */
export function readMemoryFile(
  files: Files,
  path: string,
  options: OwnOptions = {},
): Promise<MemoryFile | undefined> {
  return withPath(path, 'read', async () => {
    const stat = await files.stat(path, options);
    if (stat === undefined) return undefined;
    if (stat.size > maxFileBytes) {
      throw unfitFile(
        'FILE_TOO_LARGE',
        `it has ${stat.size} bytes; the limit for memory files is ${maxFileBytes}`,
      );
    }
    const file = await files.read(path, options).catch(undefinedIfMissing);
    if (file === undefined) return undefined;
    const text = decode(file.bytes);
    const mark = text.startsWith(byteOrderMark) ? byteOrderMark : '';
    return { text: text.slice(mark.length), mark, revision: file.revision };
  });
}

const byteOrderMark = '\uFEFF';

function decode(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unfitFile('FILE_KIND', 'it is not encoded as UTF-8');
  }
  if (text.includes('\0')) throw unfitFile('FILE_KIND', 'it is binary: it contains NUL bytes');
  return text;
}

/**
 * Returns a mark that changes with the file: its revision; null if it is missing; the code of the error if it cannot
 * be a memory file.
 * @throws `memory/FILE_FAILED` if that is unknown
 */
export async function markOf(files: Files, path: string, options: OwnOptions = {}): Promise<string | null> {
  try {
    const stat = await withPath(path, 'read', () => files.stat(path, options));
    return stat?.revision ?? null;
  } catch (error) {
    const code = unfitCode(error);
    if (code === undefined) throw error;
    return code;
  }
}

const unfitCodes: ReadonlySet<string> = new Set([
  'FILE_PATH',
  'FILE_KIND',
  'FILE_TOO_LARGE',
  'FILE_PROTECTED',
]);

/**
 * Returns the code of an error that means that a path has no text file of a suitable size; undefined for a failure of
 * the file service.
 */
export function unfitCode(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return isShallotError(cause) && unfitCodes.has(cause.code) ? cause.code : undefined;
}

function unfitFile(code: 'FILE_TOO_LARGE' | 'FILE_KIND', message: string): ShallotError {
  return new ShallotError(code, { message });
}

function undefinedIfMissing(error: unknown): undefined {
  if (isShallotError(error, 'FILE_NOT_FOUND')) return undefined;
  throw error;
}

/** Adds the path to an error of the files while a file is read or written. @throws `memory/FILE_FAILED` */
export async function withPath<T>(
  path: string,
  doing: 'read' | 'written',
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new ShallotError('memory/FILE_FAILED', {
      message: `The memory file ${JSON.stringify(path)} could not be ${doing}: ${reasonOf(cause)}. Fix it, or remove it from the sources.`,
      cause,
      transient: isTransient(cause),
    });
  }
}
