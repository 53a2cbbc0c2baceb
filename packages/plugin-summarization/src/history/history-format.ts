import type { Message } from '@shallot/core';

import { renderMessage } from './render-message.ts';

// Lengths delimit sections and messages, so that no message text can imitate a delimiter. They count UTF-16 code units.

/** The parsed content of a history file. */
export interface HistoryFile {
  readonly sections: readonly HistorySection[];
  /** The end of the last complete section; a crash may have cut off the rest. */
  readonly end: number;
}

/** A section of a history file, written at once. */
export interface HistorySection {
  readonly id: string;
  /** The heading: `Summarized at 2026-01-31T12:00:00.000Z`. */
  readonly title: string;
  /** The messages in order, with their ids and full text. */
  readonly messages: readonly { readonly id: string; readonly text: string }[];
}

/** Returns the text of a section. Its id is that of its first message, which is in no other section. */
export function formatSection(title: string, messages: readonly Message[]): string {
  const content = messages
    .map((message) => {
      const text = renderMessage(message);
      return `<!-- message ${encodeURIComponent(message.id)} ${text.length} -->\n${text}\n\n`;
    })
    .join('');
  const id = encodeURIComponent(messages[0]?.id ?? '');
  return `## ${title}\n\n<!-- section ${id} ${content.length} -->\n\n${content}`;
}

/** Returns the first lines of a history file. */
export function formatTitle(sessionId: string): string {
  return `# The conversation ${JSON.stringify(sessionId)}\n\n`;
}

/** Parses a history file and returns its complete sections in order. */
export function parseHistory(text: string): HistoryFile {
  const sections: HistorySection[] = [];
  const header = /^## ([^\n]*)\n\n<!-- section (\S*) (\d+) -->\n\n/gm;
  let end = /^# [^\n]*\n\n/.exec(text)?.[0].length ?? 0;
  for (;;) {
    header.lastIndex = end;
    const found = header.exec(text);
    if (found === null) break;
    const [whole, title = '', id = '', length] = found;
    const start = found.index + whole.length;
    const content = text.slice(start, start + Number(length));
    if (content.length < Number(length)) break;
    sections.push({ id: decodeURIComponent(id), title, messages: parseMessages(content) });
    end = start + content.length;
  }
  return { sections, end };
}

function parseMessages(content: string): HistorySection['messages'] {
  const messages: { id: string; text: string }[] = [];
  const header = /<!-- message (\S*) (\d+) -->\n/y;
  for (;;) {
    const found = header.exec(content);
    if (found === null) return messages;
    const [, id = '', length] = found;
    const end = header.lastIndex + Number(length);
    messages.push({ id: decodeURIComponent(id), text: content.slice(header.lastIndex, end) });
    header.lastIndex = end + '\n\n'.length;
  }
}
