import { randomUUID } from 'node:crypto';

import { safeName } from '@shallot/core';
import type { Files } from '@shallot/core/files';

/** One execution of a tool, as recorded in the ledger. */
export interface LedgerEntry {
  readonly entry: string;
  readonly callId: string;
  readonly done: string;
}

/** Records that something was done, and returns the id of the entry. It never checks whether that was done before. */
export async function writeEntry(
  files: Files,
  { sessionId, callId, done }: { readonly sessionId: string; readonly callId: string; readonly done: string },
): Promise<string> {
  const entry = randomUUID();
  await files.append(pathOf(sessionId), `${JSON.stringify({ entry, callId, done } satisfies LedgerEntry)}\n`);
  return entry;
}

/** Returns the entries of a session, in the order in which they were written. */
export async function readLedger(files: Files, sessionId: string): Promise<readonly LedgerEntry[]> {
  const { text } = await files.readText(pathOf(sessionId));
  // Each line was written by `writeEntry`.
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LedgerEntry);
}

function pathOf(sessionId: string): string {
  return `/ledger/${safeName(sessionId)}.jsonl`;
}
