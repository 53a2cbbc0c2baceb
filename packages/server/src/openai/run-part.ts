import type { AssistantMessage, Interrupt, ToolMessage } from '@shallot/core';

import type { FeedEvent } from '../events/feed-event.ts';
import type { FeedNews } from '../events/run-feed.ts';
import { isForClient } from '../work/client-tools.ts';
import type { Fault } from './error-response.ts';

/** The event for the end of a run, or for its interruption. */
export type RunEnd = FeedEvent & { readonly type: 'run-end' };

/**
 * The part of a run that answers one request: all of the run, or everything after the calls that the request
 * answered.
 */
export interface RunPart {
  readonly messages: readonly (AssistantMessage | ToolMessage)[];
  readonly questions: readonly Interrupt[];
  readonly end: RunEnd | undefined;
}

/**
 * Returns the committed part of a run after a message. Without a message, or if the message was replaced, it is the
 * whole run.
 */
export function partOf({ events }: FeedNews, after: string | undefined): RunPart {
  const messages: (AssistantMessage | ToolMessage)[] = [];
  const questions: Interrupt[] = [];
  let end: RunEnd | undefined;
  for (const { event } of events) {
    if (event.type === 'tool-end') messages.push(event.message);
    if (event.type === 'message' && event.message.role === 'assistant') messages.push(event.message);
    if (event.type === 'interrupt') questions.push(event.interrupt);
    if (event.type === 'run-end') end = event;
  }
  const place = messages.findIndex(({ id }) => id === after);
  return { messages: messages.slice(place + 1), questions, end };
}

/**
 * Returns the error that a client gets instead of an answer; undefined if the run was completed, or asks only
 * questions that the client can answer.
 */
export function faultOf(
  { questions, end }: Pick<RunPart, 'questions' | 'end'>,
  sessionId: string,
  isAsked: (question: Interrupt) => boolean = isForClient,
): Fault | undefined {
  switch (end?.outcome) {
    case 'completed':
      return undefined;
    case 'interrupted': {
      const others = questions.filter((question) => !isAsked(question));
      return others.length === 0 ? undefined : questionFault(others, sessionId);
    }
    case 'failed': {
      const { code, message } = end.failure ?? { code: 'INTERNAL', message: 'The run failed.' };
      return { code, message, status: 500 };
    }
    case 'aborted':
      return { code: 'RUN_ABORTED', message: 'The run was stopped.', status: 409 };
    case undefined:
      return end === undefined
        ? { code: 'server/DRAINING', message: `The server ends. ${whereabouts(sessionId)}`, status: 503 }
        : replacedFault;
  }
}

/** The error for a run after which another run has begun in its session. */
export const replacedFault: Fault = {
  code: 'STORE_CONFLICT',
  message: 'Another run has begun in the session.',
  status: 409,
};

function questionFault(questions: readonly Interrupt[], sessionId: string): Fault {
  const asked = questions.map(({ id, kind, call }) => {
    const about = call === undefined ? '' : ` about ${call.name}`;
    return `${JSON.stringify(kind)}${about} (POST /sessions/${sessionId}/interrupts/${id})`;
  });
  const message = `The run waits for answers to questions that this protocol cannot ask: ${asked.join(', ')}. Answer them there. ${whereabouts(sessionId)}`;
  return { code: 'SESSION_INTERRUPTED', message, status: 409 };
}

function whereabouts(sessionId: string): string {
  return `The run is in the session ${sessionId}.`;
}
