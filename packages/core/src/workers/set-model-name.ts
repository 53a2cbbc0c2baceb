import type { Store } from '../contract/store.ts';
import { readOptions } from '../options/option-shape.ts';
import { notesOptions } from '../options/plain-options.ts';
import { refuseClaimed } from '../sessions/stores/commit-checks.ts';
import type { ForOwner } from '../sessions/stores/for-owner.ts';
import { headToNote } from './head-to-note.ts';

/**
 * Notes with a session which model a person chose for it, named as in a config, up to 200 characters. Changes no run.
 * Together with the other notes of the session it must take less than a kilobyte. Needs no agent.
 * @throws `SESSION_NOT_FOUND`, `SESSION_OF_ANOTHER`, `OPTION_INVALID`; `STORE_CONFLICT` while a run is at work
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
