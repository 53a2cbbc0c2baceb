import { ShallotError } from '../base/errors.ts';
import { fileNotFound } from './file-errors.ts';
import type { Files, ReadBytesOptions } from './files.ts';
import { quotePath } from './path.ts';
import { pathIn, resultPlace } from './session-place.ts';

/** The directory under which a run's files show the kept results of sessions. Any other file in it stays accessible. */
const shownDirectory = '/results/';

/** The paths of kept results below that directory: a folder per session, and `CALL.ORDINAL.DIGEST.TYPE`. */
const shownPath = /^\/results\/([^/]+\/[^/]+\.\d+\.[0-9a-f]{16}\.[a-z0-9]{1,10})$/;

/** The place of a session's results, and the path by which tools read them. */
export interface ResultPath {
  readonly kept: string;
  readonly shown: string;
}

/** Returns the paths of a result that has this file name. */
export function resultPath(sessionId: string, name: string): ResultPath {
  const kept = `${pathIn(resultPlace, sessionId)}${name}`;
  return { kept, shown: `${shownDirectory}${kept.slice(resultPlace.directory.length + 1)}` };
}

/** Returns the place of a kept result; undefined for any other path. */
function keptPath(path: string): string | undefined {
  const inside = shownPath.exec(path)?.[1];
  return inside === undefined ? undefined : `${resultPlace.directory}/${inside}`;
}

/** Returns the place of a session's own copy of a kept result: a fork has a copy of each result that its messages name. */
function copyPath(path: string, sessionId: string): string {
  return `${pathIn(resultPlace, sessionId)}${path.slice(path.lastIndexOf('/') + 1)}`;
}

/**
 * Copies the results that these paths name, as one session reads them, to the folder of another session: all of them, or
 * none if one fails.
 */
export async function copyResults(
  files: Files,
  paths: readonly string[],
  from: string,
  to: string,
): Promise<void> {
  const readable = withResults(files, from);
  try {
    for (const path of paths) {
      // A result that is gone cannot be read in the other session either.
      if (!isShownResult(path) || (await readable.stat(path)) === undefined) continue;
      const { bytes } = await readable.read(path);
      await files.write(copyPath(path, to), bytes, { own: true });
    }
  } catch (error) {
    await files.remove(pathIn(resultPlace, to), { recursive: true, own: true });
    throw error;
  }
}

/**
 * Returns files that also show the kept results of sessions, for reading only. People do not give files such paths, so
 * nothing else is hidden. If the session of a result was deleted, the reading session's own copy is shown. Each change
 * goes through `guard`, which decides when to make it.
 */
export function withResults(
  files: Files,
  sessionId: string,
  guard: <T>(change: () => Promise<T>) => Promise<T> = (change) => change(),
): Files {
  /**
   * Returns the place of a path and the options to read it; undefined for a kept result that is gone. Tools cannot read
   * the place of a kept result directly, because it is protected.
   */
  async function locate(
    path: string,
    options: ReadBytesOptions = {},
  ): Promise<readonly [place: string, options: ReadBytesOptions] | undefined> {
    const kept = keptPath(path);
    if (kept === undefined) return [path, options];
    const { within: _, ...part } = options;
    for (const place of [kept, copyPath(path, sessionId)])
      if ((await files.stat(place, { own: true })) !== undefined) return [place, { ...part, own: true }];
    return undefined;
  }

  async function requirePlace(path: string, options: ReadBytesOptions | undefined) {
    const found = await locate(path, options);
    if (found === undefined) throw fileNotFound(path);
    return found;
  }

  function refuseKept(path: string): string {
    if (keptPath(path) === undefined) return path;
    const message = `${quotePath(path)} is a result that its session keeps, and cannot be changed by tools. Write to another path.`;
    throw new ShallotError('FILE_PROTECTED', { message });
  }

  return {
    get root() {
      return files.root;
    },
    identity: files.identity ?? files,
    list: (path, options) => files.list(path, options),
    async stat(path, options) {
      const found = await locate(path, options);
      return found && files.stat(...found);
    },
    read: async (path, options) => files.read(...(await requirePlace(path, options))),
    readText: async (path, options) => files.readText(...(await requirePlace(path, options))),
    ...(files.smallFiles === undefined ? {} : { smallFiles: files.smallFiles.bind(files) }),
    ...(files.realPath === undefined
      ? {}
      : {
          realPath: async (path: string) =>
            keptPath(path) === undefined ? (files.realPath?.(path) ?? path) : path,
        }),
    ...(files.isUnlocked === undefined ? {} : { isUnlocked: files.isUnlocked.bind(files) }),
    ...(files.protect === undefined ? {} : { protect: files.protect.bind(files) }),
    write: (path, ...rest) => guard(async () => files.write(refuseKept(path), ...rest)),
    append: (path, ...rest) => guard(async () => files.append(refuseKept(path), ...rest)),
    remove: (path, ...rest) => guard(async () => files.remove(refuseKept(path), ...rest)),
  };
}

/** Returns true for the path by which tools read a kept result. */
export function isShownResult(path: string): boolean {
  return keptPath(path) !== undefined;
}
