import { toMessage, toolCallsOf, type AssistantMessage, type Message } from './messages.ts';
import type { ModelResponse } from './model.ts';

/**
 * The ids of a conversation's tool calls, by its last message: whoever continues a session in the same process finds
 * them without walking the history again. An id too many does no harm, so a set may outlive what it was made for.
 */
const idsByLastMessage = new WeakMap<Message, Set<string>>();

/** The ids that the tool calls of a conversation have had. */
export function callIdsOf(messages: readonly Message[]): Set<string> {
  const last = messages.at(-1);
  const known = last === undefined ? undefined : idsByLastMessage.get(last);
  if (known !== undefined) return known;
  const ids = new Set<string>();
  for (const message of messages) addCallIds(ids, message);
  return ids;
}

export function addCallIds(ids: Set<string>, message: Message): void {
  for (const call of toolCallsOf(message)) ids.add(call.id);
}

export function rememberCallIds(last: Message, ids: Set<string>): void {
  idsByLastMessage.set(last, ids);
}

/** Completes a model's message: missing and repeated ids of tool calls are replaced. */
export function withUniqueCalls(
  message: ModelResponse['message'],
  used: () => ReadonlySet<string>,
  newId: () => string,
): AssistantMessage {
  const taken = new Set<unknown>(['', undefined]);
  let replaced = false;
  const content = message.content.map((part) => {
    if (part.type !== 'tool-call') return part;
    const repeated = taken.has(part.id) || used().has(part.id);
    const id = repeated ? `call_${newId().replaceAll(/[^A-Za-z0-9]/g, '_')}` : part.id;
    taken.add(id);
    replaced ||= repeated;
    return repeated ? { ...part, id } : part;
  });
  // The role of what goes in is the role of what comes out.
  return toMessage(replaced ? { ...message, content } : message, newId) as AssistantMessage;
}
