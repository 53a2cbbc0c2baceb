import { ShallotError, type ToolCall } from '@shallot/core';
import type { FileEntry, Files, LinkOptions } from '@shallot/core/files';
import { rootedPath, touchesOf } from '@shallot/core/plugin';

import type { ShowPath } from '../path.ts';
import { Refusal } from '../refusal.ts';

/**
 * Returns the files for a judged call. Its path must still lead to the same place as when the call was judged, and links
 * that were added later are not followed. A call that nobody has judged gets the files unchanged, as do all calls if the
 * files have no links.
 * @throws `Refusal`
 */
export async function judgedFiles(
  call: ToolCall,
  given: string,
  files: Files,
  show: ShowPath,
): Promise<Files> {
  const touches = touchesOf(call);
  if (touches === undefined || files.realPath === undefined) return files;
  const path = await rootedPath(given, files);
  const real = await files.realPath(path);
  if (!touches.includes(real)) throw moved(path, real, show);
  return bound(files, { path, real, touches, show });
}

/**
 * Returns the path of an entry itself: links above it are followed, but not the entry. Removing a link removes this
 * entry.
 */
export async function entryPath(files: Files, path: string): Promise<string> {
  const at = path.lastIndexOf('/');
  const directory = path.slice(0, at) || '/';
  const above = (await files.realPath?.(directory)) ?? directory;
  return join(above, path.slice(at));
}

interface Judged {
  /** The path of the call. */
  readonly path: string;
  /** The path without links to which it leads. */
  readonly real: string;
  readonly touches: readonly string[];
  readonly show: ShowPath;
}

/** A path to use in place of another, and the options for it. */
interface Place {
  readonly at: string;
  readonly how: LinkOptions;
}

function bound(files: Files, { path, real, touches, show }: Judged): Files {
  const locate = (each: string): string => join(real, below(each, path) ?? '');
  const realPath = async (each: string): Promise<string> => (await files.realPath?.(each)) ?? each;

  /** Returns the path to use for another one: a path below that of the call is replaced by the one without links. */
  async function placeOf(each: string): Promise<Place> {
    if (below(each, path) === undefined) return { at: each, how: {} };
    const led = each === path ? real : await realPath(locate(each));
    if (below(led, real) !== undefined) return { at: led, how: { noLinks: true } };
    throw new ShallotError('FILE_PATH', {
      message: `${show(each)} leads to ${show(led)}, out of ${show(path)}, for which the call was allowed.`,
    });
  }

  return {
    root: files.root,
    identity: files.identity ?? files,
    async list(each, options) {
      const { at, how } = await placeOf(each);
      const entries = await files.list(at, { ...options, ...how });
      const shown = (entry: FileEntry): string => join(each, below(entry.path, at) ?? '');
      return each === at ? entries : entries.map((entry) => Object.assign({}, entry, { path: shown(entry) }));
    },
    async stat(each, options) {
      const { at, how } = await placeOf(each);
      return files.stat(at, { ...options, ...how });
    },
    async read(each, options) {
      const { at, how } = await placeOf(each);
      return files.read(at, { ...options, ...how });
    },
    async readText(each, options) {
      const { at, how } = await placeOf(each);
      return files.readText(at, { ...options, ...how });
    },
    realPath: (each) => realPath(below(each, path) === undefined ? each : locate(each)),
    ...(files.isUnlocked === undefined ? {} : { isUnlocked: files.isUnlocked.bind(files) }),
    ...(files.smallFiles === undefined
      ? {}
      : {
          async smallFiles(each) {
            // A search may ask for the parent of a file. Outside of the call's path, nobody has judged what it would read.
            if (below(each, path) === undefined) return undefined;
            const { at, how } = await placeOf(each);
            return files.smallFiles?.(at, how);
          },
        }),
    async write(each, data, options) {
      const { at, how } = await placeOf(each);
      return files.write(at, data, { ...options, ...how });
    },
    async append(each, data, options) {
      const { at, how } = await placeOf(each);
      return files.append(at, data, { ...options, ...how });
    },
    async remove(each, options) {
      const entry = await entryPath(files, each);
      if (!touches.includes(entry)) throw moved(each, entry, show);
      return files.remove(entry, { ...options, noLinks: true });
    },
  };
}

function moved(path: string, real: string, show: ShowPath): Refusal {
  return new Refusal(
    `${show(path)} leads to ${show(real)} now, and did not when the call was allowed. Call the tool again.`,
  );
}

/**
 * Returns the rest of a path below a directory: `/b` of `/a/b` below `/a`; undefined for a path that is not below it.
 */
function below(path: string, directory: string): string | undefined {
  const at = directory === '/' ? '' : directory;
  return path === directory || path.startsWith(`${at}/`) ? path.slice(at.length) : undefined;
}

function join(directory: string, rest: string): string {
  if (directory !== '/') return rest === '/' ? directory : directory + rest;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
