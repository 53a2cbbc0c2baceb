import { encodeText } from '../base/encode-text.ts';
import { recordFormat, type JournalEntry, type SessionChange, type StateEntry } from '../contract/store.ts';
import { keepsStop, statusOf } from '../sessions/stores/due-at.ts';
import { nextAbout, runColumns } from '../sessions/stores/run-columns.ts';
import { checksum } from './checksum.ts';
import type { Database } from './database.ts';
import { lastDeleted } from './deleted-revisions.ts';
import { hasSent, takeFromInbox } from './inbox.ts';
import { appendMessages, replaceMessages } from './message-rows.ts';
import { aboutOf, claimOf, nextSession, putSession, type SessionRow } from './session-row.ts';

/** Writes a checked change, and returns the next revision; `row` is undefined for a new session. */
export function writeChange(
  database: Database,
  sessionId: string,
  row: SessionRow | undefined,
  change: SessionChange,
): number {
  const { append = [], replace = [], state = {}, journal = {}, run } = change;
  const now = Date.now();
  const counts = replace.map(({ from, to, messages }) => messages.length - (to - from));
  const messages = counts.reduce((sum, count) => sum + count, (row?.messages ?? 0) + append.length);
  const revision = (row?.revision ?? lastDeleted(database)) + 1;
  const id = row?.id ?? nextSession(database);
  let count = row?.messages ?? 0;
  for (const [index, part] of replace.entries()) {
    replaceMessages(database, id, count, part);
    count += counts[index] ?? 0;
  }
  if (append.length > 0) appendMessages(database, id, append);
  let entries = row?.entries ?? 0;
  for (const [plugin, ofPlugin] of Object.entries(state)) {
    for (const [key, entry] of Object.entries(ofPlugin))
      entries += putState(database, id, plugin, key, entry);
  }
  for (const [key, entry] of Object.entries(journal)) entries += putJournal(database, id, key, entry);
  if (run !== undefined) putRun(database, id, JSON.stringify(run));
  if (change.taken !== undefined) takeFromInbox(database, id, change.taken);
  const columns = runColumns(change);
  const noted = row && aboutOf(row);
  const about = change.about === undefined ? noted : nextAbout(noted, change.about);
  putSession(database, {
    id,
    session: encodeText(sessionId),
    format: recordFormat,
    revision,
    created_at: row?.created_at ?? now,
    updated_at: now,
    changed: isWithinRun(row, change) ? row?.changed : undefined,
    messages,
    entries,
    ...(columns === undefined
      ? {
          status: row?.status ?? null,
          interrupts: row?.interrupts ?? 0,
          due: row?.due ?? null,
          agent: row?.agent ?? null,
          agent_version: row?.agent_version ?? null,
        }
      : {
          status: columns.status ?? null,
          interrupts: columns.interrupts,
          due: columns.due ?? (columns.isDueIfSent && hasSent(database, id) ? 0 : null),
          agent: toText(columns.agent?.id),
          agent_version: toText(columns.agent?.version),
        }),
    claim: change.claim === undefined ? (row?.claim ?? null) : change.claim && JSON.stringify(change.claim),
    stop: keepsStop(change, row && claimOf(row)) ? (row?.stop ?? 0) : 0,
    about: about === undefined ? null : JSON.stringify(about),
    owner: toText(about?.owner),
    parent: toText(about?.parent),
    title: toText(about?.title),
  });
  return revision;
}

/**
 * Returns true for a commit in the middle of a run: listings keep the session in its place, so that no index is written.
 */
function isWithinRun(row: SessionRow | undefined, { claim, run }: SessionChange): boolean {
  if (row === undefined || row.claim === null || claim !== undefined) return false;
  return run === undefined || statusOf(run) === row.status;
}

function toText(value: string | undefined): string | null {
  return value === undefined ? null : encodeText(value);
}

/** Sets or removes an entry. Returns the change of the checksum sum. */
function putState(
  database: Database,
  id: number,
  pluginId: string,
  name: string,
  entry: StateEntry | null,
): number {
  const [plugin, key] = [encodeText(pluginId), encodeText(name)];
  const old = database
    .prepare('DELETE FROM state WHERE session_id = ? AND plugin = ? AND key = ? RETURNING crc')
    .get(id, plugin, key);
  const removed = Number(old?.['crc'] ?? 0);
  if (entry === null) return -removed;
  const text = JSON.stringify(entry);
  const crc = checksum(id, plugin, key, text);
  database
    .prepare('INSERT INTO state (session_id, plugin, key, entry, crc) VALUES (?, ?, ?, ?, ?)')
    .run(id, plugin, key, text, crc);
  return crc - removed;
}

/** Sets or removes an entry. Returns the change of the checksum sum. */
function putJournal(database: Database, id: number, name: string, entry: JournalEntry | null): number {
  const key = encodeText(name);
  const old = database
    .prepare('DELETE FROM journal WHERE session_id = ? AND key = ? RETURNING crc')
    .get(id, key);
  const removed = Number(old?.['crc'] ?? 0);
  if (entry === null) return -removed;
  const text = JSON.stringify(entry);
  const crc = checksum(id, key, text);
  database
    .prepare('INSERT INTO journal (session_id, key, entry, crc) VALUES (?, ?, ?, ?)')
    .run(id, key, text, crc);
  return crc - removed;
}

function putRun(database: Database, id: number, run: string): void {
  database
    .prepare('INSERT OR REPLACE INTO runs (session_id, run, crc) VALUES (?, ?, ?)')
    .run(id, run, checksum(id, run));
}
