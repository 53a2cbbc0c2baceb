import type { UserMessage } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';

import { escapeTags } from './escape-tags.ts';

/** Who made the messages that stand for others. */
export const source = 'summarization';

/** The message that stands for others. Without a file that keeps them, it is the summary alone. */
export function summaryMessage(
  id: string,
  summary: string,
  path: string | undefined,
  template: string,
): UserMessage {
  const escaped = escapeTags(summary);
  const text = path === undefined ? escaped : fill(template, { summary: escaped, path });
  return Object.freeze({ role: 'user', id, content: Object.freeze([Object.freeze(textPart(text))]), source });
}

/** Puts texts into a template literally: whatever stands in them, `$&` or `{path}`, stays as it is. */
function fill(template: string, texts: { readonly summary: string; readonly path: string }): string {
  return template.replaceAll(/\{(summary|path)\}/g, (_, name: 'summary' | 'path') => texts[name]);
}
