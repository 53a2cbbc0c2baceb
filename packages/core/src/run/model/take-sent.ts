import { isPromise } from '../../base/is-promise.ts';
import type { Message } from '../../contract/messages.ts';
import { messagesIn, type InboxEntry } from '../../contract/work/inbox.ts';
import { keepEntries, passInput } from '../input/pass-input.ts';
import { runError } from '../run-error.ts';
import type { RunParts } from '../run-parts.ts';
import { paired } from './check-request.ts';

type Entries = readonly InboxEntry[];

/**
 * Returns true if messages are waiting that the run may take, and holds them, so that they cannot be withdrawn. Returns
 * a promise only if the store is asynchronous.
 */
export function isSent(run: RunParts): boolean | Promise<boolean> {
  const entries = run.record.session.holdSent(run.terms.id);
  const some = (held: Entries): boolean => messagesIn(held).length > 0;
  return isPromise(entries) ? run.life.orAbort(entries).then(some) : some(entries);
}

/** Takes the messages that were sent to the run into the session, before a model call. */
export async function takeSent(run: RunParts, sent: Entries | Promise<Entries>): Promise<void> {
  const entries = isPromise(sent) ? await run.life.orAbort(sent) : sent;
  if (entries.length > 0) await takeEach(run, entries);
}

/** Appends the messages and removes their entries in one commit, so that a crash neither loses nor repeats a message. */
async function takeEach(run: RunParts, entries: Entries): Promise<void> {
  const { record, life, signs } = run;
  const { session } = record;
  const added: Message[] = [];
  // Only messages are added; answers whose questions are gone are dropped.
  for (const { message } of messagesIn(entries)) {
    // A message that an earlier run left unread may also be part of this run's input.
    if (!session.hasMessage(message.id)) added.push(...(await accepted(run, message)));
  }
  life.throwIfStopped();
  await session.commit({
    append: added,
    taken: entries.map(({ id }) => id),
    run: record.toRecord(),
  });
  for (const message of added)
    void signs.listener?.({ type: 'message-taken', step: record.progress.step, message });
}

/** Returns the message after the taps on the input; an empty list if one of them refused it. */
async function accepted(run: RunParts, message: Message): Promise<readonly Message[]> {
  const { terms, record, life, signs } = run;
  const { newMessageId } = record;
  const { context, parts } = terms;
  const sessionId = record.session.id;
  const given = { kind: 'input', context, sessionId, signal: life.signal, newMessageId } as const;
  try {
    const { messages, kept } = await passInput(parts, [message], given);
    keepEntries(record.session, kept);
    return paired(record, signs, messages);
  } catch (error) {
    life.throwIfStopped();
    signs.report(runError(terms, signs, error));
    return [];
  }
}
