import { ShallotError } from '../base/errors.ts';
import type { SessionAbout, Store } from '../contract/store.ts';
import { readOptions } from '../options/option-shape.ts';
import { notesOptions } from '../options/plain-options.ts';
import { checkAbout } from '../sessions/content/about-size.ts';
import { refuseClaimed } from '../sessions/stores/commit-checks.ts';
import { checkOwner, type ForOwner } from '../sessions/stores/for-owner.ts';
import { loadHead } from '../sessions/stores/load-head.ts';

/**
 * Sets the title of a session, up to 100 characters, even while a run is in progress. All notes of the session together
 * must take less than a kilobyte. Needs no agent.
 * @throws `SESSION_NOT_FOUND`, `SESSION_OF_ANOTHER`, `OPTION_INVALID`; `STORE_CONFLICT` in a store without `setTitle`,
 * while a run is in progress
 */
export async function setTitle(
  store: Store,
  sessionId: string,
  title: string,
  owned: ForOwner = {},
): Promise<void> {
  readOptions('setTitle', { title: notesOptions.title.required() }, { title });
  await note(store, sessionId, { title }, owned);
}

/**
 * Stores the model that a person chose for a session, named as in a config, up to 200 characters. It does not affect any
 * run. All notes of the session together must take less than a kilobyte. Needs no agent.
 * @throws `SESSION_NOT_FOUND`, `SESSION_OF_ANOTHER`, `OPTION_INVALID`; `STORE_CONFLICT` while a run is in progress
 */
export async function setModelName(
  store: Store,
  sessionId: string,
  modelName: string,
  owned: ForOwner = {},
): Promise<void> {
  readOptions('setModelName', { modelName: notesOptions.modelName.required() }, { modelName });
  await note(store, sessionId, { modelName }, owned);
}

async function note(store: Store, id: string, change: SessionAbout, { owner }: ForOwner): Promise<void> {
  const head = await loadHead(store, id);
  if (head !== undefined) {
    checkOwner(head, { owner });
    const about = checkAbout({ ...head.about, ...change });
    if (change.title === undefined || store.setTitle === undefined) {
      refuseClaimed(head);
      return void (await store.commit(id, head.revision, { about }));
    }
    if (await store.setTitle(id, change.title)) return;
  }
  throw new ShallotError('SESSION_NOT_FOUND', { message: `There is no session "${id}".` });
}
