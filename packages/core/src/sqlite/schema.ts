import { checksum } from './checksum.ts';

/**
 * Statements that bring a database from each version of the schema to the next; their number is the version that this
 * code writes, kept as `user_version`. Released statements never change.
 *
 * Texts are JSON, session ids, plugin ids and keys too (without their quotes): SQLite's own text cannot hold every
 * JavaScript string. `crc` is the CRC-32 of the row's content and of the session's number, because SQLite notices neither
 * a flipped byte nor a misplaced row; for a message, its position is added. The row of a session is written after the
 * other rows of a commit, because it counts them.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL UNIQUE,
    format INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    changed INTEGER NOT NULL,      -- grows by one with each change but those in the middle of a run: the order of a listing
    messages INTEGER NOT NULL,     -- how many there are
    entries INTEGER NOT NULL,      -- the sum of the checksums of its state and journal
    status TEXT,
    interrupts INTEGER NOT NULL,
    claim TEXT,
    due INTEGER,                   -- when a worker may resume its run, in milliseconds since 1970
    stop INTEGER NOT NULL,         -- 1: somebody wants the run that holds the session to stop
    crc INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX sessions_by_change ON sessions (changed);
  CREATE INDEX sessions_by_status_and_change ON sessions (status, changed);
  CREATE INDEX sessions_by_due ON sessions (due, changed) WHERE due IS NOT NULL AND stop = 0;
  CREATE INDEX sessions_by_status_and_name ON sessions (status, session);

  CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position INTEGER NOT NULL,     -- ascending, with gaps
    message TEXT NOT NULL,
    crc INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX messages_by_position ON messages (session_id, position);

  CREATE TABLE runs (
    session_id INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    run TEXT NOT NULL,
    crc INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE state (
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    plugin TEXT NOT NULL,
    key TEXT NOT NULL,
    entry TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (session_id, plugin, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE journal (
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    key TEXT NOT NULL,
    entry TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (session_id, key)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE deleted (
    id INTEGER PRIMARY KEY,        -- 1: there is one row
    revision INTEGER NOT NULL,     -- the last that a deleted session may have had
    crc INTEGER NOT NULL
  ) STRICT;
  INSERT INTO deleted (id, revision, crc) VALUES (1, 0, ${checksum(1, '0')});
  `,
  'ALTER TABLE sessions ADD COLUMN about TEXT; -- notes about the session, as JSON',
  `
  ALTER TABLE sessions ADD COLUMN agent TEXT;          -- of the last run
  ALTER TABLE sessions ADD COLUMN agent_version TEXT;
  ALTER TABLE sessions ADD COLUMN owner TEXT;          -- these are in the notes, too
  ALTER TABLE sessions ADD COLUMN parent TEXT;
  ALTER TABLE sessions ADD COLUMN title TEXT;
  CREATE INDEX sessions_by_agent ON sessions (agent, changed) WHERE agent IS NOT NULL;
  CREATE INDEX sessions_by_agent_and_status ON sessions (agent, status, changed) WHERE agent IS NOT NULL;
  CREATE INDEX sessions_by_owner ON sessions (owner, changed) WHERE owner IS NOT NULL;
  CREATE INDEX sessions_by_owner_and_status ON sessions (owner, status, changed) WHERE owner IS NOT NULL;
  CREATE INDEX sessions_by_parent ON sessions (parent, changed) WHERE parent IS NOT NULL;
  CREATE INDEX sessions_by_title ON sessions (title, changed) WHERE title IS NOT NULL;
  `,
  `
  CREATE TABLE duties (
    duty TEXT NOT NULL,            -- work that one process of all does, once in a period
    terms TEXT NOT NULL,           -- how a process would do it
    first_at INTEGER NOT NULL,     -- when one with these terms has asked first, and last
    asked_at INTEGER NOT NULL,
    taken_at INTEGER,              -- when one was given it
    PRIMARY KEY (duty, terms)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE inbox (
    number INTEGER PRIMARY KEY,    -- ascending: the order in which entries were sent
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    id TEXT NOT NULL,
    after TEXT,                    -- the run whose end it waits for
    held INTEGER NOT NULL,         -- 1: it can no longer be taken back
    entry TEXT NOT NULL,           -- JSON
    crc INTEGER NOT NULL           -- of the id, the entry and the run
  ) STRICT;
  CREATE UNIQUE INDEX inbox_by_session ON inbox (session_id, id);
  `,
  `
  DROP INDEX sessions_by_due;
  CREATE INDEX sessions_by_due ON sessions (due, changed) WHERE due IS NOT NULL;
  `,
];

/** The `application_id` that marks the file: "shlt" in ASCII. */
export const applicationId = 0x73_68_6c_74;
