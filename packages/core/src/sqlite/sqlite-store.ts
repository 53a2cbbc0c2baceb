import { resolve } from 'node:path';

import { ShallotError } from '../base/errors.ts';
import { recordFormat, type Store } from '../contract/store.ts';
import { checkClaim, checkReplace, checkRevision, quoteSession } from '../sessions/commit-checks.ts';
import { Database } from './database.ts';
import { noteDeleted } from './deleted-revisions.ts';
import { listSessions } from './list-sessions.ts';
import { readRecord } from './read-record.ts';
import { encodeText } from './row-text.ts';
import { checkedRow, claimOf, findSession, putClaim, type SessionRow } from './session-row.ts';
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
  const database = new Database(resolve(path), busyTimeoutMs);

  return {
    load: (sessionId) =>
      database.read(() => {
        const row = findSession(database, sessionId);
        if (row === undefined) return undefined;
        checkFormat(sessionId, row);
        return readRecord(database, row);
      }),

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

    close: async () => database.close(),
  };
}

/** @throws `STORE_FORMAT` for a record of a newer version, which stays untouched */
function checkFormat(sessionId: string, { format }: SessionRow): void {
  if (format <= recordFormat) return;
  throw new ShallotError('STORE_FORMAT', {
    message:
      `Session ${quoteSession(sessionId)} has record format ${format}; this version of Shallot supports ${recordFormat}. ` +
      'It was left unchanged. Update @shallot/core.',
  });
}
