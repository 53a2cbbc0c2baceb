import { ShallotError } from '../base/errors.ts';
import { fileNotFound } from './file-errors.ts';
import type { Files } from './files.ts';
import { quotePath } from './path.ts';
import { pathIn, resultPlace } from './session-place.ts';

/** The directory under which a run's files show the kept results of sessions. Other files keep their paths there. */
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
 * nothing else is hidden. If the session of a result was deleted, the reading session's own copy is shown.
 */
export function withResults(files: Files, sessionId: string): Files {
  /** Returns the place of a kept result, which tools cannot reach by its own path. */
  async function placeOf(path: string, kept: string): Promise<string | undefined> {
    for (const place of [kept, copyPath(path, sessionId)])
      if ((await files.stat(place, { own: true })) !== undefined) return place;
    return undefined;
  }

  async function requirePlace(path: string, kept: string): Promise<string> {
    const place = await placeOf(path, kept);
    if (place === undefined) throw fileNotFound(path);
    return place;
  }

  function refuseKept(path: string): void {
    if (keptPath(path) === undefined) return;
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
      const kept = keptPath(path);
      if (kept === undefined) return files.stat(path, options);
      const place = await placeOf(path, kept);
      return place === undefined ? undefined : files.stat(place, { own: true });
    },
    async read(path, options = {}) {
      const kept = keptPath(path);
      if (kept === undefined) return files.read(path, options);
      const { within: _, ...part } = options;
      return files.read(await requirePlace(path, kept), { ...part, own: true });
    },
    async readText(path, options) {
      const kept = keptPath(path);
      if (kept === undefined) return files.readText(path, options);
      return files.readText(await requirePlace(path, kept), { own: true });
    },
    ...(files.smallFiles === undefined ? {} : { smallFiles: files.smallFiles.bind(files) }),
    ...(files.realPath === undefined
      ? {}
      : {
          realPath: async (path: string) =>
            keptPath(path) === undefined ? (files.realPath?.(path) ?? path) : path,
        }),
    ...(files.isUnlocked === undefined ? {} : { isUnlocked: files.isUnlocked.bind(files) }),
    ...(files.protect === undefined ? {} : { protect: files.protect.bind(files) }),
    async write(path, data, options) {
      refuseKept(path);
      return files.write(path, data, options);
    },
    async append(path, data, options) {
      refuseKept(path);
      return files.append(path, data, options);
    },
    async remove(path, options) {
      refuseKept(path);
      return files.remove(path, options);
    },
  };
}

/** Returns true for the path by which tools read a kept result. */
export function isShownResult(path: string): boolean {
  return keptPath(path) !== undefined;
}
