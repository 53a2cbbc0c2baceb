import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Creates an empty file beside a path, readable only by its owner, to be moved to the path when it is complete. Returns
 * its own path.
 */
export function newFileBeside(path: string): string {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  closeSync(openSync(temporary, 'wx', 0o600));
  return temporary;
}

/**
 * Creates a file that appears in one step, readable only by its owner: nobody finds a part of it. Returns false if the
 * path is taken.
 */
export function createWhole(path: string, text: string): boolean {
  const temporary = newFileBeside(path);
  try {
    writeFileSync(temporary, text);
    return moveIfFree(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Moves a complete file to its path. Returns false if the path is taken. */
export function moveIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (existsSync(to)) return false;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // A file system without hard links: a race of two processes here is accepted.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EOPNOTSUPP') throw error;
    renameSync(from, to);
    return true;
  }
}
