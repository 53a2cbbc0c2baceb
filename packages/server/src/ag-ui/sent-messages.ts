import { isDeepStrictEqual } from 'node:util';

import { ShallotError, type Message } from '@shallot/core';

import { isHistory, type SentMessage } from '../chat/sent-history.ts';
import { member } from '../http/member.ts';
import type { Call } from '../http/route.ts';
import type { Routes } from '../http/routes.ts';
import type { AgUiMessage } from './ag-ui-event.ts';
import { parsedArguments } from './parsed-arguments.ts';

/** A message as a client of AG-UI sends it. */
export type SentAgUiMessage = Call<Routes['runAgUi']>['body']['messages'][number];

/** Returns the messages of the user in the form in which all protocols compare and read them. */
export function sentByUser(messages: readonly SentAgUiMessage[]): readonly SentMessage[] {
  return messages
    .filter(({ role, subagentRunId }) => role === 'user' && subagentRunId === undefined)
    .map(({ id, content }) => ({ id, role: 'user', parts: partsOf(content) }));
}

function partsOf(content: unknown): SentMessage['parts'] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map(partOf) : [];
}

/** Converts a part of a message. Parts of other kinds are refused later, when the content is checked. */
function partOf(part: unknown): SentMessage['parts'][number] {
  const type = member(part, 'type');
  if (type === 'text') return { type, text: member(part, 'text') };
  const source = member(part, 'source');
  const [kind, value] = [member(source, 'type'), member(source, 'value')];
  const isFile = ['image', 'audio', 'video', 'document'].some((each) => each === type);
  if (!isFile || typeof value !== 'string' || (kind !== 'data' && kind !== 'url'))
    return { type: typeof type === 'string' ? `${type} of ${String(kind)}` : 'unknown' };
  const mediaType = member(source, 'mimeType');
  const filename = member(member(part, 'metadata'), 'filename');
  const url = kind === 'data' ? `data:;base64,${value}` : value;
  return { type: 'file', mediaType, url, ...(filename === undefined ? {} : { filename }) };
}

/**
 * Refuses a request whose messages of the user are not those of the session.
 * @throws `server/HISTORY_DIFFERS`
 */
export function requireHistory(stored: readonly Message[], sent: readonly SentMessage[]): void {
  const steered = new Set(
    stored
      .filter(({ metadata }) => member(member(metadata, 'core'), 'sent') !== undefined)
      .map(({ id }) => id),
  );
  if (
    isHistory(
      stored,
      sent.filter(({ id }) => !steered.has(id)),
    )
  )
    return;
  throw new ShallotError('server/HISTORY_DIFFERS', {
    message:
      'The messages are not those of the session. Send a request without messages to get them, or fork the session with POST /sessions/{id}/fork and use its id as threadId from then on.',
  });
}

/**
 * Returns true if a client has these messages. Reasoning and the content of the user's messages are not compared, because
 * nothing depends on them.
 */
export function hasMessages(shown: readonly AgUiMessage[], sent: readonly SentAgUiMessage[]): boolean {
  const roles = new Set(['user', 'assistant', 'tool']);
  const own = sent.filter(({ role, subagentRunId }) => roles.has(role) && subagentRunId === undefined);
  const expected = shown.filter(({ role }) => roles.has(role));
  return (
    expected.length === own.length &&
    expected.every((message, index) => isDeepStrictEqual(comparable(message), comparable(own[index])))
  );
}

function comparable(message: unknown): unknown {
  const calls = member(message, 'toolCalls');
  return {
    id: member(message, 'id'),
    content: member(message, 'role') === 'user' ? undefined : member(message, 'content'),
    calls: Array.isArray(calls) ? calls.map((call) => [member(call, 'id'), inputOf(call)]) : [],
  };
}

function inputOf(call: unknown): unknown {
  const text = member(member(call, 'function'), 'arguments');
  return typeof text === 'string' ? parsedArguments(text) : text;
}
