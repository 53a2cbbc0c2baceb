import { query } from '../postgres-server.ts';

/**
 * The traces of a storm, beside the tables of the store: the entries and effects of tools, and by triggers who had each
 * session from when, and when each result was committed. All times are those of this machine.
 */
const tables = `
  CREATE SCHEMA storm;
  CREATE TABLE storm.holders (session text, fence bigint, at timestamptz DEFAULT clock_timestamp());
  CREATE INDEX ON storm.holders (session);
  CREATE TABLE storm.results (session text, call text, at timestamptz DEFAULT clock_timestamp());
  CREATE INDEX ON storm.results (session, call);
  CREATE TABLE storm.entries (
    session text, call text, what text, fence bigint, agent text, version text,
    at timestamptz,        -- of the first instruction
    since_look float8      -- milliseconds from the last look at a clock until then
  );
  CREATE TABLE storm.fences (session text PRIMARY KEY, fence bigint);
  CREATE TABLE storm.effects (session text, call text, isRefused boolean, at timestamptz DEFAULT clock_timestamp());

  CREATE FUNCTION storm.note_holder() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'INSERT' OR NEW.claim_owner IS DISTINCT FROM OLD.claim_owner THEN
      INSERT INTO storm.holders VALUES (NEW.session, NEW.revision);
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_holder AFTER INSERT OR UPDATE ON shallot.sessions
    FOR EACH ROW WHEN (NEW.claim_owner IS NOT NULL) EXECUTE FUNCTION storm.note_holder();

  CREATE FUNCTION storm.note_message() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.message::json->>'role' = 'tool' THEN
      INSERT INTO storm.results SELECT session, NEW.message::json->>'callId' FROM shallot.sessions WHERE id = NEW.session_id;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_message AFTER INSERT ON shallot.messages FOR EACH ROW EXECUTE FUNCTION storm.note_message();

  CREATE FUNCTION storm.note_journal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.entry::json->>'type' = 'final' THEN
      INSERT INTO storm.results SELECT session, NEW.entry::json->'message'->>'callId' FROM shallot.sessions WHERE id = NEW.session_id;
    ELSIF NEW.entry::json->>'type' = 'once' THEN
      INSERT INTO storm.results SELECT session, NEW.entry::json->>'value' FROM shallot.sessions WHERE id = NEW.session_id;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_journal AFTER INSERT OR UPDATE ON shallot.journal FOR EACH ROW EXECUTE FUNCTION storm.note_journal();`;

/** The first instruction of a tool, or of a function that it runs once. */
export const noteEntry = `
  INSERT INTO storm.entries (session, call, what, fence, agent, version, at, since_look)
  VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8 / 1000), $8)`;

/** The effect of a tool, as a database has it that compares fences. */
export const makeEffect = `
  WITH held AS (
    INSERT INTO storm.fences VALUES ($1, $3::bigint)
    ON CONFLICT (session) DO UPDATE SET fence = excluded.fence WHERE fences.fence <= excluded.fence RETURNING 1
  )
  INSERT INTO storm.effects (session, call, isRefused) SELECT $1, $2, NOT EXISTS (SELECT 1 FROM held)`;

/** The milliseconds that a process stood still between its look at the claim and its first instruction. */
const standstillMs = 50;

/** The effects of a storm on sessions and tools. */
export interface StormLedger {
  /** Calls whose effect was made, as `session call`. */
  readonly effects: ReadonlySet<string>;
  readonly entries: number;
  /** Effects of processes that had slept, which the fence refused. */
  readonly refused: number;
  /** Entries of processes that were suspended between the look at their claim and the first instruction. */
  readonly suspendedInside: number;
  /** Entries into a session that another process had, although the claim was looked at. */
  readonly ofAnother: readonly string[];
  /** Entries whose result was on record already. */
  readonly repeated: readonly string[];
  /** Effects that were made although their result was on record. */
  readonly doubled: readonly string[];
  /** Entries by an agent that the run was not for, and sessions in which two versions worked. */
  readonly byWrong: readonly string[];
}

export async function createLedger(url: string): Promise<void> {
  await query(url, tables);
}

export async function readLedger(url: string): Promise<StormLedger> {
  const list = async (sql: string): Promise<string[]> =>
    (await query(url, sql)).map((row) => Object.values(row).join(' '));
  const count = async (sql: string): Promise<number> => Number((await list(sql))[0]);
  const late = `FROM storm.entries e WHERE EXISTS
    (SELECT 1 FROM storm.holders h WHERE h.session = e.session AND h.fence > e.fence AND h.at < e.at)`;
  // A result may be on record before an entry that began earlier could be noted: the entry's own time counts.
  const onRecord = (table: string): string =>
    `EXISTS (SELECT 1 FROM storm.results r WHERE r.session = ${table}.session AND r.call = ${table}.call AND r.at < ${table}.at)`;
  return {
    effects: new Set(await list('SELECT DISTINCT session, call FROM storm.effects WHERE NOT isRefused')),
    entries: await count('SELECT count(*) FROM storm.entries'),
    refused: await count('SELECT count(*) FROM storm.effects WHERE isRefused'),
    suspendedInside: await count(`SELECT count(*) ${late} AND since_look > ${standstillMs}`),
    ofAnother: await list(`SELECT session, call, what, since_look ${late} AND since_look <= ${standstillMs}`),
    // A session that is deleted while the answer to its first commit is awaited comes back with it.
    repeated: await list(
      `SELECT session, call, what FROM storm.entries
       WHERE since_look <= ${standstillMs} AND session NOT LIKE 'visit-%' AND ${onRecord('entries')}`,
    ),
    doubled: await list(
      `SELECT session, call FROM storm.effects WHERE NOT isRefused AND ${onRecord('effects')}`,
    ),
    byWrong: [
      ...(await list(`SELECT session, agent FROM storm.entries WHERE agent <> split_part(session, '-', 2)`)),
      ...(await list(
        `SELECT session, string_agg(DISTINCT version, ' ') FROM storm.entries WHERE session NOT LIKE 'visit-%'
         GROUP BY session HAVING count(DISTINCT version) > 1`,
      )),
    ],
  };
}
