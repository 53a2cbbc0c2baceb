import {
  completeMessage,
  isWholeMessage,
  type AssistantMessage,
  type AssistantPart,
} from '../../contract/messages.ts';
import type { ModelResponse } from '../../contract/model.ts';

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
