import type { CallAddress } from '../../base/address.ts';
import { ShallotError } from '../../base/errors.ts';
import type { RunRecord, Store } from '../../contract/store.ts';
import { knownSession, type KnownSession } from '../../sessions/content/known-session.ts';
import { openInterrupts } from '../../sessions/content/open-interrupts.ts';
import { checkFormat, quoteSession } from '../../sessions/stores/commit-checks.ts';
import { loadRecord } from '../../sessions/stores/load-record.ts';
import { isResumable } from '../../sessions/stores/resumable.ts';
import { abandonTree } from '../abandon-run.ts';
import type { ActiveRun } from '../active-run.ts';
import { beginChildRun, type RunCaller } from '../begin-run.ts';
import type { ChildEnd, ChildTerms } from '../child-terms.ts';
import { finishedChild } from '../ended-child.ts';
import { withSession } from '../with-session.ts';
import { resumeWith } from './resume-run.ts';

/**
 * Begins a child, or continues it from its stored position. Returns its end if there is nothing to execute because it has
 * finished, or waits for answers that it was not given. @throws `CHILD_REFUSED`, the errors of `resume`
 */
export function beginChild(
  child: ChildTerms,
  caller: RunCaller,
): ActiveRun | ChildEnd | Promise<ActiveRun | ChildEnd> {
  const { parts, session } = child;
  const begin = (known: KnownSession | undefined): ActiveRun | ChildEnd | Promise<ActiveRun | ChildEnd> =>
    beginKnown(child, known, caller);
  return withSession(parts.store, session.id, begin, parts.sessionCache, readChild);
}

/** Reads the session of a child even if it is claimed, since the run around it holds the claim of the root. */
async function readChild(store: Store, sessionId: string): Promise<KnownSession | undefined> {
  const record = await loadRecord(store, sessionId);
  if (record === undefined) return undefined;
  checkFormat(sessionId, record.format);
  return knownSession(record);
}

function beginKnown(
  child: ChildTerms,
  known: KnownSession | undefined,
  caller: RunCaller,
): ActiveRun | ChildEnd | Promise<ActiveRun | ChildEnd> {
  const { parts, session, task } = child;
  const run = known === undefined ? undefined : begunRun(child, known);
  if (known === undefined || run === undefined) return beginNext(child, known, caller);
  if (!isResumable(run)) return { finished: finishedChild(known, run) };
  // Records of earlier versions of this package name no version.
  if (run.agent?.version !== undefined && run.agent.version !== parts.identity?.version)
    return refuseChanged(child);
  const open = openInterrupts(run);
  const { answers, answered } = child.given;
  const given = Object.fromEntries(
    open.flatMap(({ id }) => (answers[id] === undefined ? [] : [[id, answers[id]]])),
  );
  if (run.status === 'interrupted' && open.length > 0 && Object.keys(given).length === 0)
    return { waiting: open, usage: run.usage };
  const by = (id: string): string | undefined => answered?.[id]?.by;
  return resumeWith(
    parts,
    { sessionId: session.id, known },
    given,
    { context: task.context, by },
    caller,
    undefined,
  );
}

/**
 * Closes a child whose definition has changed, because it cannot continue with another definition. @throws
 * `CHILD_REFUSED`
 */
async function refuseChanged(child: ChildTerms): Promise<never> {
  const error = refused(child, 'its definition has changed since it began, so begin the task once more');
  const { code, message } = error;
  await abandonTree(child.parts.store, child.session.id, { code, message });
  throw error;
}

/**
 * Returns the child's last run if the same call began it; undefined if the call has to begin a new run in this session.
 * @throws `CHILD_REFUSED`
 */
function begunRun(child: ChildTerms, { content: { run, about } }: KnownSession): RunRecord | undefined {
  const { call } = child.parent;
  if (about?.parent !== call.sessionId || about.root === undefined)
    throw refused(child, `it is no child of session ${quoteSession(call.sessionId)}`);
  if (run !== undefined && isBegunBy(call, run)) return run;
  if (run !== undefined && isResumable(run)) throw refused(child, 'its last run has not finished');
  return undefined;
}

/** Claims the session of a child for a new run. */
function beginNext(
  child: ChildTerms,
  known: KnownSession | undefined,
  caller: RunCaller,
): ActiveRun | Promise<ActiveRun> {
  const { parts, session, task } = child;
  const { input, context, output } = task;
  if (known === undefined && session.isKnown) throw refused(child, 'its session is gone from the store');
  const options = output === undefined ? { context } : { context, output };
  return beginChildRun(parts, { sessionId: session.id, known }, input, options, caller);
}

/** Stores a child with its input, without executing it. Does nothing if its call has already begun it. */
export async function storeChild(child: ChildTerms, caller: RunCaller): Promise<void> {
  const { parts, session } = child;
  const begin = (known: KnownSession | undefined): ActiveRun | Promise<ActiveRun> | undefined =>
    known !== undefined && begunRun(child, known) !== undefined ? undefined : beginNext(child, known, caller);
  const run = await withSession(parts.store, session.id, begin, parts.sessionCache, readChild);
  if (run === undefined) return;
  const { record } = run;
  // Like a submitted run: its input has passed the taps on the input, and nothing has been executed yet.
  await record.session.release({ run: { ...record.toRecord(), submitted: { isNew: true, prepared: true } } });
}

function isBegunBy({ runId, callId }: CallAddress, { parent }: RunRecord): boolean {
  return parent?.runId === runId && parent.callId === callId;
}

function refused({ session, parts: { name } }: ChildTerms, why: string): ShallotError {
  return new ShallotError('CHILD_REFUSED', {
    message: `The child "${name}" cannot continue in session ${quoteSession(session.id)}: ${why}.`,
  });
}
