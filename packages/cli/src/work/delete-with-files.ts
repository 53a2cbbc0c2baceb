import { deleteSession, type Deletion } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import type { SessionSummary, Store } from '@shallot/core/store';

import { noteWarning } from '../rendering/note-failure.ts';
import type { Screen } from '../terminal/screen.ts';

export interface DeletingWith {
  readonly store: Store;
  /** Opens the files; called only if the session has some. */
  readonly files: () => Promise<Files>;
  /** Keeps the files, and lists them. */
  readonly keepFiles?: boolean | undefined;
  readonly screen: Screen;
}

/**
 * Deletes a session as listed, with the files that plugins wrote for it, and lists what remains. Returns undefined if
 * it no longer exists. @throws `STORE_CONFLICT` if it has changed, `SESSION_FILES_LEFT` if a file cannot be removed
 */
export async function deleteWithFiles(
  { id, revision, about, damaged }: SessionSummary,
  { store, files, keepFiles = false, screen }: DeletingWith,
): Promise<Deletion | undefined> {
  const hasFiles = (about?.files ?? []).length > 0;
  const deletion = await deleteSession(store, id, {
    ...(damaged === true ? {} : { ifRevision: revision }),
    ...(hasFiles && !keepFiles ? { files: await files() } : {}),
  });
  for (const error of deletion?.errors ?? []) noteWarning(error, screen);
  return deletion;
}
