import { ShallotError, textOf, type Message, type UserMessage } from '@shallot/core';
import type { ShapeOutput } from '@shallot/core/plugin';

import { turnsOf } from '../api/turns.ts';
import { checkInput } from '../http/check-input.ts';
import { content, type uiMessageShape } from '../http/shapes.ts';

/** A message in the form in which a client sends it. */
export type SentMessage = ShapeOutput<typeof uiMessageShape>;

/**
 * Returns the content of a user message of a client.
 * @throws `server/REQUEST_INVALID`
 */
export function contentOf({ parts }: Pick<SentMessage, 'parts'>): UserMessage['content'] {
  const read = checkInput('body', { parts: content.required() }, { parts: parts.map(partOf) }).parts;
  return typeof read === 'string' ? [{ type: 'text', text: read }] : read;
}

/** Returns a part in the form of a stored message. Parts that are neither text nor files are refused when the content is checked. */
function partOf(part: Readonly<Record<string, unknown>>): object {
  const { type, text, mediaType, url, filename } = part;
  if (type === 'text') return { type, text };
  if (type !== 'file') return part;
  const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(typeof url === 'string' ? url : '') ?? [];
  const name = filename === undefined ? {} : { name: filename };
  return { type, mediaType, ...(data === undefined ? { url } : { data }), ...name };
}

/**
 * Returns true if the messages of a client are those of the session. Only messages of the user are compared, because
 * nothing else is read. The session may have fewer of them, if a summary replaced its oldest messages.
 */
export function isHistory(stored: readonly Message[], sent: readonly SentMessage[]): boolean {
  const [kept, given] = [inputsOf(stored), usersOf(sent)];
  if (given.length < kept.length) return false;
  const isShortened = stored.some(({ source }) => source !== undefined);
  if (given.length > kept.length && !isShortened) return false;
  const same = given.slice(given.length - kept.length);
  return kept.every((message, index) => isSame(message, same[index]));
}

/**
 * Returns the id of the message of a session after which the client's messages end; undefined if the client has sent
 * none.
 * @throws `server/HISTORY_DIFFERS` if the session never had the client's messages
 */
export function forkPoint(stored: readonly Message[], sent: readonly SentMessage[]): string | undefined {
  const given = usersOf(sent);
  const kept = inputsOf(stored);
  if (given.length > kept.length || !given.every((each, index) => isSame(kept[index], each)))
    throw historyDiffers();
  const next = kept[given.length];
  const end = next === undefined ? stored.length : stored.findIndex(({ id }) => id === next.id);
  return stored[end - 1]?.id;
}

export function historyDiffers(): ShallotError {
  return new ShallotError('server/HISTORY_DIFFERS', {
    message:
      'The messages are not those of the session. Read them with GET /chat/{id}, or send `fork` with a new id, and use that from then on.',
  });
}

function usersOf(sent: readonly SentMessage[]): readonly SentMessage[] {
  return sent.filter(({ role }) => role === 'user');
}

function inputsOf(stored: readonly Message[]): readonly UserMessage[] {
  return turnsOf(stored).filter((turn) => turn.role === 'user');
}

function isSame(message: UserMessage | undefined, sent: SentMessage | undefined): boolean {
  if (message === undefined || sent?.id !== message.id) return false;
  const text = sent.parts.map((part) => (part['type'] === 'text' ? part['text'] : '')).join('');
  return text === textOf(message);
}
