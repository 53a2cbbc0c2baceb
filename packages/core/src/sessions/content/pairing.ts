import {
  textPart,
  toolCallsOf,
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  type ToolMessage,
} from '../../contract/messages.ts';
import { MessageLog } from './message-log.ts';

/** A valid list of messages, and the repairs that were needed. */
export interface Pairing {
  readonly messages: readonly Message[];
  /** The ids of calls without a result, which got one. If this and `dropped` are empty, `messages` is the given list. */
  readonly answered: readonly string[];
  /** The call ids of removed results, which had no call or were not the only result of it. */
  readonly dropped: readonly string[];
}

/**
 * Makes every tool call be followed by exactly one result, in call order, and removes results without a call, as
 * providers require. Missing results become "not executed".
 */
export function pairCalls(messages: readonly Message[], newId: () => string): Pairing {
  const log = MessageLog.named(messages);
  if (isPaired(messages, settled(messages, log?.paired ?? 0))) {
    log?.notePaired();
    return { messages, answered: [], dropped: [] };
  }
  return repairPairs(messages, newId);
}

function repairPairs(messages: readonly Message[], newId: () => string): Pairing {
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

/**
 * Returns the index from which pairing must be checked, given that the first `paired` messages are paired: the last
 * message among them that is not a result.
 */
function settled(messages: readonly Message[], paired: number): number {
  let index = Math.max(paired - 1, 0);
  while (index > 0 && messages[index]?.role === 'tool') index -= 1;
  return index;
}

/** Returns true if `pairCalls` has nothing to repair. */
export function arePaired(messages: readonly Message[]): boolean {
  return isPaired(messages, 0);
}

/** Returns true if each call is followed by its one result, assuming that this holds before `from`. */
function isPaired(messages: readonly Message[], from: number): boolean {
  let open: readonly ToolCallPart[] = [];
  let answered = 0;
  // By index: V8 iterates over frozen arrays three times slower.
  for (let index = from; index < messages.length; index += 1) {
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

/** Returns the result of a call that was not executed, with the reason. */
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

/** Returns the calls of a model turn that have no result. `turn` is the model's message and everything after it. */
export function openCalls(turn: readonly Message[]): OpenCall[] {
  const [message, ...results] = turn;
  if (message === undefined) return [];
  return toolCallsOf(message)
    .filter(({ id }) => !results.some((result) => result.role === 'tool' && result.callId === id))
    .map(({ id, name }) => ({ callId: id, name }));
}
