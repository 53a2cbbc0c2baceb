import type { EventForm } from '../events/event-stream.ts';
import type { FeedNews } from '../events/run-feed.ts';
import { choiceOf, type Completion } from './completion.ts';
import { errorOf, type Fault } from './error-response.ts';
import { faultOf, partOf } from './run-part.ts';
import { StreamedText } from './streamed-text.ts';

/** The terms of a streamed completion. */
export interface CompletionTerms extends Completion {
  /** True if the usage is sent at the end. */
  readonly hasUsage: boolean;
}

/** Writes a run as the chunks of a chat completion. Only the events after the message `after` are written. */
export function completionForm(terms: CompletionTerms): EventForm {
  const { after, sessionId } = terms;
  const text = new StreamedText(terms);
  let isBefore = after !== undefined;
  let isOver = false;
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    frame({ ...headOf(terms), choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  const fail = (fault: Fault): string => {
    isOver = true;
    return frame(errorOf(fault));
  };
  const finish = (all: FeedNews): string => {
    const part = partOf(all, after);
    const fault = faultOf(part, sessionId);
    if (fault !== undefined) return fail(fault);
    isOver = true;
    const { message, finish_reason, usage } = choiceOf(part, terms);
    const rest = terms.isWhole && message.content !== null ? chunk({ content: message.content }) : '';
    const calls = message.tool_calls?.map(({ id, type, function: called }, index) => ({
      index,
      id,
      type,
      function: called,
    }));
    const last = terms.hasUsage ? frame({ ...headOf(terms), choices: [], usage }) : '';
    return `${rest}${calls === undefined ? '' : chunk({ tool_calls: calls })}${chunk({}, finish_reason)}${last}`;
  };
  return {
    first: chunk({ role: 'assistant', content: '' }),
    write({ events }, all) {
      let written = '';
      for (const { event } of events) {
        if (isOver) return written;
        if (event.type === 'run-end') return written + finish(all());
        if (isBefore) {
          if (event.type === 'message' && event.message.id === after) isBefore = false;
          continue;
        }
        const more = text.take(event);
        if (more === undefined) return written + fail(changed(sessionId));
        if (more !== '') written += chunk({ content: more });
      }
      return written;
    },
    end: () => (isOver ? 'data: [DONE]\n\n' : fail(left(sessionId))),
  };
}

function headOf({ id, model, created }: Completion): object {
  return { id, object: 'chat.completion.chunk', created, model };
}

function changed(sessionId: string): Fault {
  const message = `The answer was begun again, and chunks cannot be taken back. Read the run in the session ${sessionId}, or send the request again.`;
  return { code: 'server/ANSWER_CHANGED', message, status: 500 };
}

function left(sessionId: string): Fault {
  return faultOf({ questions: [], end: undefined }, sessionId) ?? changed(sessionId);
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
