import type { UserMessage } from '@shallot/core';

import { readSealed } from './sealed-call.ts';
import { contentIn, invalid, textIn, transcriptOf, withText, type SentItem } from './sent-text.ts';

/** The results of calls that the client executed, by the ids that it has. */
export interface SentResults {
  readonly sessionId: string;
  readonly contents: ReadonlyMap<string, string>;
}

/** Returns the results at the end of the messages; undefined if there are none. @throws `server/REQUEST_INVALID` */
export function resultsIn(messages: readonly SentItem[]): SentResults | undefined {
  const before = messages.findLastIndex(({ role }) => role !== 'tool');
  const results = messages.slice(before + 1);
  const contents = new Map<string, string>();
  let sessionId: string | undefined;
  for (const { tool_call_id: id, content } of results) {
    const sealed = typeof id === 'string' ? readSealed(id) : undefined;
    if (sealed === undefined || sealed.sessionId !== (sessionId ?? sealed.sessionId))
      throw invalid(
        `The result of the call ${JSON.stringify(id)} fits no call of this conversation. Send the ids as they came.`,
      );
    sessionId = sealed.sessionId;
    contents.set(sealed.id, textIn(content));
  }
  return sessionId === undefined ? undefined : { sessionId, contents };
}

/** Returns the content of the last message, with the turns before it as text. @throws `server/REQUEST_INVALID` */
export function inputIn(messages: readonly SentItem[]): UserMessage['content'] {
  const place = messages.findLastIndex(({ role }) => role !== 'system' && role !== 'developer');
  const last = messages[place];
  if (last?.['role'] !== 'user')
    throw invalid('The last message is not of the user, and not the result of a call. Send one of these.');
  return withText(transcriptOf(messages.toSpliced(place, 1)), contentIn(last['content']));
}
