import type { AssistantPart, Message } from '@shallot/core';

/**
 * Returns the messages without the tool calls and results before the user's last message. The model still needs later
 * ones. Returns the same list if there are none to strip.
 */
export function stripToolCalls(messages: readonly Message[]): readonly Message[] {
  const end = messages.findLastIndex(({ role, source }) => role === 'user' && source === undefined);
  const stripped = messages.slice(0, Math.max(0, end)).flatMap((message) => withoutCalls(message) ?? []);
  const rest = messages.slice(Math.max(0, end));
  const isSame = stripped.length === end && stripped.every((message, index) => message === messages[index]);
  return end <= 0 || isSame ? messages : [...stripped, ...rest];
}

/** Returns a message without calls, their results and the reasoning about them; undefined if nothing is left. */
export function withoutCalls(message: Message): Message | undefined {
  if (message.role === 'tool') return undefined;
  if (message.role !== 'assistant' || !message.content.some(({ type }) => type === 'tool-call'))
    return message;
  // Reasoning about removed calls is useless, and providers reject reasoning without content.
  const content = message.content.filter(isSaid);
  return content.length === 0 ? undefined : { ...message, content };
}

function isSaid({ type }: AssistantPart): boolean {
  return type !== 'tool-call' && type !== 'reasoning';
}
