import type { JsonValue, UserMessage } from '@shallot/core';

import { decisionOf } from '../chat/questions.ts';
import { readSealed } from './sealed-call.ts';
import { contentIn, invalid, textIn, transcriptOf, withText, type SentItem } from './sent-text.ts';

/**
 * The answers of a client to the questions of a run, by the ids that the client has: results of its tools, and
 * decisions about approval.
 */
export interface SentResults {
  readonly sessionId: string;
  readonly answers: ReadonlyMap<string, JsonValue>;
}

/**
 * Returns the answers at the end of the messages; undefined if there are none.
 * @throws `server/REQUEST_INVALID`
 */
export function resultsIn(items: readonly SentItem[]): SentResults | undefined {
  const before = items.findLastIndex((item) => answerIn(item) === undefined);
  const answers = new Map<string, JsonValue>();
  let sessionId: string | undefined;
  for (const item of items.slice(before + 1)) {
    const { id, answer } = answerIn(item) ?? { id: undefined, answer: null };
    const sealed = typeof id === 'string' ? readSealed(id) : undefined;
    if (sealed === undefined || sealed.sessionId !== (sessionId ?? sealed.sessionId))
      throw invalid(
        `The result of the call ${JSON.stringify(id)} fits no call of this conversation. Send the ids as they came.`,
      );
    sessionId = sealed.sessionId;
    answers.set(sealed.id, answer);
  }
  return sessionId === undefined ? undefined : { sessionId, answers };
}

/** Returns the answer in a message or item; undefined for other items. */
function answerIn(item: SentItem): { readonly id: unknown; readonly answer: JsonValue } | undefined {
  const { role, type, content, output, approve, reason } = item;
  if (role === 'tool') return { id: item['tool_call_id'], answer: { content: textIn(content) } };
  if (type === 'function_call_output') return { id: item['call_id'], answer: { content: textIn(output) } };
  if (type !== 'mcp_approval_response') return undefined;
  const why = typeof reason === 'string' ? { reason } : {};
  return { id: item['approval_request_id'], answer: decisionOf({ approved: approve === true, ...why }) };
}

/**
 * Returns the content of the last message, after a text with the turns before it.
 * @throws `server/REQUEST_INVALID`
 */
export function inputIn(items: readonly SentItem[]): UserMessage['content'] {
  const place = items.findLastIndex(({ role }) => role !== 'system' && role !== 'developer');
  const last = items[place];
  if (last?.['role'] !== 'user')
    throw invalid('The last message is not of the user, and not the result of a call. Send one of these.');
  return withText(transcriptOf(items.toSpliced(place, 1)), contentIn(last['content']));
}
