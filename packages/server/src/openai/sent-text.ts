import { ShallotError, type UserMessage } from '@shallot/core';

import { checkInput } from '../http/check-input.ts';
import { member } from '../http/member.ts';
import { content } from '../http/shapes.ts';

/** A message or item in the form in which a client sends it. */
export type SentItem = Readonly<Record<string, unknown>>;

type Content = UserMessage['content'];

/** Returns the text of a content, without its files. */
export function textIn(given: unknown): string {
  if (typeof given === 'string') return given;
  if (!Array.isArray(given)) return '';
  return given
    .map((part: unknown) => member(part, 'text') ?? member(part, 'refusal'))
    .filter((text) => typeof text === 'string')
    .join('\n');
}

/**
 * Returns the parts of a user's content.
 * @throws `server/REQUEST_INVALID` for a part that a message cannot have
 */
export function contentIn(given: unknown): Content {
  const parts = Array.isArray(given) ? given.map(partOf) : given;
  const read = checkInput('body', { content: content.required() }, { content: parts }).content;
  return typeof read === 'string' ? [{ type: 'text', text: read }] : read;
}

/**
 * Returns the turns before a message as text. They do not become messages, because the agent did not write the
 * assistant's turns.
 */
export function transcriptOf(items: readonly SentItem[]): string {
  const turns = items.flatMap((item) => {
    const text = [textIn(item['content'] ?? item['output']), ...callsIn(item)].filter(Boolean).join('\n');
    return text === '' ? [] : [`<message from="${roleOf(item)}">\n${text}\n</message>`];
  });
  return turns.length === 0 ? '' : ['The conversation so far:', ...turns].join('\n\n');
}

/** Returns the parts of a content after a text. */
export function withText(text: string, parts: Content): Content {
  return text === '' ? parts : [{ type: 'text', text: `${text}\n\n` }, ...parts];
}

export function invalid(message: string): ShallotError {
  return new ShallotError('server/REQUEST_INVALID', { message });
}

function roleOf({ role, type }: SentItem): string {
  if (type === 'function_call') return 'assistant';
  return typeof role === 'string' ? role : 'tool';
}

function callsIn(item: SentItem): readonly string[] {
  const calls = item['type'] === 'function_call' ? [item] : item['tool_calls'];
  if (!Array.isArray(calls)) return [];
  return calls.map((call: unknown) => {
    const called = member(call, 'function') ?? call;
    return `(calls ${String(member(called, 'name'))} with ${String(member(called, 'arguments'))})`;
  });
}

/** Returns a part in the form of this server's own API. The check of the content refuses other parts. */
function partOf(part: unknown): unknown {
  const type = member(part, 'type');
  if (type === 'text' || type === 'input_text') return { type: 'text', text: member(part, 'text') };
  if (type === 'image_url' || type === 'input_image') {
    const image = member(part, 'image_url');
    return filePart(typeof image === 'string' ? image : member(image, 'url'));
  }
  if (type === 'file' || type === 'input_file') {
    const file = member(part, 'file') ?? part;
    const name = member(file, 'filename');
    const named = name === undefined ? {} : { name };
    return { ...filePart(member(file, 'file_data') ?? member(file, 'file_url')), ...named };
  }
  return part;
}

const imageTypes: Readonly<Record<string, string>> = {
  gif: 'image/gif',
  pdf: 'application/pdf',
  png: 'image/png',
  webp: 'image/webp',
};

function filePart(url: unknown): object {
  const text = typeof url === 'string' ? url : '';
  const [, mediaType, data] = /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(text) ?? [];
  if (mediaType !== undefined) return { type: 'file', mediaType, data };
  const [, ending = ''] = /\.(\w+)(?:[?#]|$)/.exec(text) ?? [];
  return { type: 'file', mediaType: imageTypes[ending.toLowerCase()] ?? 'image/jpeg', url };
}
