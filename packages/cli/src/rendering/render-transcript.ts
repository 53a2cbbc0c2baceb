import type { Message } from '@shallot/core';
import type { SessionSummary } from '@shallot/core/store';

import { count } from '../terminal/count.ts';
import { readable, visibleLine } from '../terminal/visible.ts';
import { fenced } from './fenced.ts';
import { shortTime } from './short-time.ts';

type Part = Message['content'][number];

/** Renders a session as Markdown. Characters that control a terminal, or hide text, are made visible. */
export function renderTranscript(
  { id, about, status, updatedAt }: SessionSummary,
  messages: readonly Message[],
): string {
  const facts = [visibleLine(id), status ?? 'new', count(messages.length, 'message'), shortTime(updatedAt)];
  const head = [`# ${visibleLine(about?.title ?? id)}`, facts.join(', ')];
  return [...head, ...messages.map(renderMessage)].join('\n\n');
}

function renderMessage(message: Message): string {
  const parts: readonly Part[] = message.content;
  const texts = parts.map((part) => (message.role === 'tool' ? fenced(renderPart(part)) : renderPart(part)));
  return [`## ${headOf(message)}`, ...texts.filter((text) => text !== '')].join('\n\n');
}

const heads: Readonly<Record<Exclude<Message['role'], 'tool'>, string>> = {
  user: 'User',
  system: 'System',
  assistant: 'Assistant',
};

function headOf(message: Message): string {
  if (message.role === 'tool') {
    const { name, isError, denied } = message;
    const failed = isError === true ? ', failed' : '';
    return `Tool ${visibleLine(name)}${denied === undefined ? failed : ', denied'}`;
  }
  const by = message.source === undefined ? '' : ` (${visibleLine(message.source)})`;
  return `${heads[message.role]}${by}`;
}

function renderPart(part: Part): string {
  switch (part.type) {
    case 'text':
      return readable(part.text);
    case 'reasoning':
      return readable(part.text).replaceAll(/^/gm, '> ');
    case 'tool-call':
      return `Calls ${visibleLine(part.name)}:\n\n${fenced(readable(JSON.stringify(part.input, null, 2)), 'json')}`;
    case 'file':
      return `[file ${[part.name ?? part.url ?? '', part.mediaType].map(visibleLine).join(' ').trim()}]`;
    case 'source':
      return `[source ${visibleLine(part.title ?? part.url ?? part.id)}]`;
    case 'provider-call':
    case 'provider-result':
      return `[${part.type} ${visibleLine(part.name)}]`;
  }
}
