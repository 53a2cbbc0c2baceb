import type { Message } from '@shallot/core';
import { openInterrupts, statusOf, type SessionRecord } from '@shallot/core/store';

import { storedMessages, turnsOf } from '../api/turns.ts';
import { isOpen, type FeedNews } from '../events/run-feed.ts';
import { inputsIn, type ResponsePart } from './response-items.ts';
import { notesIn, type ResponseNotes } from './response-notes.ts';
import { partOf } from './run-part.ts';

/** Returns the part of a run that answers one request. */
export function responsePart(news: FeedNews, after: string | undefined): ResponsePart {
  const messages = news.events.flatMap(({ event }) => (event.type === 'message' ? [event.message] : []));
  return { ...partOf(news, after), inputs: inputsIn(messages), answered: [] };
}

/** A response that is read from its session. */
export interface StoredResponse {
  readonly runId: string;
  readonly notes: ResponseNotes;
  readonly part: ResponsePart;
  readonly after: string | undefined;
  /** The id of the last message that belongs to the response. */
  readonly last: string;
  /** True if nothing in the session came after it. */
  readonly isLast: boolean;
}

/**
 * Reads the response for a run, or for the part of a run after one of its messages; undefined if the session does not
 * have it. Results of the client's tools begin another response. Answers to other questions do not, because they may
 * come through the API.
 */
export function storedResponse(
  record: Pick<SessionRecord, 'messages' | 'run'>,
  place: string,
): StoredResponse | undefined {
  const turns = turnsOf(storedMessages(record));
  const runId = place.split('.', 1)[0] ?? place;
  const index = turns.findIndex((turn) => turn.role === 'run' && turn.id === runId);
  const turn = turns[index];
  const { run } = record;
  const isCurrent = run?.id === runId;
  const messages = turn?.role === 'run' ? turn.messages : [];
  const inputs = (index === -1 ? turns : turns.slice(0, index)).filter((each) => each.role === 'user');
  const notes = inputs.map(notesIn).findLast((each) => each !== undefined);
  const start = messages.findIndex(({ id }) => id === place);
  if (notes === undefined || (turn === undefined && !isCurrent) || (place !== runId && start === -1))
    return undefined;
  const following = messages.slice(start + 1);
  const asking = following.findIndex((message) => answeredCalls(message, following, notes).length > 0);
  const own = asking === -1 ? following : following.slice(0, asking + 1);
  const answered = answeredCalls(following[asking], following, notes);
  const shown = own.filter((message) => message.role !== 'user');
  const isAtEnd = asking === -1 && isCurrent && run !== undefined;
  const part: ResponsePart = {
    messages: shown,
    questions: isAtEnd ? openInterrupts(run) : [],
    end: isAtEnd ? endOf(run) : { type: 'run-end', runId, outcome: 'completed' },
    inputs: inputsIn(messages),
    answered,
  };
  return {
    runId,
    notes,
    part,
    after: place === runId ? undefined : place,
    last: own.at(-1)?.id ?? place,
    isLast: isAtEnd,
  };
}

function endOf(run: NonNullable<SessionRecord['run']>): ResponsePart['end'] {
  if (isOpen(run)) return undefined;
  const { id: runId, usage, failure, position } = run;
  const status = statusOf(run);
  return {
    type: 'run-end',
    runId,
    outcome: status === 'parked' || status === 'running' ? 'failed' : status,
    usage,
    ...(position.at === 'end' && position.finish !== undefined ? { finish: position.finish } : {}),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** Returns the calls of an answer that the client has executed. The response ended with these calls. */
function answeredCalls(
  message: Message | undefined,
  following: readonly Message[],
  { toolNames }: ResponseNotes,
): ResponsePart['answered'] {
  if (message === undefined) return [];
  const results = new Set(following.map((each) => (each.role === 'tool' ? each.callId : undefined)));
  return callsOf(message).filter(({ id, name }) => toolNames.has(name) && results.has(id));
}

function callsOf(message: Message) {
  return message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call') : [];
}
