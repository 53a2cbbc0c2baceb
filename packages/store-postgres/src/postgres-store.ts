import { encodeText, type Store } from '@shallot/core/store';

import { Database } from './database/database.ts';
import { Listener } from './database/listener.ts';
import { Notifier } from './database/notifier.ts';
import { checkOptions, type PostgresStoreOptions } from './options.ts';
import { claimValues, commitSession, digestOf } from './sessions/commit-session.ts';
import { listSessions } from './sessions/list-sessions.ts';
import { loadSession } from './sessions/load-session.ts';
import { published, publish } from './sessions/publish.ts';

/** A store in PostgreSQL, for any number of machines. */
export interface PostgresStore extends Store {
  /** Creates the tables, or brings them to this version. Resolves to the version before and after. */
  migrate(): Promise<{ readonly from: number; readonly to: number }>;
  close(): Promise<void>;
}

/**
 * Keeps sessions in PostgreSQL 15 or later. The first use connects and, unless `migrate` is false, creates the tables. A
 * commit is one round trip, and on the disk of the server when its promise resolves. Leases of claims are measured by the
 * clock of the database. While the server is away, operations are tried again for `retryMs`; a commit whose answer was
 * lost is found by its id, and never applied twice.
 * @throws `OPTION_INVALID`
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  const complete = checkOptions(options);
  const database = new Database(complete);
  const listener = complete.listen ? new Listener(complete.directUrl ?? complete.url, complete) : undefined;
  const notifier = complete.listen ? new Notifier(database) : undefined;
  const idOf = (sessionId: string): Buffer => digestOf(encodeText(sessionId));

  return {
    load: (sessionId) => loadSession(database, sessionId),

    async commit(sessionId, revision, change) {
      const next = await commitSession(database, sessionId, revision, change);
      notifier?.notify(idOf(sessionId));
      return next;
    },

    async renew(sessionId, claim) {
      const [, text, owner, host, leaseMs] = claimValues(claim);
      const [row] = await database.query<{ readonly stop: boolean }>(
        `UPDATE ${database.schema}.sessions
         SET claim = $3, claim_host = $4, claim_expires = clock_timestamp() + $5 * interval '1 millisecond'
         WHERE digest = $1 AND claim_owner = $2 RETURNING stop`,
        [idOf(sessionId), owner, text, host, leaseMs],
      );
      if (row === undefined) return false;
      return row.stop ? 'stop' : true;
    },

    async requestStop(sessionId) {
      const rows = await database.query(
        `UPDATE ${database.schema}.sessions SET stop = true WHERE digest = $1 AND due IS NOT NULL RETURNING id`,
        [idOf(sessionId)],
      );
      return rows.length > 0;
    },

    list: (filter = {}) => listSessions(database, filter),

    async delete(sessionId) {
      const rows = await database.query(
        `DELETE FROM ${database.schema}.sessions WHERE digest = $1 RETURNING id`,
        [idOf(sessionId)],
      );
      return rows.length > 0;
    },

    ...(listener === undefined
      ? {}
      : { watch: (sessionId: string, heard: () => void) => listener.watch(idOf(sessionId), heard) }),

    async publish(sessionId, events) {
      await publish(database, idOf(sessionId), events);
      notifier?.notify(idOf(sessionId));
    },
    published: (sessionId, after) => published(database, idOf(sessionId), after),

    migrate: () => database.migrate(),

    async close() {
      await notifier?.close();
      await listener?.close();
      await database.close();
    },
  };
}
