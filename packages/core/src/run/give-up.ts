import { ShallotError } from '../base/errors.ts';
import { randomId } from '../base/node-crypto.ts';
import { textPart, toMessage, type Message } from '../contract/messages.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import { refuseClaimed } from '../sessions/interrupts.ts';
import { knownSession } from '../sessions/known-session.ts';
import { LiveSession } from '../sessions/live-session.ts';
import { loadRecord } from '../sessions/load-record.ts';
import { isResumable } from '../sessions/resumable.ts';
import { resultsOfOpenCalls } from './open-calls.ts';

/**
 * What a run that is given up leaves in the session: the results of its open calls, as far as anybody knows them, and the
 * text that was streamed of an answer before an abort, marked as broken off with `metadata.core.brokenOff`.
 */
export function leftovers(session: LiveSession, newId: () => string): readonly Message[] {
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
 * Gives up the unfinished run of a session: its open calls are answered with what is known of them, its questions are void.
 * No agent is needed. @throws `SESSION_NOT_FOUND`, `SESSION_NOT_RESUMABLE`, `STORE_CONFLICT`
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
  const session = new LiveSession(store, sessionId, knownSession(record));
  const append = leftovers(session, () => randomId(`${run.id}.given-up`));
  const { shown: _, ...rest } = run;
  await session.release({
    append,
    ...session.clearedJournal(),
    run: { ...rest, ...givenUp },
  });
}

const givenUp = {
  status: 'aborted',
  stopReason: 'abort',
  position: { at: 'end' },
  interrupts: [],
  answers: {},
} as const satisfies Partial<RunRecord>;

/** The error for a session whose last run has come to its end. */
export function nothingToResume(sessionId: string, run: RunRecord | undefined): ShallotError {
  return new ShallotError('SESSION_NOT_RESUMABLE', {
    message: `The last run of session "${sessionId}" has ended (${run?.status ?? 'there was none'}). Use run to continue.`,
  });
}
