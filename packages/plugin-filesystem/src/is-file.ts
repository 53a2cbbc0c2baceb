import { isShallotError } from '@shallot/core';
import type { Files } from '@shallot/core/files';

/** Returns true if a path is that of a file, not of a directory. */
export async function isFile(files: Files, path: string): Promise<boolean> {
  if (path === '/') return false;
  try {
    return (await files.stat(path)) !== undefined;
  } catch (error) {
    if (isShallotError(error, 'FILE_KIND')) return false;
    throw error;
  }
}
