import {
  completeMessage,
  isWholeMessage,
  toolCallsOf,
  wholeMessage,
  type AssistantMessage,
  type AssistantPart,
  type Message,
} from '../../contract/messages.ts';
import type { ModelResponse } from '../../contract/model.ts';
import { MessageLog } from './message-log.ts';

/** Completes a model's message, and replaces missing and duplicate ids of tool calls. */
export function withUniqueCalls(
  message: ModelResponse['message'],
  isUsed: (id: string) => boolean,
  newId: () => string,
): AssistantMessage {
  let content: AssistantPart[] | undefined;
  for (let index = 0; index < message.content.length; index += 1) {
    const part = message.content[index];
    if (part?.type !== 'tool-call' || isNew(part.id, message.content, index, isUsed)) continue;
    content ??= [...message.content];
    content[index] = { ...part, id: `call_${newId().replaceAll(/[^A-Za-z0-9]/g, '_')}` };
  }
  if (content === undefined && isWholeMessage(message)) return message;
  // Completing a message keeps its role.
  return completeMessage(message, content ?? message.content, newId) as AssistantMessage;
}

function isNew(
  id: unknown,
  parts: readonly AssistantPart[],
  index: number,
  isUsed: (id: string) => boolean,
): boolean {
  if (typeof id !== 'string' || id === '' || isUsed(id)) return false;
  for (let before = 0; before < index; before += 1) {
    const part = parts[before];
    if (part?.type === 'tool-call' && part.id === id) return false;
  }
  return true;
}

/** The messages to which others are added. */
type Before = Pick<MessageLog, 'length' | 'hasCall'>;

/**
 * Replaces the ids of calls in added messages if another call already has them, also in the results of these calls.
 * Returns the same list if no id has to be replaced.
 */
export function withOwnCalls(
  messages: readonly Message[],
  before: Before,
  newId: () => string,
): readonly Message[] {
  const log = before.length === 0 ? MessageLog.named(messages) : undefined;
  // Paired messages have passed through here before.
  const known = log?.fork(log.paired);
  const taken = new Set<string>();
  const isUsed = (id: string): boolean => taken.has(id) || (known ?? before).hasCall(id);
  /** The new ids of calls, by their old ids. */
  const given = new Map<string, string>();
  const own: Message[] = [];
  for (const message of known === undefined ? messages : messages.slice(known.length)) {
    const callId = message.role === 'tool' ? given.get(message.callId) : undefined;
    if (message.role === 'tool' && callId !== undefined) own.push(wholeMessage({ ...message, callId }));
    else if (message.role === 'assistant') own.push(renamed(message));
    else own.push(message);
  }
  return given.size === 0 ? messages : [...messages.slice(0, known?.length ?? 0), ...own];

  function renamed(message: AssistantMessage): AssistantMessage {
    const calls = toolCallsOf(message);
    if (calls.length === 0) return message;
    const unique = withUniqueCalls(message, isUsed, newId);
    for (const [index, { id }] of toolCallsOf(unique).entries()) {
      taken.add(id);
      const old = calls[index]?.id ?? id;
      if (old !== id) given.set(old, id);
    }
    return unique;
  }
}
