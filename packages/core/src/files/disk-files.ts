import { closeSync, constants, fstatSync, ftruncate, fsync, type BigIntStats } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { isShallotError } from '../base/errors.ts';
import { asText, encodeContent } from './content.ts';
import { checkFileRevision, checkSize, fileFailed, fileNotFound } from './file-errors.ts';
import { withFileLock } from './file-lock.ts';
import {
  defaultMaxBytes,
  type FileContent,
  type FileStat,
  type DiskFilesOptions,
  type Files,
  type LinkOptions,
  type OwnOptions,
  type ReadBytesOptions,
  type ReadOptions,
  type SmallFiles,
  type WriteOptions,
} from './files.ts';
import { listDirectory } from './list-directory.ts';
import { openDirectory, openPlace, type Place } from './open-place.ts';
import { splitPath, splitRemoved, splitWithin } from './path.ts';
import { perKey } from './per-key.ts';
import { checkManifest } from './protection/check-manifest.ts';
import { protectIn } from './protection/loaded-files.ts';
import { Protection } from './protection/protection.ts';
import { noteWritten } from './protection/watch-loaded.ts';
import { realPath } from './real-path.ts';
import { checkEntry, openRegularFile, readPart, writeWhole } from './regular-file.ts';
import { isDirectory, removeTree } from './remove-tree.ts';
import { removeFile, replaceFile } from './replace-file.ts';
import { revisionOf, setLaterThan } from './revision.ts';
import { smallFilesIn } from './small-files-in.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_APPEND } = constants;
const fsyncAsync = promisify(fsync);
const ftruncateAsync = promisify(ftruncate);

/** The maximum number of attempts to read a file that changes during the read. */
const readAttempts = 5;

/**
 * Stores files in a directory of this machine. The first write creates the directory.
 *
 * No path leads out of the directory. On Linux this holds even while another process swaps directories for links, because
 * every name is resolved through the handle of its parent directory. Node has no such lookup on other systems: there,
 * checks detect a swap afterwards, except one that is made and undone between two checks. Links that stay inside are
 * followed. Other links, and anything that is not a regular file, are refused. Hard links cannot be distinguished from
 * files.
 *
 * Files that control the agent, and files that people's programs execute or rely on, are refused with `FILE_PROTECTED`;
 * see `docs/reference/protected-files.md`. @throws `OPTION_INVALID` for a name that `unlock` does not know
 *
 * A write is on disk when its promise resolves, and is atomic; if the machine crashes, part of an append may remain. A
 * write keeps a file's owner and mode. A file that has several links, or whose owner cannot be given to a new file, is
 * copied first and then written in place, which is not atomic. Writers of one file take turns, including those in other
 * processes that use `diskFiles` on the same machine. Directory lookups and small reads are synchronous, because they
 * take microseconds.
 */
export function diskFiles(
  root: string,
  { maxBytes = defaultMaxBytes, unlock }: DiskFilesOptions = {},
): Files {
  const base = resolve(root);
  const protection = new Protection(unlock);
  const disk: Disk = { base, protection };
  const inTurn = perKey();

  const files: Files = {
    root: base,

    list: (path, options = {}) =>
      told(path, 'list', async () => listDirectory(base, path, options, protection)),

    stat: (path, options) =>
      told(path, 'look at', async () =>
        using(placeToRead(disk, path, options), async (place) => {
          const fd = openRegularFile(place, path, O_RDONLY);
          return fd === undefined ? undefined : closing(fd, async () => toStat(statOf(fd)));
        }),
      ),

    read: (path, options) =>
      told(path, 'read', async () => {
        for (let attempt = 1; attempt <= readAttempts; attempt += 1) {
          const content = await using(placeToRead(disk, path, options), (place) =>
            readOnce(place, path, maxBytes, options),
          );
          if (content === undefined) throw fileNotFound(path);
          if (content !== 'changed') return content;
        }
        throw new Error(`it changed during each of ${readAttempts} attempts`);
      }),

    readText: async (path, options) => asText(path, await files.read(path, options)),

    smallFiles: (path, options) => told(path, 'look at', async () => openSmallFiles(disk, path, options)),

    realPath: (path) => told(path, 'look at', async () => realPath(base, path)),

    ...protectionOf(disk),

    write: (path, data, { ifRevision, own, noLinks } = {}) =>
      told(path, 'write', async () => {
        const bytes = encodeContent(data);
        checkSize(path, bytes.length, maxBytes);
        const key = splitPath(path).join('/');
        const create = typeof ifRevision !== 'string';
        const revision = await inTurn(key, () =>
          using(placeToWrite(disk, path, { create, own, noLinks }), (place) =>
            writeTo(place, path, bytes, { ifRevision, own }),
          ),
        );
        if (revision !== undefined) noteWritten(join(base, key));
        if (revision !== undefined) return revision;
        checkFileRevision(path, ifRevision, undefined);
        throw fileNotFound(path);
      }),

    append: (path, data, options = {}) =>
      told(path, 'append to', async () => {
        const bytes = encodeContent(data);
        checkSize(path, bytes.length, maxBytes);
        const revision = await inTurn(splitPath(path).join('/'), () =>
          using(placeToWrite(disk, path, { ...options, create: true }), (place) =>
            appendTo(place, path, bytes, { ...options, maxBytes }),
          ),
        );
        if (revision === undefined) throw fileNotFound(path);
        noteWritten(join(base, ...splitPath(path)));
        return revision;
      }),

    remove: (path, { recursive = false, own = false, noLinks } = {}) =>
      told(path, 'remove', async () => {
        const names = splitRemoved(path, recursive);
        const guard = own ? undefined : protection.guard('write', path);
        const at = { path, create: false, guard };
        if (guard !== undefined) checkTarget(base, names, { ...at, follow: true });
        const found = (): Place | undefined => openPlace(base, names, { ...at, noLinks, follow: false });
        const removed = await inTurn(names.join('/'), () =>
          using(found(), (place) =>
            recursive && isDirectory(place) ? removeTree(place, path, guard) : removeFile(place, path),
          ),
        );
        return removed ?? false;
      }),
  };
  return files;
}

type Maybe<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** A directory of this machine, with the protection of its files. */
interface Disk {
  readonly base: string;
  readonly protection: Protection;
}

function placeToWrite(
  { base, protection }: Disk,
  path: string,
  { create, own = false, noLinks }: Maybe<OwnOptions> & { readonly create: boolean },
): Place | undefined {
  const guard = own ? undefined : protection.guard('write', path);
  return openPlace(base, splitPath(path), { path, create, noLinks, follow: true, guard });
}

/** Returns the location of a file to read. Links are followed within `within`. */
function placeToRead(
  { base, protection }: Disk,
  path: string,
  { within, own = false, noLinks }: ReadOptions = {},
): Place | undefined {
  const guard = own ? undefined : protection.guard('read', path);
  if (within === undefined)
    return openPlace(base, splitPath(path), { path, create: false, noLinks, follow: true, guard });
  const { outer, inner } = splitWithin(path, within);
  const at = { path, create: false, noLinks };
  const directory = openDirectory(base, outer, at);
  return directory && openPlace(directory, inner, { ...at, within, follow: true, guard });
}

function protectionOf({ base, protection }: Disk): Pick<Files, 'isUnlocked' | 'protect'> {
  return {
    ...(protection.isAnyOpen && {
      isUnlocked: (path: string, access: 'read' | 'write') =>
        protection.opens({ root: base, names: splitPath(path, 'directory') }, access),
    }),
    protect: (glob, kind) => protectIn(base, glob, kind),
  };
}

function openSmallFiles(
  { base, protection }: Disk,
  path: string,
  { noLinks }: LinkOptions = {},
): SmallFiles | undefined {
  const guard = protection.guard('read', path);
  const names = splitPath(path, 'directory');
  const directory = openDirectory(base, names, { path, create: false, noLinks, guard });
  return directory && smallFilesIn(directory, protection);
}

/** Checks the target of a link that is to be removed. A link that leads out of the root may be removed. */
function checkTarget(...[base, names, options]: Parameters<typeof openPlace>): void {
  try {
    openPlace(base, names, options)?.directory.close();
  } catch (error) {
    if (!isShallotError(error, 'FILE_PATH')) throw error;
  }
}

async function readOnce(
  place: Place,
  path: string,
  maxBytes: number,
  { start = 0, length = Infinity }: ReadBytesOptions = {},
): Promise<FileContent | 'changed' | undefined> {
  const fd = openRegularFile(place, path, O_RDONLY);
  if (fd === undefined) return undefined;
  return closing(fd, async () => {
    const before = statOf(fd);
    const size = Math.max(0, Math.min(Number(before.size) - start, length));
    checkSize(path, size, maxBytes);
    const bytes = await readPart(fd, start, size);
    const revision = revisionOf(before);
    return revision === revisionOf(statOf(fd)) ? { bytes, revision } : 'changed';
  });
}

async function writeTo(
  place: Place,
  path: string,
  bytes: Uint8Array,
  { ifRevision, own }: Maybe<WriteOptions>,
): Promise<string> {
  if (own !== true) checkManifest(place, path, { bytes });
  return replaceFile(place, path, bytes, ifRevision);
}

async function appendTo(
  place: Place,
  path: string,
  bytes: Uint8Array,
  { own, maxBytes }: Maybe<OwnOptions> & { readonly maxBytes: number },
): Promise<string> {
  if (own !== true) checkManifest(place, path, { bytes, isAdded: true });
  // Checked before locking, because no lock file can be created next to a device.
  checkEntry(place, path);
  return withFileLock(place, path, async () => {
    const fd = openRegularFile(place, path, O_WRONLY | O_APPEND | O_CREAT);
    if (fd === undefined) throw fileNotFound(path);
    return closing(fd, async () => {
      const before = statOf(fd);
      checkSize(path, Number(before.size) + bytes.length, maxBytes);
      try {
        await writeWhole(fd, bytes);
      } catch (error) {
        await ftruncateAsync(fd, Number(before.size));
        throw error;
      }
      setLaterThan(fd, before);
      await fsyncAsync(fd);
      return revisionOf(statOf(fd));
    });
  });
}

function statOf(fd: number): BigIntStats {
  return fstatSync(fd, { bigint: true });
}

function toStat(stats: BigIntStats): FileStat {
  const links = Number(stats.nlink);
  return {
    size: Number(stats.size),
    revision: revisionOf(stats),
    modified: Number(stats.mtimeMs),
    ...(links > 1 ? { links } : {}),
  };
}

/** Calls a function with a directory, if it exists, and closes it. */
async function using<T>(place: Place | undefined, use: (place: Place) => Promise<T>): Promise<T | undefined> {
  if (place === undefined) return undefined;
  try {
    return await use(place);
  } finally {
    place.directory.close();
  }
}

async function closing<T>(fd: number, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } finally {
    closeSync(fd);
  }
}

/** Converts a system error into one that names the path and the operation. */
async function told<T>(path: string, doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileFailed(path, doing, error);
  }
}
