import { commitFunction, dropEarlier } from './commit-function.ts';

/**
 * The condition for sessions that a listing shows without their parent: all but those of child runs, whose notes name their
 * root. A quote inside a value would have a backslash before it. Indexes are made with it, and found by it.
 */
export const outermost = `(about IS NULL OR about NOT LIKE '%"root":"%' OR damaged)`;

/**
 * SQL for each version of the schema to the next; the schema name is already quoted. Released migrations never change.
 * A later one adds a new name for what it cannot keep compatible, so that older programs, down to `oldestProgram`, can
 * use the same database. One that excludes older programs also renames `commit_change`: running programs then fail at
 * their next commit, and change nothing.
 *
 * Session ids, plugin ids, keys and values are stored as JSON text (ids without quotes), because `text` and `jsonb`
 * reject some strings. Ids may be too long for an index, so rows are found by their SHA-256.
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
  `,

  (schema) => `
  ALTER TABLE ${schema}.sessions ADD COLUMN about text; -- notes about the session, as JSON, but for the title
  `,

  (schema) => `
  ALTER TABLE ${schema}.sessions
    ADD COLUMN listed bigint,                      -- the revision of the last change but those in the middle of a run
    ADD COLUMN agent text COLLATE "C",             -- of the last run
    ADD COLUMN agent_version text,
    ADD COLUMN fresh boolean NOT NULL DEFAULT false, -- no worker has begun the run
    ADD COLUMN taken timestamptz,                  -- until when a worker that looked for work has it to itself
    ADD COLUMN damaged boolean NOT NULL DEFAULT false, -- found by a load: listings show it
    ADD COLUMN owner text COLLATE "C",             -- these two are in the notes, too
    ADD COLUMN parent text COLLATE "C",
    ADD COLUMN title text COLLATE "C",
    SET (fillfactor = 80);
  UPDATE ${schema}.sessions SET listed = revision;
  ALTER TABLE ${schema}.sessions ALTER COLUMN listed SET NOT NULL;

  -- No index has a column that changes in the middle of a run.
  DROP INDEX ${schema}.sessions_by_change, ${schema}.sessions_by_status, ${schema}.sessions_by_due, ${schema}.sessions_by_name;
  ${moveToEnd(schema)}
  CREATE INDEX sessions_by_change ON ${schema}.sessions (listed);
  CREATE INDEX sessions_by_status ON ${schema}.sessions (status, listed);
  CREATE INDEX sessions_by_name ON ${schema}.sessions (left(session, 200), id);
  CREATE INDEX sessions_by_status_and_name ON ${schema}.sessions (status, left(session, 200), id);
  CREATE INDEX sessions_by_due ON ${schema}.sessions (due, listed) WHERE due IS NOT NULL AND NOT stop;
  CREATE INDEX sessions_by_agent_and_due ON ${schema}.sessions (agent, due, listed) WHERE due IS NOT NULL AND NOT stop;
  CREATE INDEX fresh_sessions ON ${schema}.sessions (agent, due, listed) WHERE due IS NOT NULL AND NOT stop AND fresh;
  CREATE INDEX claimed_sessions ON ${schema}.sessions (claim_host) WHERE due IS NOT NULL AND NOT stop AND claim_host IS NOT NULL;
  CREATE INDEX sessions_by_agent ON ${schema}.sessions (agent, listed) WHERE agent IS NOT NULL;
  CREATE INDEX sessions_by_agent_and_status ON ${schema}.sessions (agent, status, listed) WHERE agent IS NOT NULL;
  CREATE INDEX sessions_by_owner ON ${schema}.sessions (owner, listed) WHERE owner IS NOT NULL;
  CREATE INDEX sessions_by_owner_and_status ON ${schema}.sessions (owner, status, listed) WHERE owner IS NOT NULL;
  CREATE INDEX sessions_by_parent ON ${schema}.sessions (parent, listed) WHERE parent IS NOT NULL;
  CREATE INDEX sessions_by_title ON ${schema}.sessions (title, listed) WHERE title IS NOT NULL;

  ${dropEarlier(schema)}
  ${commitFunction(schema)}
  `,

  (schema) => `
  CREATE TABLE ${schema}.duties (
    digest bytea PRIMARY KEY,              -- SHA-256 of the duty and the terms
    duty bytea NOT NULL,                   -- SHA-256 of work that one process of all does, once in a period
    terms text NOT NULL,                   -- how a process would do it
    first_at timestamptz NOT NULL,         -- when one with these terms has asked first, and last
    asked_at timestamptz NOT NULL,
    taken_at timestamptz                   -- when one was given it
  );
  `,

  (schema) => `
  CREATE TABLE ${schema}.inbox (
    session_id bigint NOT NULL REFERENCES ${schema}.sessions (id) ON DELETE CASCADE,
    number bigint GENERATED ALWAYS AS IDENTITY, -- the order in which entries were sent
    digest bytea NOT NULL,                 -- SHA-256 of the id
    after text,                            -- the run whose end it waits for
    held boolean NOT NULL DEFAULT false,   -- it can no longer be taken back
    entry text NOT NULL,                   -- JSON
    PRIMARY KEY (session_id, digest)
  );
  `,

  // From this version on, a session whose run has left messages is due.
  commitFunction,

  // From this version on, a commit reports that its inbox was empty.
  commitFunction,

  (schema) => `
  DROP INDEX ${[
    'sessions_by_change',
    'sessions_by_status',
    'sessions_by_name',
    'sessions_by_status_and_name',
    'sessions_by_agent',
    'sessions_by_agent_and_status',
    'sessions_by_owner',
    'sessions_by_owner_and_status',
    'sessions_by_title',
    'sessions_by_agent_and_due',
  ]
    .map((name) => `${schema}.${name}`)
    .join(', ')};

  -- Listings leave out child runs, of which there may be many times as many, unless they are those of one parent.
  CREATE INDEX sessions_by_change ON ${schema}.sessions (listed) WHERE ${outermost};
  CREATE INDEX sessions_by_status ON ${schema}.sessions (status, listed) WHERE ${outermost};
  CREATE INDEX sessions_by_agent ON ${schema}.sessions (agent, listed) WHERE agent IS NOT NULL AND ${outermost};
  CREATE INDEX sessions_by_agent_and_status ON ${schema}.sessions (agent, status, listed) WHERE agent IS NOT NULL AND ${outermost};
  CREATE INDEX sessions_by_owner ON ${schema}.sessions (owner, listed) WHERE owner IS NOT NULL AND ${outermost};
  CREATE INDEX sessions_by_owner_and_status ON ${schema}.sessions (owner, status, listed) WHERE owner IS NOT NULL AND ${outermost};
  CREATE INDEX sessions_by_owner_and_agent ON ${schema}.sessions (owner, agent, listed) WHERE owner IS NOT NULL AND ${outermost};
  CREATE INDEX sessions_by_title ON ${schema}.sessions (title, listed) WHERE title IS NOT NULL AND ${outermost};
  CREATE INDEX sessions_by_name ON ${schema}.sessions (left(session, 200), id) WHERE ${outermost};
  CREATE INDEX sessions_by_status_and_name ON ${schema}.sessions (status, left(session, 200), id) WHERE ${outermost};
  CREATE INDEX sessions_by_agent_and_name ON ${schema}.sessions (agent, left(session, 200), id) WHERE agent IS NOT NULL AND ${outermost};
  CREATE INDEX sessions_by_owner_and_name ON ${schema}.sessions (owner, left(session, 200), id) WHERE owner IS NOT NULL AND ${outermost};

  -- The server takes no statistics of an expression from indexes that leave out rows.
  CREATE STATISTICS ${schema}.names_of_sessions ON (left(session, 200)) FROM ${schema}.sessions;

  CREATE INDEX sessions_by_parent_and_status ON ${schema}.sessions (parent, status, listed) WHERE parent IS NOT NULL;
  CREATE INDEX sessions_by_parent_and_agent ON ${schema}.sessions (parent, agent, listed) WHERE parent IS NOT NULL;
  CREATE INDEX sessions_by_parent_and_owner ON ${schema}.sessions (parent, owner, listed) WHERE parent IS NOT NULL AND owner IS NOT NULL;
  CREATE INDEX sessions_by_parent_and_name ON ${schema}.sessions (parent, left(session, 200), id) WHERE parent IS NOT NULL;

  -- A worker may take a part of its agent's runs: these are told apart within the index.
  CREATE INDEX sessions_by_agent_and_due ON ${schema}.sessions (agent, due, listed, status, left(session, 200))
    WHERE due IS NOT NULL AND NOT stop;
  CREATE INDEX sessions_by_owner_and_due ON ${schema}.sessions (owner, agent, due, listed)
    WHERE due IS NOT NULL AND NOT stop AND owner IS NOT NULL;
  CREATE INDEX sessions_by_parent_and_due ON ${schema}.sessions (parent, agent, due, listed)
    WHERE due IS NOT NULL AND NOT stop AND parent IS NOT NULL;
  `,

  // From this version on, workers find runs that are to stop, too, and abort those that no process executes.
  (schema) => `
  DROP INDEX ${[
    'sessions_by_due',
    'fresh_sessions',
    'claimed_sessions',
    'sessions_by_agent_and_due',
    'sessions_by_owner_and_due',
    'sessions_by_parent_and_due',
  ]
    .map((name) => `${schema}.${name}`)
    .join(', ')};
  CREATE INDEX sessions_by_due ON ${schema}.sessions (due, listed) WHERE due IS NOT NULL;
  CREATE INDEX fresh_sessions ON ${schema}.sessions (agent, due, listed) WHERE due IS NOT NULL AND fresh;
  CREATE INDEX claimed_sessions ON ${schema}.sessions (claim_host) WHERE due IS NOT NULL AND claim_host IS NOT NULL;
  CREATE INDEX sessions_by_agent_and_due ON ${schema}.sessions (agent, due, listed, status, left(session, 200))
    WHERE due IS NOT NULL;
  CREATE INDEX sessions_by_owner_and_due ON ${schema}.sessions (owner, agent, due, listed)
    WHERE due IS NOT NULL AND owner IS NOT NULL;
  CREATE INDEX sessions_by_parent_and_due ON ${schema}.sessions (parent, agent, due, listed)
    WHERE due IS NOT NULL AND parent IS NOT NULL;
  ${commitFunction(schema)}
  `,
];

/** Columns that every commit changes, in the order in which they stand. */
const changing = [
  ['revision', 'bigint'],
  ['updated_at', 'timestamptz'],
  ['commit_id', 'uuid'],
  ['messages', 'integer'],
  ['run', 'text'],
] as const;

/**
 * Moves the columns that every commit changes behind the others, because the database logs only the part of an
 * updated row between the first and the last changed byte.
 */
function moveToEnd(schema: string): string {
  const move = changing.map(
    ([name, type]) => `
  ALTER TABLE ${schema}.sessions RENAME COLUMN ${name} TO earlier_${name};
  ALTER TABLE ${schema}.sessions ADD COLUMN ${name} ${type};`,
  );
  const copied = changing.map(([name]) => `${name} = earlier_${name}`).join(', ');
  const finish = changing.map(
    ([name]) => `
  ALTER TABLE ${schema}.sessions DROP COLUMN earlier_${name}${name === 'run' ? '' : `, ALTER COLUMN ${name} SET NOT NULL`};`,
  );
  return `${move.join('')}
  UPDATE ${schema}.sessions SET ${copied};${finish.join('')}`;
}

/** The oldest program version that may use the newest schema. */
export const oldestProgram = 3;
