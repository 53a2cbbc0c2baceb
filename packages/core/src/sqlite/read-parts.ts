import { decodeText, parseFrozen } from '../base/encode-text.ts';
import type { JournalEntry, RunRecord, SessionRecord, StateEntry, StateRecord } from '../contract/store.ts';
import { checksum } from './checksum.ts';
import type { Database } from './database.ts';
import type { SessionRow } from './session-row.ts';
import { damaged } from './sqlite-errors.ts';

/** Returns a session's parts beside its messages, frozen and checked. @throws `STORE_DAMAGED` */
export function readParts(
  database: Database,
  row: SessionRow,
): Pick<SessionRecord, 'state' | 'journal' | 'run'> {
  const run = readRun(database, row);
  const [state, stateSum] = readState(database, row);
  const [journal, journalSum] = readJournal(database, row);
  if (stateSum + journalSum !== row.entries) {
    throw damaged(database.path, `session "${row.session}" is missing a part of its state or journal`);
  }
  return run === undefined ? { state, journal } : { state, journal, run };
}

// The casts below rely on checksums: the data is what a commit wrote, which was typed.

/** Returns the state, and the sum of its checksums. */
function readState(database: Database, row: SessionRow): [StateRecord, number] {
  let sum = 0;
  const plugins = new Map<string, [string, StateEntry][]>();
  const rows = database
    .prepare('SELECT plugin, key, entry, crc FROM state WHERE session_id = ?')
    .iterate(row.id);
  for (const { plugin, key, entry, crc } of rows) {
    const value = parseChecked(database, row, String(entry), crc, String(plugin), String(key));
    sum += Number(crc);
    const id = decodeText(String(plugin));
    const entries = plugins.get(id) ?? [];
    // Its checksum proves that the store wrote it.
    entries.push([decodeText(String(key)), value as StateEntry]);
    plugins.set(id, entries);
  }
  // `fromEntries` defines members, so `__proto__` is an ordinary key.
  const state = Object.fromEntries(
    Array.from(plugins, ([plugin, entries]) => [plugin, Object.freeze(Object.fromEntries(entries))]),
  );
  return [Object.freeze(state), sum];
}

/** Returns the journal, and the sum of its checksums. */
function readJournal(database: Database, row: SessionRow): [Readonly<Record<string, JournalEntry>>, number] {
  let sum = 0;
  const entries: [string, JournalEntry][] = [];
  const rows = database.prepare('SELECT key, entry, crc FROM journal WHERE session_id = ?').iterate(row.id);
  for (const { key, entry, crc } of rows) {
    const value = parseChecked(database, row, String(entry), crc, String(key));
    sum += Number(crc);
    // Its checksum proves that the store wrote it.
    entries.push([decodeText(String(key)), value as JournalEntry]);
  }
  return [Object.freeze(Object.fromEntries(entries)), sum];
}

function readRun(database: Database, row: SessionRow): RunRecord | undefined {
  const stored = database.prepare('SELECT run, crc FROM runs WHERE session_id = ?').get(row.id);
  if (stored === undefined && row.status === null) return undefined;
  if (stored === undefined) throw damaged(database.path, `session "${row.session}" is missing its run`);
  // Its checksum proves that the store wrote it.
  return parseChecked(database, row, String(stored['run']), stored['crc']) as RunRecord;
}

/** Parses a JSON text after checking its checksum, which includes `keys`. */
function parseChecked(
  database: Database,
  row: SessionRow,
  text: string,
  crc: unknown,
  ...keys: readonly string[]
): unknown {
  if (crc !== checksum(row.id, ...keys, text)) throw altered(database, row);
  return parseFrozen(text);
}

function altered(database: Database, row: SessionRow): Error {
  return damaged(database.path, `a part of session "${row.session}" was altered`);
}
