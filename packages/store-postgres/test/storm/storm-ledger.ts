import { query } from '../postgres-server.ts';

/**
 * The tables of a storm's ledger: the starts and effects of tools and, recorded by triggers, the times at which each
 * process took a session and each result was committed. All times are by the clock of this machine.
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

/** Records the start of a tool, or of a function of `once`. */
export const noteEntry = `
  INSERT INTO storm.entries (session, call, what, fence, agent, version, at, since_look)
  VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8 / 1000), $8)`;

/** Records the effect of a tool, as a database would that checks fences. */
export const makeEffect = `
  WITH held AS (
    INSERT INTO storm.fences VALUES ($1, $3::bigint)
    ON CONFLICT (session) DO UPDATE SET fence = excluded.fence WHERE fences.fence <= excluded.fence RETURNING 1
  )
  INSERT INTO storm.effects (session, call, isRefused) SELECT $1, $2, NOT EXISTS (SELECT 1 FROM held)`;

/**
 * The time between a check of the claim and the start of a tool, in milliseconds, above which the process was suspended
 * in between.
 */
const standstillMs = 50;

/** The findings of a storm's ledger. */
export interface StormLedger {
  /** The calls whose effect was made, as `session call`. */
  readonly effects: ReadonlySet<string>;
  readonly entries: number;
  /** The number of effects that the fence refused, because the process had been suspended. */
  readonly refused: number;
  /** The number of starts in processes that were suspended between the check of their claim and the start. */
  readonly suspendedInside: number;
  /** Starts in a session that another process had, although the claim was checked. */
  readonly ofAnother: readonly string[];
  /** Starts of calls whose result was already recorded. */
  readonly repeated: readonly string[];
  /** Effects that were made although their result was already recorded. */
  readonly doubled: readonly string[];
  /** Starts by an agent that the run was not meant for, and sessions in which two versions worked. */
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
  // An entry may be written after the result of its call, so the entry's own time counts.
  const onRecord = (table: string): string =>
    `EXISTS (SELECT 1 FROM storm.results r WHERE r.session = ${table}.session AND r.call = ${table}.call AND r.at < ${table}.at)`;
  return {
    effects: new Set(await list('SELECT DISTINCT session, call FROM storm.effects WHERE NOT isRefused')),
    entries: await count('SELECT count(*) FROM storm.entries'),
    refused: await count('SELECT count(*) FROM storm.effects WHERE isRefused'),
    suspendedInside: await count(`SELECT count(*) ${late} AND since_look > ${standstillMs}`),
    ofAnother: await list(`SELECT session, call, what, since_look ${late} AND since_look <= ${standstillMs}`),
    // A session that is deleted while the response to its first commit is pending is created again by that commit, so
    // visited sessions are left out.
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
