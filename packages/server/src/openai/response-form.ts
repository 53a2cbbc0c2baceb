import type { EventForm } from '../events/event-stream.ts';
import type { FeedEvent } from '../events/feed-event.ts';
import type { FeedNews } from '../events/run-feed.ts';
import { headOf, responseOf, type ResponseTerms } from './response-body.ts';
import type { ResponseEvent } from './response-events.ts';
import { resultItems, type ResponseItem, type ResponsePart } from './response-items.ts';
import { ResponseOutput } from './response-output.ts';
import { responsePart } from './response-part.ts';

/**
 * Writes a run as the events of a response. Only the events after the message `after` are written. The last event
 * contains the final response.
 */
export function responseForm(terms: ResponseTerms): EventForm {
  const { after } = terms;
  const output = new ResponseOutput(terms);
  let sequence = 0;
  let isBefore = after !== undefined;
  let isOver = false;
  const textOf = (events: readonly ResponseEvent[]): string =>
    events
      .map(({ type, ...event }) => {
        const data = { type, sequence_number: (sequence += 1), ...event };
        return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
      })
      .join('');
  const finish = (part: ResponsePart): string => {
    isOver = true;
    const response = responseOf(part, terms);
    const { output: items } = response;
    const isNew = ({ type }: ResponseItem): boolean =>
      type !== 'reasoning' && (terms.isWhole || type !== 'message');
    const events = [...output.drop(), ...output.add(items.filter(isNew))];
    const named = { ...response, output: items.map((item) => output.named(item)) };
    return textOf([...events, { type: `response.${response.status}`, response: named }]);
  };
  const take = (event: FeedEvent, all: () => FeedNews): readonly ResponseEvent[] => {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') return output.take(event);
    if (event.type === 'restart' || event.type === 'reload') return output.drop();
    if (event.type === 'message' && event.message.role === 'assistant') return output.commit(event.message);
    if (event.type !== 'tool-end') return [];
    return output.add(resultItems(event.message, responsePart(all(), after).inputs, terms));
  };
  const begun = { ...headOf(terms), status: 'in_progress', output: [] };
  return {
    first: textOf([
      { type: 'response.created', response: begun },
      { type: 'response.in_progress', response: begun },
    ]),
    write({ events }, all) {
      let written = '';
      for (const { event } of events) {
        if (isOver) return written;
        if (event.type === 'run-end') return written + finish(responsePart(all(), after));
        if (isBefore) {
          if (event.type === 'message' && event.message.id === after) isBefore = false;
          continue;
        }
        written += textOf(take(event, all));
      }
      return written;
    },
    end: () => (isOver ? '' : textOf([left])),
  };
}

/** The event for a stream that ends before its run. */
const left: ResponseEvent = {
  type: 'error',
  code: 'server/DRAINING',
  message: 'The server ends the stream, and the run goes on. Retrieve the response.',
  param: null,
};
