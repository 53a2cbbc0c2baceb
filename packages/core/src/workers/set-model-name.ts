import type { Store } from '../contract/store.ts';
import { readOptions } from '../options/option-shape.ts';
import { notesOptions } from '../options/plain-options.ts';
import { refuseClaimed } from '../sessions/stores/commit-checks.ts';
import type { ForOwner } from '../sessions/stores/for-owner.ts';
import { headToNote } from './head-to-note.ts';

/**
 * Stores the model that a person chose for a session, named as in a config, up to 200 characters. It does not affect any
 * run. All notes of the session together must take less than a kilobyte. Needs no agent.
 * @throws `SESSION_NOT_FOUND`, `SESSION_OF_ANOTHER`, `OPTION_INVALID`; `STORE_CONFLICT` while a run is in progress
 */
export async function setModelName(
  store: Store,
  sessionId: string,
  modelName: string,
  { owner }: ForOwner = {},
): Promise<void> {
  readOptions('setModelName', { modelName: notesOptions.modelName.required() }, { modelName });
  const head = await headToNote(store, sessionId, { modelName }, { owner });
  refuseClaimed(head);
  await store.commit(sessionId, head.revision, { about: { ...head.about, modelName } });
}
