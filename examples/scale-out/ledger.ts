import { randomUUID } from 'node:crypto';

import { safeName } from '@shallot/core';
import type { Files } from '@shallot/core/files';

/** The effect of a tool, at each execution. */
export interface LedgerEntry {
  readonly entry: string;
  readonly callId: string;
  readonly done: string;
}

/** Writes down that something was done, and returns the number of the entry. It never looks whether it was done before. */
export async function writeEntry(
  files: Files,
  { sessionId, callId, done }: { readonly sessionId: string; readonly callId: string; readonly done: string },
): Promise<string> {
  const entry = randomUUID();
  await files.append(pathOf(sessionId), `${JSON.stringify({ entry, callId, done } satisfies LedgerEntry)}\n`);
  return entry;
}

/** The entries of a session, in the order in which they were written. */
export async function readLedger(files: Files, sessionId: string): Promise<readonly LedgerEntry[]> {
  const { text } = await files.readText(pathOf(sessionId));
  // `writeEntry` wrote them.
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LedgerEntry);
}

function pathOf(sessionId: string): string {
  return `/ledger/${safeName(sessionId)}.jsonl`;
}
