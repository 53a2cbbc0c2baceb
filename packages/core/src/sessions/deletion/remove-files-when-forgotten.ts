import type { ShallotError } from '../../base/errors.ts';
import type { SessionAbout, Store } from '../../contract/store.ts';
import type { Logger } from '../../log/logger.ts';
import { whenForgotten } from '../stores/forgetful-store.ts';
import type { DeletionParts } from './delete-session.ts';
import { filesLeft, removeFiles } from './remove-files.ts';

interface Forgettable {
  readonly id: string;
  readonly about: SessionAbout | undefined;
}

/** Registers the removal of a session's files for when its store forgets the session. Errors are logged. */
export function removeFilesWhenForgotten(
  store: Store,
  session: Forgettable,
  deletionParts: () => DeletionParts,
  log: Logger,
): void {
  const warn = (err: unknown): void =>
    log.warn({ err, sessionId: session.id }, 'a part of a discarded session stays');
  whenForgotten(store, session.id, async () => {
    try {
      for (const error of await removeData(session, deletionParts())) warn(error);
    } catch (error) {
      warn(error);
    }
  });
}

/** Removes the files and notifies plugins. Returns the errors. */
async function removeData(
  { id: sessionId, about }: Forgettable,
  { files, places, notify }: DeletionParts,
): Promise<readonly ShallotError[]> {
  const { failures, left } = await removeFiles(sessionId, about, files, places);
  const strangers = left.map((path) =>
    filesLeft(
      `Session "${sessionId}" was discarded, but ${path} stays: no plugin keeps files of it there any more. Remove it yourself.`,
    ),
  );
  return [...failures, ...strangers, ...((await notify?.({ sessionId, files })) ?? [])];
}
