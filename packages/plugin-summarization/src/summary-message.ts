import type { UserMessage } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';

/** Who made the messages that stand for others. */
export const source = 'summarization';

/** The message that stands for others. Without a file that keeps them, it is the summary alone. */
export function summaryMessage(
  id: string,
  summary: string,
  path: string | undefined,
  template: string,
): UserMessage {
  const text = path === undefined ? summary : fill(template, { summary, path });
  return Object.freeze({ role: 'user', id, content: Object.freeze([Object.freeze(textPart(text))]), source });
}

/** Puts texts into a template literally: whatever stands in them, `$&` or `{path}`, stays as it is. */
function fill(template: string, texts: { readonly summary: string; readonly path: string }): string {
  return template.replaceAll(/\{(summary|path)\}/g, (_, name: 'summary' | 'path') => texts[name]);
}
