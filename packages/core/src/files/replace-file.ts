import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  type BigIntStats,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { checkFileRevision } from './file-errors.ts';
import { withFileLock } from './file-lock.ts';
import type { Place } from './open-place.ts';
import { badPath } from './path.ts';
import { checkEntry, checkRegular, writeWhole } from './regular-file.ts';
import { revisionOf, setLaterThan } from './revision.ts';

const { O_WRONLY, O_CREAT, O_EXCL } = constants;
const fsyncAsync = promisify(fsync);

/** More than one tick of any file system's clock. */
const tickMs = 20;

/** Replaces a file by a complete one, if it has the expected revision. */
export async function replaceFile(
  place: Place,
  path: string,
  bytes: Uint8Array,
  ifRevision: string | null | undefined,
): Promise<string> {
  checkEntry(place, path);
  const revision = await withFileLock(place, path, async (temporary) => {
    const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o666);
    try {
      await writeWhole(fd, bytes);
      await fsyncAsync(fd);
      const before = statIn(place, path);
      checkFileRevision(path, ifRevision, before && revisionOf(before));
      if (before !== undefined) fchmodSync(fd, Number(before.mode & 0o777n));
      setLaterThan(fd, before);
      renameSync(temporary, place.directory.entry(place.name));
      return revisionOf(fstatSync(fd, { bigint: true }));
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    } finally {
      closeSync(fd);
    }
  });
  await flush(place);
  return revision;
}

/** Removes a file, or a link to one. Returns false if there is none. */
export async function removeFile(place: Place, path: string): Promise<boolean> {
  const removed = await withFileLock(place, path, async () => {
    const before = statIn(place, path, { allowLink: true });
    if (before === undefined) return false;
    // A file that replaces it, perhaps with the same inode, must get another time and so another revision.
    const ageMs = Date.now() - Number(before.ctimeNs / 1_000_000n);
    if (ageMs < tickMs) await sleep(tickMs - Math.max(ageMs, 0));
    unlinkSync(place.directory.entry(place.name));
    return true;
  });
  if (removed) await flush(place);
  return removed;
}

function statIn(
  { directory, name }: Place,
  path: string,
  { allowLink = false } = {},
): BigIntStats | undefined {
  if (!directory.isInPlace()) throw badPath(path, 'was moved while it was being written');
  const stats = lstatSync(directory.entry(name), { bigint: true, throwIfNoEntry: false });
  if (stats !== undefined && !(allowLink && stats.isSymbolicLink())) checkRegular(stats, path);
  return stats;
}

/** Flushes renames and removals to disk, where the system supports it for directories. */
async function flush({ directory }: Place): Promise<void> {
  if (directory.fd !== undefined) await fsyncAsync(directory.fd);
}
