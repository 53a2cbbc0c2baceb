import { toMessage, type AssistantMessage, type Message } from './messages.ts';
import type { ModelResponse } from './model.ts';

export function addCallIds(ids: Set<string>, message: Message): void {
  if (message.role !== 'assistant') return;
  for (const part of message.content) if (part.type === 'tool-call') ids.add(part.id);
}

/** Completes a model's message: missing and repeated ids of tool calls are replaced. */
export function withUniqueCalls(
  message: ModelResponse['message'],
  used: () => ReadonlySet<string>,
  newId: () => string,
): AssistantMessage {
  let content: AssistantMessage['content'] = message.content;
  if (content.some((part) => part.type === 'tool-call')) {
    const taken = new Set<unknown>(['', undefined]);
    content = content.map((part) => {
      if (part.type !== 'tool-call') return part;
      const repeated = taken.has(part.id) || used().has(part.id);
      const id = repeated ? `call_${newId().replaceAll(/[^A-Za-z0-9]/g, '_')}` : part.id;
      taken.add(id);
      return repeated ? { ...part, id } : part;
    });
    const replaced = content.some((part, index) => part !== message.content[index]);
    if (!replaced) content = message.content;
  }
  // The role of what goes in is the role of what comes out.
  return toMessage(content === message.content ? message : { ...message, content }, newId) as AssistantMessage;
}
