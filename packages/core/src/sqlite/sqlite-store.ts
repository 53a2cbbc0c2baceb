import { resolve } from 'node:path';

import type { Store } from '../contract/store.ts';
import { checkClaim, checkReplace, checkRevision } from '../sessions/commit-checks.ts';
import { Database } from './database.ts';
import { noteDeleted } from './deleted-revisions.ts';
import { listSessions } from './list-sessions.ts';
import { checkFormat, loadSession } from './load-session.ts';
import { encodeText } from './row-text.ts';
import { walWarnings } from './safe-wal.ts';
import { checkedRow, claimOf, findSession, putClaim } from './session-row.ts';
import { writeChange } from './write-change.ts';

export interface SqliteStoreOptions {
  /** How long to wait while another process writes, in milliseconds. Default: 5000. */
  readonly busyTimeoutMs?: number;
}

/** A store in one file, which can be copied while it is in use. */
export interface SqliteStore extends Store {
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Sessions in one SQLite file of this machine, which any number of processes may share. It is opened at first use, made
 * (with its directory, readable by its owner only) at the first commit, and a commit is on the disk when it resolves.
 *
 * It works in WAL mode. SQLite before 3.51.3 can damage a database in that mode when several processes write it; with
 * such a version a rollback journal is used instead, and `STORE_FAILED` thrown when another process keeps the database in
 * WAL mode. Network file systems are refused where they can be told (on Linux), as their locks cannot be relied on.
 *
 * A file that is damaged, empty or of a newer version is left as it is: `STORE_DAMAGED`, `STORE_FORMAT`. What is stored
 * carries checksums. When the file, or one of those that SQLite keeps beside it, is moved, removed, emptied or replaced while it is open,
 * nothing more is read or committed: `STORE_FAILED`. A second after the last commit the file is whole by itself, if nobody
 * reads it then. A session that changes while sessions are listed may be left out of the list.
 */
export function sqliteStore(path: string, { busyTimeoutMs = 5000 }: SqliteStoreOptions = {}): SqliteStore {
  const file = resolve(path);
  const database = new Database(file, busyTimeoutMs);

  return {
    warnings: walWarnings(file, process.versions.sqlite ?? ''),

    load: (sessionId) => loadSession(database, sessionId),

    commit: (sessionId, revision, change) =>
      database.write(() => {
        const row = findSession(database, sessionId);
        if (row !== undefined) checkFormat(sessionId, row);
        checkRevision(sessionId, revision, row?.revision ?? 0);
        if (change.claim) checkClaim(sessionId, change.claim, row && claimOf(row));
        checkReplace(sessionId, change, row?.messages ?? 0);
        return writeChange(database, sessionId, row, change);
      }),

    renew: (sessionId, claim) =>
      database.write(() => {
        const row = findSession(database, sessionId);
        if (row === undefined || claimOf(row)?.owner !== claim.owner) return false;
        putClaim(database, row, claim);
        return true;
      }),

    list: (filter = {}) => listSessions(database, filter),

    delete: async (sessionId) => {
      const id = encodeText(sessionId);
      const find = 'SELECT 1 FROM sessions WHERE session = ?';
      const found = await database.read(() => database.prepare(find).get(id));
      if (found === undefined) return false;
      return database.write(() => {
        const row = database.prepare('SELECT * FROM sessions WHERE session = ?').get(id);
        if (row === undefined) return false;
        noteDeleted(database, checkedRow(row)?.revision);
        database.prepare('DELETE FROM sessions WHERE session = ?').run(id);
        return true;
      });
    },

    backup: (file) => database.backup(resolve(file)),

    close: () => database.close(),
  };
}
