import { resolve } from 'node:path';

import { showValue } from '../base/describe-value.ts';
import { encodeText } from '../base/encode-text.ts';
import { ShallotError } from '../base/errors.ts';
import type { Store } from '../contract/store.ts';
import { checkClaim, checkFormat, checkReplace, checkRevision } from '../sessions/stores/commit-checks.ts';
import { isToBeStopped } from '../sessions/stores/due-at.ts';
import { Database } from './database.ts';
import { deleteTree } from './delete-tree.ts';
import { noteDeleted } from './deleted-revisions.ts';
import { InboxWatch } from './inbox-watch.ts';
import { addToInbox, holdInbox, readInbox, removeFromInbox } from './inbox.ts';
import { listSessions } from './list-sessions.ts';
import { loadHead, loadMessagesFrom, loadSession } from './load-session.ts';
import { walWarnings } from './safe-wal.ts';
import { aboutOf, amendSession, checkedRow, claimOf, findSession, type SessionRow } from './session-row.ts';
import { takeDuty } from './take-duty.ts';
import { writeChange } from './write-change.ts';

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /** The maximum wait for another process to finish writing, in milliseconds. Default: 5000. */
  readonly busyTimeoutMs?: number;
}

/** A store in one file that can be copied while in use. */
export interface SqliteStore extends Store {
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Stores sessions in one SQLite file of this machine, which any number of processes may share. The first use opens the
 * file; the first commit creates it and its directory, readable only by the owner. A commit is on disk when its promise
 * resolves.
 *
 * The store uses WAL mode. SQLite before 3.51.3 can damage a database in that mode when several processes write to it;
 * with such a version, the store uses a rollback journal and throws `STORE_FAILED` if another process keeps the
 * database in WAL mode. Network file systems have unreliable locks and are refused where they can be detected (on
 * Linux).
 *
 * A damaged or empty file (`STORE_DAMAGED`), or one of a newer version (`STORE_FORMAT`), is left unchanged. Stored data
 * carries checksums. If the file, or one that SQLite keeps beside it, is moved, removed, emptied or replaced while
 * open, reads and commits fail with `STORE_FAILED`. One second after the last commit, the file is complete without the
 * files beside it, unless a process is reading it then. A session that changes while sessions are listed may be missing
 * from the list.
 */
export function sqliteStore(path: string, { busyTimeoutMs = 5000 }: SqliteStoreOptions = {}): SqliteStore {
  refuseNoPath(path);
  const file = resolve(path);
  const database = new Database(file, busyTimeoutMs);
  const watch = new InboxWatch(database);

  return {
    warnings: walWarnings(file, process.versions.sqlite ?? ''),

    load: (sessionId) => loadSession(database, sessionId),
    head: (sessionId) => loadHead(database, sessionId),
    messagesFrom: (sessionId, messageId) => loadMessagesFrom(database, sessionId, messageId),

    commit: (sessionId, revision, change) =>
      database.write(() => {
        const row = findSession(database, sessionId);
        if (row !== undefined) checkFormat(sessionId, row.format);
        checkRevision(sessionId, revision, row?.revision ?? 0);
        if (change.claim) checkClaim(sessionId, change.claim, row && claimOf(row));
        checkReplace(sessionId, change, row?.messages ?? 0);
        return writeChange(database, sessionId, row, change);
      }),

    renew: (sessionId, claim) =>
      database.write(() => {
        const row = findSession(database, sessionId);
        if (row === undefined || claimOf(row)?.owner !== claim.owner) return false;
        amendSession(database, row, { claim: JSON.stringify(claim) });
        return row.stop === 1 ? 'stop' : true;
      }),

    requestStop: async (sessionId) => {
      const isMarked = await markToStop(database, sessionId);
      if (isMarked) watch.notify(sessionId, 'stop');
      return isMarked;
    },

    watchInbox: (sessionId, heard) => watch.add(sessionId, heard),

    send: async (sessionId, entry) => {
      const isSent = await database.write(() => addToInbox(database, sessionId, entry));
      if (isSent) watch.notify(sessionId, 'sent');
      return isSent;
    },

    inbox: async (sessionId, filter = {}) => {
      const entries = (await database.read(() => readInbox(database, sessionId, filter))) ?? [];
      // A write is only needed if there is something to hold.
      if (filter.hold !== true || entries.length === 0) return entries;
      return database.write(() => holdInbox(database, sessionId, filter));
    },

    unsend: (sessionId, id) => database.write(() => removeFromInbox(database, sessionId, id)),

    setTitle: (sessionId, title) =>
      database.write(() => {
        const row = findSession(database, sessionId);
        if (row === undefined) return false;
        const about = JSON.stringify({ ...aboutOf(row), title });
        amendSession(database, row, { about, title: encodeText(title) });
        return true;
      }),

    list: (filter = {}) => listSessions(database, filter),

    delete: async (sessionId, { ifRevision } = {}) => {
      const id = encodeText(sessionId);
      const find = 'SELECT 1 FROM sessions WHERE session = ?';
      const found = await database.read(() => database.prepare(find).get(id));
      if (found === undefined) return false;
      return database.write(() => {
        const row = database.prepare('SELECT * FROM sessions WHERE session = ?').get(id);
        if (row === undefined) return false;
        const revision = checkedRow(row)?.revision;
        if (ifRevision !== undefined) checkRevision(sessionId, ifRevision, revision ?? 0);
        noteDeleted(database, revision);
        for (const child of deleteTree(database, id)) noteDeleted(database, checkedRow(child)?.revision);
        return true;
      });
    },

    takeDuty: (duty, terms, periodMs) => database.write(() => takeDuty(database, duty, terms, periodMs)),

    backup: (file) => database.backup(resolve(file)),

    close: () => {
      watch.close();
      return database.close();
    },
  };
}

/** Requests a stop of a session's run. Returns false if the session has no unfinished run. */
async function markToStop(database: Database, sessionId: string): Promise<boolean> {
  const isUnfinished = (row = findSession(database, sessionId)): row is SessionRow =>
    row !== undefined && isToBeStopped(row.status, row.due);
  if (!(await database.read(() => isUnfinished()))) return false;
  return database.write(() => {
    const row = findSession(database, sessionId);
    if (!isUnfinished(row)) return false;
    amendSession(database, row, { stop: 1 });
    return true;
  });
}

function refuseNoPath(path: unknown): void {
  if (typeof path === 'string' && path !== '') return;
  throw new ShallotError('OPTION_INVALID', {
    message: `sqliteStore takes the path of its file, but got ${showValue(path)}. Write, for example, sqliteStore('.shallot/sessions.db').`,
  });
}
