import { InterruptSignal } from '../../contract/interrupt-signal.ts';
import { textPart, toMessage } from '../../contract/messages.ts';
import type { BackgroundChild } from '../../contract/work/child.ts';
import { openUnder } from '../ask.ts';
import type { RunParts } from '../run-parts.ts';
import type { BackgroundChildren } from './background-children.ts';

/**
 * Waits until no background child is working, then moves the run to a step that tells the model of their ends, unless
 * the run is stopping. @throws the interrupt of their questions if any of them waits for answers
 */
export async function waitForChildren(run: RunParts, children: BackgroundChildren): Promise<void> {
  const { life, record, terms } = run;
  await children.settled();
  life.throwIfStopped();
  if (life.isStopping || terms.parent?.isStopping === true) return;
  let first: InterruptSignal | undefined;
  for (const { callId, interrupts } of children.waiting) {
    const asked = await openUnder(run, callId, interrupts, undefined);
    if (asked !== undefined) first ??= new InterruptSignal(asked);
  }
  if (first !== undefined) throw first;
  record.progress.moveTo({ at: 'step' });
}

/** Reports ended children to the model. One commit appends the message and forgets them. */
export async function takeEnds(run: RunParts, children: BackgroundChildren): Promise<void> {
  const { record, signs } = run;
  const { over } = children;
  if (over.length === 0) return;
  const { newMessageId, progress, questions, session } = record;
  const content = [textPart(over.map(lineOf).join('\n'))];
  const told = toMessage({ role: 'user', content, source: 'children' }, newMessageId);
  const message = over.reduce(
    (noted, { sessionId }) => questions.noteIn(noted, children.callOf(sessionId)),
    told,
  );
  await children.forget(over.map(({ sessionId }) => sessionId));
  await session.commit({ append: [message], run: record.toRecord() });
  void signs.listener?.({ type: 'message-taken', step: progress.step, message });
}

function lineOf({ agent, sessionId, status }: BackgroundChild): string {
  const how = status === 'failed' ? 'has failed' : 'has ended';
  return `[In the background, the agent "${agent}" ${how}: session ${sessionId}.]`;
}
