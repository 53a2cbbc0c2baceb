import { encodeText, type InboxNews, type Store } from '@shallot/core/store';

import { Database } from './database/database.ts';
import { grantStatements } from './database/grant-statements.ts';
import { Listener } from './database/listener.ts';
import { Notifier } from './database/notifier.ts';
import { checkOptions, type PostgresStoreOptions } from './options.ts';
import { migrateQueue } from './queue/migrate-queue.ts';
import { CommitBatches } from './sessions/commit-batches.ts';
import { claimValues, commitSession, digestOf } from './sessions/commit-session.ts';
import { countSessions } from './sessions/count-sessions.ts';
import { deleteRow } from './sessions/delete-row.ts';
import { EmptyInboxes } from './sessions/empty-inboxes.ts';
import { addToInbox, readInbox, removeFromInbox } from './sessions/inbox.ts';
import { listSessions } from './sessions/list-sessions.ts';
import { loadHead, loadMessagesFrom, loadSession } from './sessions/load-session.ts';
import { markToStop } from './sessions/mark-to-stop.ts';
import { published, publish } from './sessions/publish.ts';
import { takeDuty } from './sessions/take-duty.ts';
import { takeResumable } from './sessions/take-resumable.ts';

/** A store in PostgreSQL, for any number of machines. */
export interface PostgresStore extends Store {
  /** Creates the tables, or migrates them to this version. Resolves to the version before and after. */
  migrate(): Promise<{ readonly from: number; readonly to: number }>;
  close(): Promise<void>;
}

/**
 * Stores sessions in PostgreSQL 15 or later. The first use connects and, unless `migrate` is false, creates the tables.
 * A commit is one round trip, and is on the server's disk when its promise resolves. Leases are measured by the clock
 * of the database. While the server is unreachable, operations are retried for `retryMs`; a commit whose response was
 * lost is recognized by its id, and never applied twice. @throws `OPTION_INVALID`
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  const complete = checkOptions(options);
  const database = new Database(complete, migrateQueue);
  const listener = complete.listen ? new Listener(complete.directUrl ?? complete.url, complete) : undefined;
  const notifier = complete.listen ? new Notifier(database) : undefined;
  const batches = new CommitBatches(database);
  const empty = new EmptyInboxes();
  const idOf = (sessionId: string): Buffer => digestOf(encodeText(sessionId));
  const commitOf = (sessionId: string): string => idOf(sessionId).toString('hex');
  const newsOf = (sessionId: string, news: InboxNews): string => `${commitOf(sessionId)} ${news}`;

  return {
    load: (sessionId) => loadSession(database, sessionId),
    head: (sessionId) => loadHead(database, sessionId),
    messagesFrom: (sessionId, messageId) => loadMessagesFrom(database, sessionId, messageId),

    async commit(sessionId, revision, change) {
      const committed = await commitSession(database, batches, sessionId, revision, change);
      if (committed.isNothingSent) empty.note(sessionId);
      notifier?.notify(commitOf(sessionId));
      return committed.revision;
    },

    async renew(sessionId, claim) {
      const [, text, owner, host, leaseMs] = claimValues(claim);
      const [row] = await database.often<{ readonly stop: boolean }>(
        `UPDATE ${database.schema}.sessions
         SET claim = $3, claim_host = $4, claim_expires = clock_timestamp() + $5 * interval '1 millisecond'
         WHERE digest = $1 AND claim_owner = $2 RETURNING stop`,
        [idOf(sessionId), owner, text, host, leaseMs],
      );
      if (row === undefined) return false;
      return row.stop ? 'stop' : true;
    },

    async requestStop(sessionId) {
      const isUnfinished = await markToStop(database, sessionId);
      if (isUnfinished) notifier?.notify(newsOf(sessionId, 'stop'));
      return isUnfinished;
    },

    async send(sessionId, entry) {
      const isSent = await addToInbox(database, sessionId, entry).finally(() => empty.forget(sessionId));
      if (isSent) notifier?.notify(newsOf(sessionId, 'sent'));
      return isSent;
    },
    // A run reads its inbox right after each commit of a step.
    inbox: async (sessionId, filter) => (empty.has(sessionId) ? [] : readInbox(database, sessionId, filter)),
    unsend: (sessionId, id) => removeFromInbox(database, sessionId, id),

    async setTitle(sessionId, title) {
      const rows = await database.query(
        `UPDATE ${database.schema}.sessions SET title = $2 WHERE digest = $1 RETURNING id`,
        [idOf(sessionId), encodeText(title)],
      );
      return rows.length > 0;
    },

    list: (filter = {}) => listSessions(database, filter),

    delete: (sessionId, options) => deleteRow(database, sessionId, options),

    ...(listener === undefined
      ? {}
      : {
          watch: (sessionId: string, heard: () => void) => listener.watch(commitOf(sessionId), heard),
          watchInbox(sessionId: string, heard: (news: InboxNews) => void) {
            const watching = inboxNews.map((news) =>
              listener.watch(newsOf(sessionId, news), () => heard(news)),
            );
            return () => void Promise.all(watching).then((all) => all.forEach((leave) => leave()));
          },
        }),

    async publish(sessionId, events) {
      await publish(database, idOf(sessionId), events);
      notifier?.notify(commitOf(sessionId));
    },
    published: (sessionId, after) => published(database, idOf(sessionId), after),

    migrate: () => database.migrate(),

    grants: (role, rights) => grantStatements(database.schema, role, rights, { queue: complete.queue }),

    stats: () => countSessions(database),

    takeResumable: (count, filter) => takeResumable(database, count, filter),

    takeDuty: (duty, terms, periodMs) => takeDuty(database, duty, terms, periodMs),

    async close() {
      await notifier?.close();
      await listener?.close();
      await database.close();
    },
  };
}

const inboxNews: readonly InboxNews[] = ['sent', 'stop'];
