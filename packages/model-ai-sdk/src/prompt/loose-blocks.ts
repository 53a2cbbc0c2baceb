import type { Message } from '@shallot/core';

import type { PromptMessage } from '../sdk/language-model.ts';

/**
 * Returns the ids of provider tool calls without a result before the next user or system message, and of results without a
 * call. Abandoned runs and summaries can cause them; providers reject both. A call that is open at the end may still get
 * its result.
 */
export function looseBlocks(messages: readonly Message[]): ReadonlySet<string> {
  const loose = new Set<string>();
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'user' || message.role === 'system') {
      for (const id of open) loose.add(id);
      open.clear();
    }
    if (message.role !== 'assistant') continue;
    for (const part of message.content) {
      if (part.type === 'provider-call') open.add(part.id);
      else if (part.type === 'provider-result' && !open.delete(part.callId)) loose.add(part.callId);
    }
  }
  return loose;
}

/** Returns a message without these provider calls and results; null if nothing is left. */
export function withoutBlocks(message: PromptMessage | null, ids: ReadonlySet<string>): PromptMessage | null {
  if (ids.size === 0 || message?.role !== 'assistant') return message;
  const content = message.content.filter((part) => !('toolCallId' in part) || !ids.has(part.toolCallId));
  if (content.length === message.content.length) return message;
  return content.length === 0 ? null : ({ ...message, content } as PromptMessage);
}
