import { ShallotError, type AssistantMessage, type Interrupt, type JsonValue } from '@shallot/core';
import { toolCallsOf } from '@shallot/core/plugin';
import { openInterrupts } from '@shallot/core/store';
import { answerInterrupts } from '@shallot/core/work';

import { requireRight } from '../access/authenticator.ts';
import { nameOf, type Identity } from '../access/identity.ts';
import { waitMs } from '../api/run-handlers.ts';
import type { FoundSession, ServerState } from '../api/server-state.ts';
import { approvedCall } from '../chat/questions.ts';
import { isForClient } from '../work/client-tools.ts';
import { isAboutCall, sealCall, sealQuestion } from './sealed-call.ts';
import type { SentResults } from './sent-results.ts';
import { invalid } from './sent-text.ts';

/** The answers of a client to the questions of a run. */
interface Answering {
  readonly identity: Identity;
  readonly request: Request;
  readonly results: SentResults;
}

/**
 * Gives a client's answers to the waiting run, and returns the message whose calls they are about. Answers that the run
 * already has are ignored.
 *
 * @throws `INTERRUPT_UNKNOWN`, `server/FORBIDDEN`, `server/DRAINING`, `server/REQUEST_INVALID` if some are missing
 */
export async function answerClient(
  state: ServerState,
  session: FoundSession,
  { identity, request, results }: Answering,
): Promise<AssistantMessage> {
  state.refuseDraining();
  const sent = [...results.answers.keys()];
  if (sent.some((id) => id.startsWith('mcpr_'))) requireRight(identity, 'answer');
  const asking = await askingMessage(state, session, sent);
  const open = openInterrupts(session.run).flatMap((question) => {
    const id = sealedId(session.id, question);
    return id === undefined || (!isForClient(question) && !results.answers.has(id)) ? [] : [{ id, question }];
  });
  const answers: Record<string, JsonValue> = {};
  for (const { id, question } of open) {
    const answer = results.answers.get(id);
    if (answer !== undefined) answers[question.id] = answer;
  }
  const given = Object.keys(answers).length;
  if (given > 0 && given < open.length)
    throw invalid(`${open.length} calls wait for their results, and ${given} came. Send all of them.`);
  if (given === 0) return asking;
  const options = { owner: identity.owner, by: nameOf(identity), waitMs, signal: request.signal };
  await answerInterrupts(state.store, session.id, answers, options);
  state.wake(session.id);
  return asking;
}

/** Returns the id by which clients know a question; undefined for a question that clients of OpenAI are not asked. */
export function sealedId(sessionId: string, question: Interrupt): string | undefined {
  if (isForClient(question)) return sealCall(sessionId, question.call?.id ?? '');
  const callId = approvedCall(question);
  return callId === undefined ? undefined : sealQuestion(sessionId, { id: question.id, callId });
}

/**
 * Returns the message with the calls that these ids are about.
 * @throws `INTERRUPT_UNKNOWN`
 */
async function askingMessage(
  { store }: ServerState,
  { id }: FoundSession,
  sent: readonly string[],
): Promise<AssistantMessage> {
  const messages = (await store.load(id))?.messages ?? [];
  const isAbout = (message: (typeof messages)[number], sealed: string): boolean =>
    toolCallsOf(message).some((call) => sealCall(id, call.id) === sealed || isAboutCall(sealed, id, call.id));
  const asking = messages.findLast((message) => sent.some((sealed) => isAbout(message, sealed)));
  if (asking?.role === 'assistant' && sent.every((sealed) => isAbout(asking, sealed))) return asking;
  throw new ShallotError('INTERRUPT_UNKNOWN', {
    message: 'The results are not those of the calls of one answer. Send the ids as they came.',
  });
}
