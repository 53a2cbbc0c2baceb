import { ShallotError } from '../base/errors.ts';
import { randomId } from '../base/node-crypto.ts';
import { textPart, toMessage, type Message } from '../contract/messages.ts';
import type { RunFailure, RunRecord, SessionRecord, Store } from '../contract/store.ts';
import { knownSession } from '../sessions/content/known-session.ts';
import { LiveSession } from '../sessions/live/live-session.ts';
import { refuseClaimed } from '../sessions/stores/commit-checks.ts';
import { loadRecord } from '../sessions/stores/load-record.ts';
import { isResumable } from '../sessions/stores/resumable.ts';
import { resultsOfOpenCalls } from './open-calls.ts';

/**
 * Returns the messages that an abandoned run adds to the session: results for its open calls, and the streamed text of
 * an aborted answer, marked with `metadata.core.brokenOff`. None if the last run cannot be resumed.
 */
export function messagesOfAbandoned(session: LiveSession, newId: () => string): readonly Message[] {
  const run = session.lastRun;
  if (run === undefined || !isResumable(run)) return [];
  const results = resultsOfOpenCalls(session, reasons[run.status], newId);
  const { shown = '' } = run;
  if (shown.trim() === '') return results;
  const content = [textPart(shown)];
  return [
    ...results,
    toMessage({ role: 'assistant', content, metadata: { core: { brokenOff: true } } }, newId),
  ];
}

const reasons: Readonly<Record<RunRecord['status'], string>> = {
  aborted: 'the run was aborted',
  failed: 'the run failed',
  completed: 'the run was abandoned',
  interrupted: 'the run was abandoned',
  running: 'the run was abandoned',
};

/**
 * Abandons the unfinished run of a session, and the child runs below it, without an agent: answers its open calls and
 * withdraws its questions. @throws `SESSION_NOT_FOUND`, `SESSION_NOT_RESUMABLE`, `STORE_CONFLICT`
 */
export async function abandonRun(store: Store, sessionId: string): Promise<void> {
  const record = await loadRecord(store, sessionId);
  if (record === undefined) {
    throw new ShallotError('SESSION_NOT_FOUND', {
      message: `There is no session "${sessionId}" with a run to abandon.`,
    });
  }
  refuseClaimed(record);
  const { run } = record;
  if (run === undefined || !isResumable(run)) throw nothingToResume(sessionId, run);
  await giveUp(store, record, run);
}

/**
 * Abandons the children first: if one of them cannot be abandoned, the run around them can still be abandoned later.
 */
async function giveUp(
  store: Store,
  record: SessionRecord,
  run: RunRecord,
  end: Partial<RunRecord> = {},
): Promise<void> {
  for (const child of childrenIn(run)) await abandonTree(store, child);
  const session = new LiveSession(store, record.id, knownSession(record));
  const append = messagesOfAbandoned(session, () => randomId(`${run.id}.given-up`));
  const { shown: _, answered: __, ...rest } = run;
  await session.release({
    append,
    ...session.clearedJournal(),
    run: { ...rest, ...givenUp, ...end },
  });
}

/**
 * Abandons the unfinished run of a child and the runs below it, if they still exist; a failed one stays failed. `why`
 * becomes the child's failure. A claim on the child is ignored, because only the claim of the root counts. @throws
 * `STORE_CONFLICT`
 */
export async function abandonTree(store: Store, sessionId: string, why?: RunFailure): Promise<void> {
  const record = await loadRecord(store, sessionId);
  const { run } = record ?? {};
  if (record === undefined || run === undefined || !isResumable(run)) return;
  const end = run.status === 'failed' ? ({ status: 'failed', stopReason: 'error' } as const) : {};
  await giveUp(store, record, run, why === undefined ? end : { ...end, failure: why });
}

/** Returns the sessions of the unsettled children of an unfinished run; empty for a run that is over. */
export function childrenIn(run: RunRecord | undefined): readonly string[] {
  return run !== undefined && isResumable(run) ? Object.keys(run.children?.usage ?? {}) : [];
}

const givenUp = {
  status: 'aborted',
  stopReason: 'abort',
  position: { at: 'end' },
  interrupts: [],
  answers: {},
} as const satisfies Partial<RunRecord>;

/** Returns the error for a session whose last run has ended. */
export function nothingToResume(sessionId: string, run: RunRecord | undefined): ShallotError {
  return new ShallotError('SESSION_NOT_RESUMABLE', {
    message: `The last run of session "${sessionId}" has ended (${run?.status ?? 'there was none'}). Use run to continue.`,
  });
}
