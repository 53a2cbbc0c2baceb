import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { systemCode } from '../base/thrown.ts';
import { checkFileRevision } from './file-errors.ts';
import { withFileLock } from './file-lock.ts';
import type { Place } from './open-place.ts';
import { badPath } from './path.ts';
import { checkEntry, checkRegular, writeWhole } from './regular-file.ts';
import { revisionOf, setLaterThan } from './revision.ts';

const { O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const fsyncAsync = promisify(fsync);

/** Longer than one tick of any file system's clock, in milliseconds. */
const tickMs = 20;

/**
 * Replaces a file by a completely written one, if it has the expected revision; owner and mode stay. A file that has
 * several links, or whose owner a new file cannot have, is written in place.
 */
export async function replaceFile(
  place: Place,
  path: string,
  bytes: Uint8Array,
  ifRevision: string | null | undefined,
): Promise<string> {
  checkEntry(place, path);
  const change = { place, path, bytes, ifRevision };
  const revision = await withFileLock(place, path, async (temporary) => {
    const isLinked = (statIn(place, path)?.nlink ?? 1n) > 1n;
    const replaced = isLinked ? undefined : await moveOver(change, temporary);
    return replaced ?? (await writeInPlace(change, temporary));
  });
  await flush(place);
  return revision;
}

interface Change {
  readonly place: Place;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly ifRevision: string | null | undefined;
}

/**
 * Writes a new file and moves it over the old one. Returns undefined if the new file cannot have the owner of the old
 * one.
 */
async function moveOver(
  { place, path, bytes, ifRevision }: Change,
  temporary: string,
): Promise<string | undefined> {
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o666);
  try {
    await writeWhole(fd, bytes);
    await fsyncAsync(fd);
    const before = statIn(place, path);
    checkFileRevision(path, ifRevision, before && revisionOf(before));
    if (before !== undefined) {
      if (!takesOwner(fd, before)) {
        rmSync(temporary);
        return undefined;
      }
      // Set after the owner, because changing the owner clears the set-user-id bit.
      fchmodSync(fd, Number(before.mode & 0o7777n));
    }
    setLaterThan(fd, before);
    renameSync(temporary, place.directory.entry(place.name));
    return revisionOf(fstatSync(fd, { bigint: true }));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Gives a new file the owner and group of another. Returns false if this process lacks the permission. */
function takesOwner(fd: number, { uid, gid }: BigIntStats): boolean {
  const own = fstatSync(fd, { bigint: true });
  if (own.uid === uid && own.gid === gid) return true;
  try {
    fchownSync(fd, Number(uid), Number(gid));
    return true;
  } catch (error) {
    if (systemCode(error) === 'EPERM') return false;
    throw error;
  }
}

/** Copies a file, then overwrites it. If that fails, restores the content from the copy. */
async function writeInPlace({ place, path, bytes, ifRevision }: Change, copy: string): Promise<string> {
  const entry = place.directory.entry(place.name);
  const fd = openSync(entry, O_RDWR | O_NOFOLLOW);
  try {
    copyFileSync(entry, copy, constants.COPYFILE_EXCL);
    const before = statIn(place, path);
    checkFileRevision(path, ifRevision, before && revisionOf(before));
    try {
      await overwrite(fd, bytes);
    } catch (error) {
      await overwrite(fd, readFileSync(copy));
      throw error;
    }
    setLaterThan(fd, before);
    return revisionOf(fstatSync(fd, { bigint: true }));
  } finally {
    closeSync(fd);
    rmSync(copy, { force: true });
  }
}

async function overwrite(fd: number, bytes: Uint8Array): Promise<void> {
  ftruncateSync(fd, bytes.length);
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written, written);
  await fsyncAsync(fd);
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

/** Flushes renames and removals to disk, if the system supports this for directories. */
async function flush({ directory }: Place): Promise<void> {
  if (directory.fd !== undefined) await fsyncAsync(directory.fd);
}
