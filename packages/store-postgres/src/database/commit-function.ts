/**
 * Returns SQL that drops the functions of an earlier version. Older programs call these, and notice by their absence
 * that they cannot continue.
 */
export function dropEarlier(schema: string): string {
  return ['commit_session', 'commit_noting', 'message_position']
    .map((name) => `DROP FUNCTION IF EXISTS ${schema}.${name};`)
    .join(' ');
}

/**
 * Returns the SQL function that checks and applies a change of a session in one round trip. Its outcome:
 *
 * - `ok` with the new revision; also if this commit was applied before, but its response was lost. `held` is
 *   `nothing sent` if the inbox was empty
 * - `revision` with the stored revision, `format` with the stored format, and `replace` with the number of stored
 *   messages, if the change does not fit them
 * - `claim` with the claim of another process, and the time until it expires by the clock of the database
 */
export function commitFunction(schema: string): string {
  return sql.replaceAll('{schema}', schema).replaceAll('{name}', schema.replaceAll('"', ''));
}

const sql = `
DROP FUNCTION IF EXISTS {schema}.commit_change;
CREATE FUNCTION {schema}.commit_change(
  p_digest bytea, p_session text, p_commit uuid, p_revision bigint, p_format integer,
  p_append text[],
  p_from integer[], p_to integer[], p_counts integer[], p_replacements text[],
  p_state_digests bytea[], p_state_plugins text[], p_state_keys text[], p_state_entries text[],
  p_journal_digests bytea[], p_journal_keys text[], p_journal_entries text[],
  p_run text, p_status text, p_interrupts integer, p_due_ms double precision,
  p_agent text, p_agent_version text, p_fresh boolean,
  p_claiming text, p_claim text, p_owner text, p_host text, p_lease_ms double precision, p_wake boolean, p_dead text,
  p_about text, p_owner_name text, p_parent text, p_title text,
  OUT outcome text, OUT number double precision, OUT held text, OUT held_ms double precision
)
LANGUAGE plpgsql AS $function$
DECLARE
  now timestamptz := clock_timestamp();
  s {schema}.sessions%ROWTYPE;
  is_new boolean;
  total integer;
  next bigint;
  keeps_stop boolean;
  is_within boolean;
  has_sent boolean;
  has_live boolean;
  next_due timestamptz := now + p_due_ms * interval '1 millisecond';
  before numeric;
  after numeric;
  step numeric;
  used integer := 0;
  count integer;
BEGIN
  IF p_claiming = 'keep' AND p_status = 'running' THEN
    -- Nothing below depends on what may change without a revision, and the update checks the revision again.
    SELECT * INTO s FROM {schema}.sessions WHERE digest = p_digest;
  ELSE
    SELECT * INTO s FROM {schema}.sessions WHERE digest = p_digest FOR UPDATE;
  END IF;
  is_new := NOT FOUND;
  IF NOT is_new AND s.commit_id = p_commit THEN
    outcome := 'ok'; number := s.revision; RETURN;
  END IF;
  IF NOT is_new AND s.format > p_format THEN
    outcome := 'format'; number := s.format; RETURN;
  END IF;
  IF coalesce(s.revision, 0) <> p_revision THEN
    outcome := 'revision'; number := coalesce(s.revision, 0); RETURN;
  END IF;
  IF p_claiming = 'set' AND s.claim_owner <> p_owner AND s.claim_expires > now
    AND s.claim_owner IS DISTINCT FROM p_dead THEN
    outcome := 'claim'; held := s.claim; held_ms := extract(epoch FROM s.claim_expires - now) * 1000; RETURN;
  END IF;

  SELECT EXISTS (SELECT FROM {schema}.inbox WHERE session_id = s.id), EXISTS (SELECT FROM {schema}.live WHERE session_id = s.id)
    INTO has_sent, has_live;
  IF p_status = 'completed' AND next_due IS NOT NULL AND NOT has_sent THEN
    -- A run that has ended is due only for what it has left.
    next_due := NULL;
  END IF;

  total := coalesce(s.messages, 0);
  FOR i IN 1 .. coalesce(array_length(p_from, 1), 0) LOOP
    IF p_from[i] < 0 OR p_to[i] < p_from[i] OR p_to[i] > total THEN
      outcome := 'replace'; number := s.messages; RETURN;
    END IF;
    total := total + p_counts[i] - (p_to[i] - p_from[i]);
  END LOOP;
  total := total + coalesce(array_length(p_append, 1), 0);
  next := nextval('{schema}.revisions');
  keeps_stop := CASE p_claiming
    WHEN 'keep' THEN true
    WHEN 'set' THEN p_owner IS NOT DISTINCT FROM s.claim_owner
    ELSE p_run IS NULL OR (NOT p_fresh AND (p_status = 'running' OR (p_status <> 'completed' AND next_due IS NOT NULL)))
  END;

  IF is_new THEN
    INSERT INTO {schema}.sessions
      (digest, session, format, revision, listed, commit_id, created_at, updated_at, messages, run, status, interrupts,
       agent, agent_version, fresh, claim, claim_owner, claim_host, claim_expires, due, stop,
       about, owner, parent, title)
    VALUES
      (p_digest, p_session, p_format, next, next, p_commit, now, now, total, p_run, p_status, coalesce(p_interrupts, 0),
       p_agent, p_agent_version, coalesce(p_fresh, false),
       p_claim, p_owner, p_host, now + p_lease_ms * interval '1 millisecond', next_due, false,
       p_about, p_owner_name, p_parent, p_title)
    ON CONFLICT (digest) DO NOTHING
    RETURNING * INTO s;
  ELSE
    -- In the middle of a run no indexed column changes: the new row takes the place of the old one on its page.
    is_within := p_claiming = 'keep' AND s.claim IS NOT NULL AND (p_run IS NULL OR p_status = s.status);
    IF is_within AND next_due <= now AND s.due <= now THEN
      next_due := s.due;
    END IF;
    UPDATE {schema}.sessions SET
      format = p_format, revision = next, commit_id = p_commit, updated_at = now, messages = total,
      listed = CASE WHEN is_within THEN listed ELSE next END,
      run = coalesce(p_run, run),
      agent = CASE WHEN p_run IS NULL THEN agent ELSE p_agent END,
      agent_version = CASE WHEN p_run IS NULL THEN agent_version ELSE p_agent_version END,
      fresh = CASE WHEN p_run IS NULL THEN fresh ELSE p_fresh END,
      taken = CASE p_claiming WHEN 'keep' THEN taken END,
      about = CASE WHEN p_about IS NULL THEN about ELSE p_about END,
      owner = CASE WHEN p_about IS NULL THEN owner ELSE p_owner_name END,
      parent = CASE WHEN p_about IS NULL THEN parent ELSE p_parent END,
      title = CASE WHEN p_about IS NULL THEN title ELSE coalesce(title, p_title) END,
      status = CASE WHEN p_run IS NULL THEN status ELSE p_status END,
      interrupts = CASE WHEN p_run IS NULL THEN interrupts ELSE p_interrupts END,
      due = CASE WHEN p_run IS NULL THEN due ELSE next_due END,
      claim = CASE p_claiming WHEN 'keep' THEN claim ELSE p_claim END,
      claim_owner = CASE p_claiming WHEN 'keep' THEN claim_owner ELSE p_owner END,
      claim_host = CASE p_claiming WHEN 'keep' THEN claim_host ELSE p_host END,
      claim_expires = CASE p_claiming WHEN 'keep' THEN claim_expires
        ELSE now + p_lease_ms * interval '1 millisecond' END,
      stop = stop AND keeps_stop
    WHERE id = s.id AND revision = p_revision;
  END IF;
  IF NOT FOUND THEN
    -- Somebody else was first, perhaps this commit itself over another connection.
    SELECT * INTO s FROM {schema}.sessions WHERE digest = p_digest;
    outcome := CASE WHEN s.commit_id = p_commit THEN 'ok' ELSE 'revision' END; number := coalesce(s.revision, 0); RETURN;
  END IF;
  count := CASE WHEN is_new THEN 0 ELSE s.messages END;

  FOR i IN 1 .. coalesce(array_length(p_from, 1), 0) LOOP
    before := CASE WHEN p_from[i] = 0 THEN NULL ELSE {schema}.message_position(s.id, p_from[i] - 1, count) END;
    after := CASE WHEN p_to[i] = count THEN NULL ELSE {schema}.message_position(s.id, p_to[i], count) END;
    DELETE FROM {schema}.messages WHERE session_id = s.id
      AND (before IS NULL OR position > before) AND (after IS NULL OR position < after);
    IF p_counts[i] > 0 THEN
      -- Halving is exact, whatever the number of digits, so there is always room.
      step := CASE WHEN before IS NULL OR after IS NULL THEN 1
        ELSE (after - before) * power(0.5::numeric, ceil(log(2, p_counts[i] + 1))) END;
      INSERT INTO {schema}.messages (session_id, position, message)
      SELECT s.id,
        trim_scale(CASE WHEN before IS NULL AND after IS NOT NULL THEN after - p_counts[i] - 1 ELSE coalesce(before, 0) END + n * step),
        text
      FROM unnest(p_replacements[used + 1 : used + p_counts[i]]) WITH ORDINALITY AS part (text, n);
      used := used + p_counts[i];
    END IF;
    count := count + p_counts[i] - (p_to[i] - p_from[i]);
  END LOOP;
  IF array_length(p_append, 1) > 0 THEN
    SELECT coalesce(max(position), 0) INTO before FROM {schema}.messages WHERE session_id = s.id;
    INSERT INTO {schema}.messages (session_id, position, message)
    SELECT s.id, ceil(before) + n, text FROM unnest(p_append) WITH ORDINALITY AS part (text, n);
  END IF;

  IF array_length(p_state_digests, 1) > 0 THEN
    DELETE FROM {schema}.state WHERE session_id = s.id AND digest = ANY (p_state_digests);
    INSERT INTO {schema}.state (session_id, digest, plugin, key, entry)
    SELECT s.id, part.* FROM unnest(p_state_digests, p_state_plugins, p_state_keys, p_state_entries)
      AS part (digest, plugin, key, entry) WHERE part.entry IS NOT NULL;
  END IF;
  IF array_length(p_journal_digests, 1) > 0 THEN
    DELETE FROM {schema}.journal WHERE session_id = s.id AND digest = ANY (p_journal_digests);
    INSERT INTO {schema}.journal (session_id, digest, key, entry)
    SELECT s.id, part.* FROM unnest(p_journal_digests, p_journal_keys, p_journal_entries)
      AS part (digest, key, entry) WHERE part.entry IS NOT NULL;
  END IF;
  IF has_live AND (p_claiming = 'remove' OR array_length(p_append, 1) > 0 OR array_length(p_from, 1) > 0) THEN
    -- What was shown of the step is in the messages now, or comes again.
    DELETE FROM {schema}.live WHERE session_id = s.id;
  END IF;
  IF p_wake AND next_due IS NOT NULL AND (p_claiming = 'remove' OR (p_claiming = 'keep' AND s.claim IS NULL)) THEN
    -- One job per session: a further one takes the place of the one that waits.
    PERFORM {schema}.wake_workers(p_digest);
  END IF;
  outcome := 'ok'; number := next; held := CASE WHEN NOT has_sent THEN 'nothing sent' END;
END
$function$;

-- With the rights of its owner: a role that commits needs none on the tables of graphile-worker.
CREATE OR REPLACE FUNCTION {schema}.wake_workers(p_digest bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  s record;
BEGIN
  SELECT session, due, 'shallot:{name}' || coalesce(':' || md5(agent), '') AS task INTO s FROM {schema}.sessions WHERE digest = p_digest AND due IS NOT NULL;
  IF FOUND THEN
    PERFORM graphile_worker.add_job(s.task, json_build_object('session', s.session),
      run_at => s.due, job_key => 'shallot:{name}:' || encode(p_digest, 'hex'));
  END IF;
END
$function$;
REVOKE ALL ON FUNCTION {schema}.wake_workers(bytea) FROM PUBLIC;

CREATE OR REPLACE FUNCTION {schema}.message_position(p_session bigint, p_index integer, p_count integer) RETURNS numeric
LANGUAGE plpgsql STABLE AS $function$
DECLARE
  found numeric;
BEGIN
  -- Counted from whichever end is nearer.
  IF p_index < p_count / 2 THEN
    SELECT position INTO found FROM {schema}.messages WHERE session_id = p_session
      ORDER BY position OFFSET p_index LIMIT 1;
  ELSE
    SELECT position INTO found FROM {schema}.messages WHERE session_id = p_session
      ORDER BY position DESC OFFSET p_count - 1 - p_index LIMIT 1;
  END IF;
  RETURN found;
END
$function$;
`;
