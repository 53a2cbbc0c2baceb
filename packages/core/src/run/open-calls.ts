import { textPart, toMessage, type ToolMessage } from '../contract/messages.ts';
import { finalKey } from '../sessions/journal-keys.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import { notExecuted, openCalls, type OpenCall } from '../sessions/pairing.ts';
import { changedText } from './tools/unknown-effect.ts';

/** The results of the calls that a run leaves open. */
export function resultsOfOpenCalls(session: LiveSession, why: string, newId: () => string): ToolMessage[] {
  return openCalls(session.lastTurn()).map((call) => resultOfOpenCall(session, call, why, newId));
}

/**
 * The result of a call that is given up, told as it is: a result that was journalled is the result, of a call that had begun
 * it is said that nobody knows, and only of the others that they were not executed, and why.
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
  // A raw result was checked to be one when it was journalled.
  return toMessage({ role: 'tool', ...call, content: [], ...rest }, newId) as ToolMessage;
}
