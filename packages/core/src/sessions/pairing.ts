import {
  textPart,
  toolCallsOf,
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  type ToolMessage,
} from '../contract/messages.ts';
import { MessageLog } from './messages/message-log.ts';

/** What was done to make a history valid. */
export interface Pairing {
  readonly messages: readonly Message[];
  /** Calls that had no result, and results that had no call. Both empty: the messages are the ones that were given. */
  readonly answered: readonly string[];
  readonly dropped: readonly string[];
}

/**
 * Sees to it that every tool call is followed by exactly one result, in call order, and that no result stands without
 * its call: what every provider demands. A missing result is answered "not executed".
 */
export function pairCalls(messages: readonly Message[], newId: () => string): Pairing {
  const log = MessageLog.named(messages);
  if (isPaired(messages, settled(messages, log?.paired ?? 0))) {
    log?.notePaired();
    return { messages, answered: [], dropped: [] };
  }
  const results = new Map<string, ToolMessage>();
  for (const message of messages) {
    if (message.role === 'tool' && !results.has(message.callId)) results.set(message.callId, message);
  }
  const answered: string[] = [];
  const paired: Message[] = [];
  const used = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') continue;
    paired.push(message);
    for (const call of toolCallsOf(message)) {
      const result = used.has(call.id) ? undefined : results.get(call.id);
      used.add(call.id);
      if (result === undefined) answered.push(call.id);
      paired.push(
        result ?? notExecuted({ callId: call.id, name: call.name }, 'its result is missing', newId),
      );
    }
  }
  const kept = new Set<Message>(paired);
  const dropped = messages.flatMap((message) =>
    message.role === 'tool' && !kept.has(message) ? [message.callId] : [],
  );
  return { messages: Object.freeze(paired), answered, dropped };
}

/** Where the last message stands, of the first `paired` ones of a list, before which every call has its result. */
function settled(messages: readonly Message[], paired: number): number {
  let index = Math.max(paired - 1, 0);
  while (index > 0 && messages[index]?.role === 'tool') index -= 1;
  return index;
}

/** Whether each call has its one result where it belongs; before `from` they have. */
function isPaired(messages: readonly Message[], from: number): boolean {
  let open: readonly ToolCallPart[] = [];
  let answered = 0;
  // By index: V8 walks a frozen array with an iterator three times slower.
  for (let index = from; index < messages.length; index += 1) {
    // The index is in range.
    const message = messages[index] as Message;
    if (message.role === 'tool') {
      if (open[answered]?.id !== message.callId) return false;
      answered += 1;
    } else if (answered < open.length) {
      return false;
    } else if (message.role === 'assistant' && hasCalls(message)) {
      open = toolCallsOf(message);
      answered = 0;
    }
  }
  return answered === open.length;
}

function hasCalls({ content }: AssistantMessage): boolean {
  for (let index = 0; index < content.length; index += 1)
    if (content[index]?.type === 'tool-call') return true;
  return false;
}

/** A call without a result. */
export interface OpenCall {
  readonly callId: string;
  readonly name: string;
}

/** The result of a call that was not executed, and why. */
export function notExecuted(call: OpenCall, why: string, newId: () => string): ToolMessage {
  return Object.freeze({
    id: newId(),
    role: 'tool' as const,
    callId: call.callId,
    name: call.name,
    content: Object.freeze([textPart(`not executed: ${why}`)]),
    isError: true,
  });
}

/** The calls of a model's turn that have no result among the messages after it. */
export function openCalls(turn: readonly Message[]): OpenCall[] {
  const [message, ...results] = turn;
  if (message === undefined) return [];
  return toolCallsOf(message)
    .filter(({ id }) => !results.some((result) => result.role === 'tool' && result.callId === id))
    .map(({ id, name }) => ({ callId: id, name }));
}
