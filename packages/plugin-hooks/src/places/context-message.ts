import type { MessageInput } from '@shallot/core';

/** Returns what a hook adds to the conversation, marked with its source. */
export function contextMessage(content: string): MessageInput {
  return { role: 'user', content, source: 'hooks' };
}
