import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, renameSync } from 'node:fs';

/** An empty file beside a path, which only its owner can read: what is made in it is moved to its place when it is whole. */
export function newFileBeside(path: string): string {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  closeSync(openSync(temporary, 'wx', 0o600));
  return temporary;
}

/** Gives a file its place, so that nobody ever meets half of it there. False when the place is taken: who has it keeps it. */
export function moveIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (existsSync(to)) return false;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // A file system without hard links: two processes that get here at once are unlikely enough.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EOPNOTSUPP') throw error;
    renameSync(from, to);
    return true;
  }
}
