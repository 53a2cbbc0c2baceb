import type { AssistantPart, Message } from '@shallot/core';

/**
 * The messages without tool calls and results, up to the last message that the user wrote: the model needs those that came
 * since. The same list where there are none.
 */
export function stripToolCalls(messages: readonly Message[]): readonly Message[] {
  const end = messages.findLastIndex(({ role, source }) => role === 'user' && source === undefined);
  const stripped = messages.slice(0, Math.max(0, end)).flatMap((message) => withoutCalls(message) ?? []);
  const rest = messages.slice(Math.max(0, end));
  const isSame = stripped.length === end && stripped.every((message, index) => message === messages[index]);
  return end <= 0 || isSame ? messages : [...stripped, ...rest];
}

/** Undefined when nothing is left of a message. */
function withoutCalls(message: Message): Message | undefined {
  if (message.role === 'tool') return undefined;
  if (message.role !== 'assistant' || !message.content.some(({ type }) => type === 'tool-call'))
    return message;
  // Reasoning about calls that are gone would lead nowhere, and providers refuse reasoning that stands alone.
  const content = message.content.filter(isSaid);
  return content.length === 0 ? undefined : { ...message, content };
}

function isSaid({ type }: AssistantPart): boolean {
  return type !== 'tool-call' && type !== 'reasoning';
}
