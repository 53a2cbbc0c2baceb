import { DatabaseSync } from 'node:sqlite';

import { createLayers } from '../floor/layer.ts';
import { composeLayers, newSession, runLoop } from '../floor/loop.ts';
import { createModel, createTool } from '../floor/model.ts';
import type { Message } from '../floor/shapes.ts';
import { defineSubject } from '../subject.ts';
import { layerPlaces } from '../tally.ts';
import { temporaryFile } from '../temporary-file.ts';

/**
 * The hand-written loop, which reads its session from SQLite at the start of each run, and commits the run's messages
 * in one transaction.
 */
export const subject = defineSubject({
  places: layerPlaces,
  transforms: true,
  create(workload, tally) {
    const layers = createLayers(workload, tally);
    const chains = composeLayers(layers, createModel(workload, tally), createTool(workload, tally));
    const database = new DatabaseSync(temporaryFile('floor.db'));
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE messages (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, message TEXT NOT NULL) STRICT;
      CREATE INDEX messages_by_session ON messages (session, id)`);
    const read = database.prepare('SELECT message FROM messages WHERE session = ? ORDER BY id');
    const write = database.prepare('INSERT INTO messages (session, message) VALUES (?, ?)');
    const remove = database.prepare('DELETE FROM messages WHERE session = ?');
    const history = newSession(workload.history);
    let sessions = 0;

    function append(session: number, messages: readonly Message[]): void {
      database.exec('BEGIN IMMEDIATE');
      for (const message of messages) write.run(session, JSON.stringify(message));
      database.exec('COMMIT');
    }

    return {
      open() {
        sessions += 1;
        append(sessions, history);
        return sessions;
      },
      async run(session: number) {
        const messages = read.all(session).map(({ message }) => JSON.parse(String(message)) as Message);
        const known = messages.length;
        await runLoop(chains, messages);
        append(session, messages.slice(known));
      },
      forget(session: number) {
        remove.run(session);
      },
    };
  },
});
