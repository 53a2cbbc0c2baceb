import type { SessionHead, Store } from '../contract/store.ts';
import { readOptions } from '../options/option-shape.ts';
import { titleOption } from '../options/plain-options.ts';
import { refuseClaimed } from '../sessions/stores/commit-checks.ts';
import type { ForOwner } from '../sessions/stores/for-owner.ts';
import { headToNote, noSession } from './head-to-note.ts';

/**
 * Sets the title of a session, up to 100 characters, also while a run is at work on it. Together with the other notes of the
 * session it must take less than a kilobyte. Needs no agent.
 * @throws `SESSION_NOT_FOUND`, `SESSION_OF_ANOTHER`, `OPTION_INVALID`; `STORE_CONFLICT` in a store without `setTitle`, while a
 * run is at work
 */
export async function setTitle(
  store: Store,
  sessionId: string,
  title: string,
  { owner }: ForOwner = {},
): Promise<void> {
  readOptions('setTitle', { title: titleOption.required() }, { title });
  const head = await headToNote(store, sessionId, { title }, { owner });
  if (!(await setIn(store, head, title))) throw noSession(sessionId);
}

async function setIn(store: Store, head: SessionHead, title: string): Promise<boolean> {
  if (store.setTitle !== undefined) return store.setTitle(head.id, title);
  refuseClaimed(head);
  await store.commit(head.id, head.revision, { about: { ...head.about, title } });
  return true;
}
