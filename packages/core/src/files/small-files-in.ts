import { closeSync, constants, readSync } from 'node:fs';
import { sep } from 'node:path';

import { isShallotError } from '../base/errors.ts';
import type { SmallFiles } from './files.ts';
import type { OpenDirectory } from './open-directory.ts';
import { joinPath } from './path.ts';
import type { Protection } from './protection/protection.ts';
import { openRegularFile } from './regular-file.ts';

/** The size from which a file is not small. */
const largeBytes = 64 * 1024;

/** Returns the small files of an open directory, which is closed with them. Each is opened once, and read in one piece. */
export function smallFilesIn(directory: OpenDirectory, protection: Protection): SmallFiles {
  const buffer = Buffer.allocUnsafe(largeBytes);
  const { root, names } = directory;

  function read(name: string): Buffer | undefined {
    if (name.includes('/') || name.includes(sep) || name === '..') return undefined;
    const all = [...names, name];
    if (!protection.isShown({ root, names: all })) return undefined;
    const fd = openRegularFile({ directory, name }, joinPath(all), constants.O_RDONLY);
    if (fd === undefined) return undefined;
    try {
      const size = readSync(fd, buffer, 0, largeBytes, 0);
      return size < largeBytes ? buffer.subarray(0, size) : undefined;
    } finally {
      closeSync(fd);
    }
  }

  return {
    read(name) {
      try {
        return read(name);
      } catch (error) {
        // Links, and names that lead elsewhere, are left to `read` with the whole path.
        if (isShallotError(error) || isSystemError(error)) return undefined;
        throw error;
      }
    },
    close: () => directory.close(),
  };
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
