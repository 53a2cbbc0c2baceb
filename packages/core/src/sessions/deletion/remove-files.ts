import { ShallotError } from '../../base/errors.ts';
import { messageOf } from '../../base/thrown.ts';
import type { SessionAbout } from '../../contract/store.ts';
import type { Files } from '../../files/files.ts';
import { isPathOf, type SessionPlace } from '../../files/session-place.ts';

/** The outcome for the files and folders listed in `about`. */
export interface RemovedFiles {
  readonly removed: readonly string[];
  /** Paths outside the session paths of plugins, which were not touched. */
  readonly left: readonly string[];
  /** The errors of failed removals. */
  readonly failures: readonly ShallotError[];
}

/** Removes the files and folders listed in `about`. A missing file counts as removed. */
export async function removeFiles(
  sessionId: string,
  about: SessionAbout | undefined,
  files: Files,
  places: readonly SessionPlace[],
): Promise<RemovedFiles> {
  const removed: string[] = [];
  const left: string[] = [];
  const failures: ShallotError[] = [];
  for (const path of notedIn(about)) {
    if (!isPathOf(path, sessionId, places)) {
      left.push(path);
      continue;
    }
    try {
      await files.remove(path, { recursive: path.endsWith('/'), own: true });
      removed.push(path);
    } catch (error) {
      failures.push(
        filesLeft(`${path} of session "${sessionId}" could not be removed: ${messageOf(error)}`, error),
      );
    }
  }
  return { removed, left, failures };
}

/** Returns the paths listed in `about`. Values are converted to strings, since records are not validated here. */
export function notedIn(about: SessionAbout | undefined): readonly string[] {
  const noted: unknown = about?.files;
  return Array.isArray(noted) ? noted.map(String) : [];
}

/** Returns the error for files of a session that were not removed. */
export function filesLeft(message: string, cause?: unknown): ShallotError {
  return new ShallotError('SESSION_FILES_LEFT', { message, cause });
}
