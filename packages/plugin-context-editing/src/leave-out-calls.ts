import type { Message, ToolMessage } from '@shallot/core';
import { isLasting, textPart, toolCallsOf } from '@shallot/core/plugin';

import { withoutCalls } from './strip-tool-calls.ts';

const source = 'context-editing';

/**
 * Leaves out the tool calls up to an index, with their results, and puts one line in their place. Calls of a message
 * stay together: all of them stay if one of their results is marked as lasting, is excluded, or comes after the
 * index.
 */
export function leaveOutCalls(
  messages: readonly Message[],
  to: number,
  isExcluded: (result: ToolMessage) => boolean,
): readonly Message[] {
  if (to < 0) return messages;
  const results = new Map<string, ToolMessage>();
  for (const message of messages.slice(0, to + 1))
    if (message.role === 'tool') results.set(message.callId, message);
  const goes = (callId: string): boolean => {
    const result = results.get(callId);
    return result !== undefined && !isLasting(result) && !isExcluded(result);
  };
  const gone = new Set<string>();
  for (const message of messages.slice(0, to + 1)) {
    const calls = message.role === 'assistant' ? toolCallsOf(message) : [];
    if (calls.every(({ id }) => goes(id))) for (const { id } of calls) gone.add(id);
  }
  if (gone.size === 0) return messages;
  const list: Message[] = [];
  let isSaid = false;
  for (const message of messages) {
    // An earlier clearing may have left the same line in the session.
    if (message.source === source) continue;
    const isOut =
      message.role === 'tool'
        ? gone.has(message.callId)
        : message.role === 'assistant' && toolCallsOf(message).some(({ id }) => gone.has(id));
    const rest = isOut ? withoutCalls(message) : message;
    if (isOut && !isSaid) {
      list.push(lineFor(message));
      isSaid = true;
    }
    if (rest !== undefined) list.push(rest);
  }
  return list;
}

/** Returns the line that replaces the calls from this message on. */
function lineFor({ id }: Message): Message {
  const text = 'Earlier tool calls and their results were left out here to save room.';
  return Object.freeze({ id: `${source}-${id}`, role: 'user', content: [textPart(text)], source });
}
