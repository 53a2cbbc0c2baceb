import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readSync,
  write,
  type Stats,
} from 'node:fs';
import { promisify } from 'node:util';

import { systemCode } from '../base/thrown.ts';
import { notAFile } from './file-errors.ts';
import type { Place } from './open-place.ts';
import { badPath } from './path.ts';

/** Windows lacks the last two; `undefined` has no effect in a bitwise or. */
const { O_NOFOLLOW, O_NONBLOCK } = constants;

/** Reads up to this size are synchronous, which is faster than using another thread. */
const inlineBytes = 64 * 1024;

const readAsync = promisify(read);
const writeAsync = promisify(write);

/**
 * Opens a regular file; undefined if there is none and `flags` do not create it. Anything else is refused before it is
 * opened, because opening a device may have effects, and again by its handle. Nothing here waits for the other end of a
 * pipe. @throws `FILE_KIND`, or `FILE_PATH` if the directory was moved meanwhile
 */
export function openRegularFile(place: Place, path: string, flags: number): number | undefined {
  checkEntry(place, path);
  const { directory, name } = place;
  const fd = openEntry(directory.entry(name), path, flags);
  if (fd === undefined) return undefined;
  try {
    checkRegular(fstatSync(fd), path);
    if (!directory.isInPlace()) throw badPath(path, 'was moved while it was being opened');
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** @throws `FILE_KIND` if the entry exists and is not a regular file */
export function checkEntry({ directory, name }: Place, path: string): void {
  const there = lstatSync(directory.entry(name), { throwIfNoEntry: false });
  if (there !== undefined) checkRegular(there, path);
}

/** @throws `FILE_KIND` for anything but a regular file */
export function checkRegular(stats: Pick<Stats, 'isFile' | 'isDirectory'>, path: string): void {
  if (stats.isFile()) return;
  throw notAFile(path, stats.isDirectory() ? 'a directory' : 'a link, a pipe, a socket or a device');
}

function openEntry(entry: string, path: string, flags: number): number | undefined {
  try {
    return openSync(entry, flags | O_NOFOLLOW | O_NONBLOCK, 0o666);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return undefined;
    // The entry became a link, a pipe without a reader, or a directory meanwhile.
    if (code === 'ELOOP' || code === 'ENXIO' || code === 'EISDIR')
      throw notAFile(path, 'another kind of file by now');
    throw error;
  }
}

/** Reads `size` bytes of a file from `start`, or fewer at its end. */
export async function readPart(fd: number, start: number, size: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const bytesRead =
      size <= inlineBytes
        ? readSync(fd, buffer, filled, size - filled, start + filled)
        : (await readAsync(fd, buffer, filled, size - filled, start + filled)).bytesRead;
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Writes all bytes at the current position of the file. */
export async function writeWhole(fd: number, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await writeAsync(fd, bytes, written, bytes.length - written);
    written += bytesWritten;
  }
}
