import type { UserMessage } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';

import { escapeTags } from './escape-tags.ts';

/** The `source` of summary messages. */
export const source = 'summarization';

/** Returns the message that replaces the condensed ones. Without a history file, it contains only the summary. */
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

/** Fills a template in one pass, so that `$&` or `{path}` in the texts have no effect. */
function fill(template: string, texts: { readonly summary: string; readonly path: string }): string {
  return template.replaceAll(/\{(summary|path)\}/g, (_, name: 'summary' | 'path') => texts[name]);
}
