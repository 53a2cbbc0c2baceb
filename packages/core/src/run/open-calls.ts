import { textPart, toMessage, type ToolMessage } from '../contract/messages.ts';
import { finalKey } from '../sessions/content/journal-keys.ts';
import { notExecuted, openCalls, type OpenCall } from '../sessions/content/pairing.ts';
import type { LiveSession } from '../sessions/live/live-session.ts';
import { givenAnswers, withAnswers } from '../sessions/questions/given-answers.ts';
import { changedText } from './tools/changed-text.ts';

/** Returns results for the open calls of a run. */
export function resultsOfOpenCalls(session: LiveSession, why: string, newId: () => string): ToolMessage[] {
  const { lastRun } = session;
  return openCalls(session.lastTurn()).map((call) => {
    const result = resultOfOpenCall(session, call, why, newId);
    return lastRun?.answered === undefined ? result : withAnswers(result, givenAnswers(lastRun, call.callId));
  });
}

/**
 * Returns the result of an abandoned call: its journalled result if there is one; "unknown" if the execution had
 * started; otherwise "not executed", with the reason.
 */
export function resultOfOpenCall(
  session: LiveSession,
  call: OpenCall,
  why: string,
  newId: () => string,
): ToolMessage {
  const final = session.journalled(finalKey(call.callId));
  if (final?.type === 'final') return final.message;
  const execution = session.lastExecution(call.callId);
  if (execution === undefined) return notExecuted(call, why, newId);
  const unknown = `It is not known whether this call took effect: it had started when ${why}.`;
  const content = [...changedText(execution), textPart(unknown)];
  const rest =
    execution.type === 'raw' && execution.held !== true ? execution.result : { content, isError: true };
  // The raw result was validated before it was journalled.
  return toMessage({ role: 'tool', ...call, content: [], ...rest }, newId) as ToolMessage;
}
