import { endClaim, newClaim, type Claim } from '../../base/claim.ts';
import { combineErrors, isShallotError, type ShallotError } from '../../base/errors.ts';
import { randomId } from '../../base/node-crypto.ts';
import type { DeletedSession } from '../../contract/plugin.ts';
import type { DeleteOptions, SessionRecord, Store } from '../../contract/store.ts';
import type { Files } from '../../files/files.ts';
import type { SessionPlace } from '../../files/session-place.ts';
import { refuseClaimed } from '../stores/commit-checks.ts';
import { checkOwner, type ForOwner } from '../stores/for-owner.ts';
import { loadRecord } from '../stores/load-record.ts';
import { storeError } from '../stores/store-error.ts';
import { filesLeft, notedIn, removeFiles } from './remove-files.ts';

/** Options of `deleteSession`: the revision to expect, and the files to remove from. */
export interface DeleteSessionOptions extends DeleteOptions, ForOwner {
  /** The agent's files. Without them, files and folders of the session are not removed. */
  readonly files?: Files;
}

/** The outcome of a deletion. */
export interface Deletion {
  /** The removed files and folders. */
  readonly removed: readonly string[];
  /**
   * Files and folders that were not removed, because `files` was not given, or because no plugin declares their path. No
   * record lists them any more.
   */
  readonly left: readonly string[];
  /** Reports of files that are or may be left, and the errors of plugins that listen for deletions. */
  readonly errors: readonly ShallotError[];
}

/** The agent's part in a deletion. */
export interface DeletionParts {
  readonly files: Files;
  readonly places: readonly SessionPlace[];
  /** Calls the plugins that listen for deletions, and returns their errors; undefined if there are none. */
  readonly notify: ((session: DeletedSession) => Promise<readonly ShallotError[]>) | undefined;
}

/** The lease on the session during the deletion, in milliseconds, in case the process dies. */
const leaseMs = 30_000;

/**
 * Deletes a session, even a damaged one, and those of its child runs. With the agent's files, also deletes the files
 * that plugins wrote only for these sessions. Only `agent.deleteSession` notifies plugins. Returns undefined if there
 * is no such session. @throws `STORE_CONFLICT` if a run is working on it, or it has changed; `SESSION_OF_ANOTHER`;
 * `SESSION_FILES_LEFT` if a file cannot be removed: the session is then kept
 */
export async function deleteSession(
  store: Store,
  sessionId: string,
  { files, ifRevision, owner }: DeleteSessionOptions = {},
): Promise<Deletion | undefined> {
  const deletionParts = files === undefined ? undefined : () => ({ files, places: [], notify: undefined });
  return deleteWith(store, sessionId, { ifRevision, owner, deletionParts, alwaysNotifies: false });
}

/** The options of `deleteWith`. */
interface DeletingWith {
  readonly ifRevision: number | undefined;
  readonly owner: string | undefined;
  /** Called only if there are files to remove or plugins to notify. */
  readonly deletionParts: (() => DeletionParts) | undefined;
  /** True to notify plugins of every session, not only of those with files. */
  readonly alwaysNotifies: boolean;
}

/** Implements `deleteSession` for callers with and without an agent. */
export async function deleteWith(
  store: Store,
  sessionId: string,
  { ifRevision, owner, deletionParts, alwaysNotifies }: DeletingWith,
): Promise<Deletion | undefined> {
  const seen = await find(store, sessionId);
  if (seen === undefined) return undefined;
  if (seen === 'damaged') return deleteDamaged(store, sessionId, { ifRevision, owner });
  checkOwner(seen, { owner });
  refuseClaimed(seen);
  const children = await childrenOf(store, sessionId);
  const noted = [seen, ...children].flatMap(({ about }) => notedIn(about));
  const revision = ifRevision ?? seen.revision;
  if (deletionParts === undefined || (noted.length === 0 && !alwaysNotifies)) {
    const isDeleted = await remove(store, sessionId, { ifRevision: revision });
    const errors = noted.map((path) =>
      filesLeft(
        `Session "${sessionId}" was deleted without the agent's files, so ${path} stays. Remove it yourself.`,
      ),
    );
    return isDeleted ? { removed: [], left: noted, errors } : undefined;
  }
  return deleteAll(store, { ...seen, revision }, children, deletionParts());
}

/** Deletes the files before the record: only the record lists them, so an interrupted deletion can be repeated. */
async function deleteAll(
  store: Store,
  { id: sessionId, revision, about }: Seen,
  children: readonly Pick<Seen, 'id' | 'about'>[],
  { files, places, notify }: DeletionParts,
): Promise<Deletion | undefined> {
  const claim = newClaim(randomId('deletion'), leaseMs);
  const claimed = await takeAway(store, sessionId, revision, claim);
  try {
    const sessions = [{ id: sessionId, about }, ...children];
    const removals: Awaited<ReturnType<typeof removeFiles>>[] = [];
    for (const each of sessions) removals.push(await removeFiles(each.id, each.about, files, places));
    const removed = removals.flatMap((each) => each.removed);
    const left = removals.flatMap((each) => each.left);
    const failures = removals.flatMap((each) => each.failures);
    const [first, ...rest] = failures;
    if (first !== undefined) {
      const what = `Session "${sessionId}" was kept, because not all of its files could be removed. Delete it again`;
      throw combineErrors(what, [first, ...rest], 'SESSION_FILES_LEFT');
    }
    const told: ShallotError[] = [];
    for (const { id } of sessions) told.push(...((await notify?.({ sessionId: id, files })) ?? []));
    const strangers = left.map((path) =>
      filesLeft(
        `Session "${sessionId}" was deleted, but ${path} stays: no plugin here keeps files of this session there. Remove it yourself.`,
      ),
    );
    const isDeleted = await remove(store, sessionId, { ifRevision: claimed });
    return isDeleted ? { removed, left, errors: [...strangers, ...told] } : undefined;
  } catch (error) {
    endClaim(claim);
    await store.commit(sessionId, claimed, { claim: null }).catch(() => {
      // The session changed, or its claim will expire. The original error is reported instead.
    });
    throw error;
  }
}

/** Returns the sessions of all child runs below a session, which are deleted with it. */
async function childrenOf(store: Store, sessionId: string): Promise<Pick<Seen, 'id' | 'about'>[]> {
  const children: Pick<Seen, 'id' | 'about'>[] = [];
  for await (const { id, about } of store.list({ parent: sessionId }))
    if (about?.root !== undefined) children.push({ id, about }, ...(await childrenOf(store, id)));
  return children;
}

/** Claims the session for the deletion. @throws `STORE_CONFLICT` */
async function takeAway(store: Store, sessionId: string, revision: number, claim: Claim): Promise<number> {
  try {
    return await store.commit(sessionId, revision, { claim });
  } catch (error) {
    throw storeError(sessionId, 'deleted', error);
  }
}

async function deleteDamaged(
  store: Store,
  id: string,
  { ifRevision, owner }: Pick<DeletingWith, 'ifRevision' | 'owner'>,
): Promise<Deletion | undefined> {
  // The owner of a damaged session is unknown.
  checkOwner({ id }, { owner });
  const isDeleted = await remove(store, id, ifRevision === undefined ? {} : { ifRevision });
  const unknown = filesLeft(
    `Session "${id}" was damaged, so it is not known which files plugins have written for it. Look for them, and remove them yourself.`,
  );
  return isDeleted ? { removed: [], left: [], errors: [unknown] } : undefined;
}

/** The members of a session record that a deletion needs. */
type Seen = Pick<SessionRecord, 'id' | 'revision' | 'claim' | 'about'>;

async function find(store: Store, sessionId: string): Promise<Seen | 'damaged' | undefined> {
  try {
    return await loadRecord(store, sessionId);
  } catch (error) {
    // A damaged session can still be deleted: its listing entry may be intact.
    if (isShallotError(error, 'STORE_DAMAGED')) return findListed(store, sessionId);
    throw error;
  }
}

async function findListed(store: Store, id: string): Promise<Seen | 'damaged' | undefined> {
  for await (const summary of store.list({ id })) return summary.damaged === true ? 'damaged' : summary;
  return undefined;
}

async function remove(store: Store, sessionId: string, options: DeleteOptions): Promise<boolean> {
  try {
    return await store.delete(sessionId, options);
  } catch (error) {
    throw storeError(sessionId, 'deleted', error);
  }
}
