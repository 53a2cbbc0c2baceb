import { commitFunction } from './commit-function.ts';

/**
 * What brings a database from each version of the schema to the next, for a schema name that is quoted already. Those that
 * were released never change, and a later one leaves what it cannot keep compatible under a new name: older programs may
 * work on the same database, down to `oldestProgram`. One that shuts older programs out gives `commit_session` another name, too: those that are
 * running then find out with their next commit, and change nothing.
 *
 * Session ids, plugin ids, keys and values are kept as JSON text (ids without its quotes), because `text` and `jsonb`
 * refuse some strings. Ids may be longer than an index takes: they are found by their SHA-256.
 */
export const migrations: readonly ((schema: string) => string)[] = [
  (schema) => `
  CREATE SEQUENCE ${schema}.revisions;

  CREATE TABLE ${schema}.sessions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest bytea NOT NULL UNIQUE,          -- SHA-256 of the session id
    session text COLLATE "C" NOT NULL,
    format integer NOT NULL,
    revision bigint NOT NULL,              -- of the sequence: also the order of the last changes
    commit_id uuid NOT NULL,               -- of the last commit: its answer may be lost
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    messages integer NOT NULL,             -- how many there are
    run text,
    status text,
    interrupts integer NOT NULL,           -- open questions
    claim text,
    claim_owner text,
    claim_host text,
    claim_expires timestamptz,
    due timestamptz,                       -- when a worker may resume the run
    stop boolean NOT NULL
  );
  CREATE UNIQUE INDEX sessions_by_change ON ${schema}.sessions (revision);
  CREATE INDEX sessions_by_status ON ${schema}.sessions (status, revision);
  CREATE INDEX sessions_by_name ON ${schema}.sessions (left(session, 200));
  CREATE INDEX sessions_by_due ON ${schema}.sessions (due, revision) WHERE due IS NOT NULL AND NOT stop;

  CREATE TABLE ${schema}.messages (
    session_id bigint NOT NULL REFERENCES ${schema}.sessions (id) ON DELETE CASCADE,
    position numeric NOT NULL,             -- ascending; there is always one between two
    message text NOT NULL,
    PRIMARY KEY (session_id, position)
  );

  CREATE TABLE ${schema}.state (
    session_id bigint NOT NULL REFERENCES ${schema}.sessions (id) ON DELETE CASCADE,
    digest bytea NOT NULL,                 -- SHA-256 of plugin and key
    plugin text NOT NULL,
    key text NOT NULL,
    entry text NOT NULL,
    PRIMARY KEY (session_id, digest)
  );

  CREATE TABLE ${schema}.journal (
    session_id bigint NOT NULL REFERENCES ${schema}.sessions (id) ON DELETE CASCADE,
    digest bytea NOT NULL,                 -- SHA-256 of the key
    key text NOT NULL,
    entry text NOT NULL,
    PRIMARY KEY (session_id, digest)
  );

  CREATE TABLE ${schema}.live (
    session_id bigint NOT NULL REFERENCES ${schema}.sessions (id) ON DELETE CASCADE,
    id bigint GENERATED ALWAYS AS IDENTITY,
    events text NOT NULL,                  -- of the current step, as JSON
    PRIMARY KEY (session_id, id)
  );

  CREATE TABLE ${schema}.files (
    digest bytea PRIMARY KEY,              -- SHA-256 of the path
    path text COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    size bigint NOT NULL
  );
  CREATE INDEX files_by_path ON ${schema}.files (left(path, 200));

  CREATE TABLE ${schema}.file_parts (
    digest bytea NOT NULL REFERENCES ${schema}.files (digest) ON DELETE CASCADE,
    start bigint NOT NULL,                 -- of its first byte in the file
    bytes bytea NOT NULL,
    PRIMARY KEY (digest, start)
  );

  ${commitFunction(schema)}
  `,
];

/** The oldest version of the schema whose programs may work on the newest one. */
export const oldestProgram = 1;
