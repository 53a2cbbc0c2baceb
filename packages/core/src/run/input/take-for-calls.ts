import { isShallotError } from '../../base/errors.ts';
import type { InboxEntry, SentAnswers } from '../../contract/work/inbox.ts';
import { askerOf } from '../../sessions/content/open-interrupts.ts';
import { mergeAnswers } from '../../sessions/questions/merge-answers.ts';
import type { GivenTo } from '../../sessions/questions/questions.ts';
import { runError } from '../run-error.ts';
import type { RunParts } from '../run-parts.ts';
import { passAnswers } from './pass-answers.ts';
import { keepEntries } from './pass-input.ts';

/** News for the calls in progress. */
interface CallNews {
  /** The ids of the calls that were answered. */
  readonly answered: ReadonlySet<string>;
  /** True if a message takes the place of the calls that have not begun. */
  readonly hasInstead: boolean;
}

/**
 * Takes the answers to waiting calls, and determines if a message takes the place of calls. The message itself waits for
 * the next model call, and the answer to a call that is still working waits until that call waits for it.
 */
export async function takeForCalls(run: RunParts, waiting: ReadonlySet<string>): Promise<CallNews> {
  const { record, life, terms } = run;
  const { session, questions } = record;
  const isForWork = (id: string): boolean =>
    questions.open.some((asked) => asked.id === id && !waiting.has(askerOf(asked) ?? ''));
  const concerns = (entry: InboxEntry): boolean =>
    'answers' in entry ? !Object.keys(entry.answers).some(isForWork) : entry.instead === true;
  const entries = await life.orAbort(session.sent({ run: terms.id }));
  const ids = entries.filter(concerns).map(({ id }) => id);
  if (ids.length === 0) return nothing;
  // Some entries may have been withdrawn meanwhile; held ones cannot be.
  const held = await life.orAbort(session.sent({ ids, hold: true }));
  if (held.some((entry) => 'message' in entry)) return { ...nothing, hasInstead: true };
  const answers = held.filter((entry) => 'answers' in entry);
  return answers.length === 0 ? nothing : { ...nothing, answered: await takeAnswers(run, answers) };
}

const nothing: CallNews = Object.freeze({ answered: new Set<string>(), hasInstead: false });

/** Commits the answers, together with the record that contains them. Returns the ids of the calls that they answer. */
async function takeAnswers(run: RunParts, entries: readonly SentAnswers[]): Promise<ReadonlySet<string>> {
  const { record, life } = run;
  const answered = new Set<string>();
  const taken: string[] = [];
  for (const entry of entries) {
    const given = await accepted(run, entry);
    if (given === 'for nobody') continue;
    taken.push(entry.id);
    for (const callId of given === 'refused' ? [] : record.questions.give(given)) answered.add(callId);
  }
  life.throwIfStopped();
  if (taken.length > 0) await record.session.commit({ taken, run: record.toRecord() });
  return answered;
}

/**
 * Returns the answers after the taps on the input. If a tap refuses them, the questions stay open. Answers that came too
 * late for their question stay in the inbox, so that their sender learns of it.
 */
async function accepted(
  run: RunParts,
  { answers, by }: SentAnswers,
): Promise<GivenTo | 'refused' | 'for nobody'> {
  const { record, life, terms, signs } = run;
  const { context, parts } = terms;
  try {
    const merged = await mergeAnswers(record.toRecord(), answers, by);
    const given = { context, sessionId: record.session.id, signal: life.signal };
    const passed = await passAnswers(parts, answers, given);
    keepEntries(record.session, passed.kept, run.plugins.root);
    return { ...merged, answers: { ...merged.answers, ...passed.answers } };
  } catch (error) {
    life.throwIfStopped();
    if (isShallotError(error, 'INTERRUPT_UNKNOWN')) return 'for nobody';
    signs.report(runError(terms, signs, error));
    return 'refused';
  }
}
