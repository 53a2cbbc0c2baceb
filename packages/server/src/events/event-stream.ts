import type { Position } from './position.ts';
import { frame, type FeedNews, type RunFeed, type SentEvent } from './run-feed.ts';

/** The form in which a client receives the events of a run. */
export interface EventForm {
  readonly headers?: Readonly<Record<string, string>>;
  /** The text before all events. */
  readonly first: string;
  /** Writes new events. `all` returns all events of the run up to the same place. */
  write(news: FeedNews, all: () => FeedNews): string;
  /** Returns the text after the last event, even if the stream ends before the run. */
  end(): string;
}

/** Options of an event stream. */
export interface StreamTerms {
  /** The last place that the client has received; undefined if it has received nothing. */
  readonly at: Position | undefined;
  /** The form of the events. Default: each event has its own name and its place. */
  readonly form?: EventForm;
  readonly heartbeatMs: number;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Called once, when the stream has ended or the client has disconnected. `isOver` is true if the run is over. */
  readonly onEnd: (isOver: boolean) => void;
}

/** The most events in one write, so that a client that does not read costs no more memory than their text. */
const mostAtOnce = 64;

/** The time after which browsers reconnect, in milliseconds. */
const retryMs = 1000;

const named: EventForm = {
  first: `retry: ${retryMs}\n\n`,
  write: ({ events }) => events.map(({ text }) => text).join(''),
  end: () => '',
};

/**
 * Sends a run as server-sent events until it is over. Events that a slow client has not read are not buffered for it.
 */
export function eventStream(
  feed: RunFeed,
  { at, form = named, heartbeatMs, signal, onEnd }: StreamTerms,
): Response {
  const encoder = new TextEncoder();
  const gone = new AbortController();
  const ending = AbortSignal.any([signal, gone.signal]);
  let place = at;
  let { first } = form;
  /** The events up to `place` that are not written yet. */
  let rest: readonly SentEvent[] = [];
  const write = (): string => {
    const next = { events: rest.slice(0, mostAtOnce), at: place };
    rest = rest.slice(mostAtOnce);
    return form.write(next, () => {
      const all = feed.after(undefined);
      place = all.at;
      rest = [];
      return all;
    });
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          if (gone.signal.aborted) return;
          const isOver = feed.isOver || signal.aborted;
          if (rest.length === 0) ({ events: rest, at: place } = feed.after(place));
          const text = first + write();
          first = '';
          if (text !== '') return controller.enqueue(encoder.encode(text));
          if (rest.length > 0) continue;
          if (isOver) {
            onEnd(feed.isOver);
            const last = form.end();
            if (last !== '') controller.enqueue(encoder.encode(last));
            return controller.close();
          }
          if (await feed.isSilentFor(heartbeatMs, ending)) return controller.enqueue(encoder.encode(':\n\n'));
        }
      },
      cancel() {
        gone.abort();
        onEnd(feed.isOver);
      },
    },
    // Nothing is read ahead, so a slow client leaves its events in the shared log.
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { ...eventStreamHeaders, ...form.headers } });
}

/** Answers a client that follows a run after which another run has begun. The end of that run is no longer stored. */
export function replacedRun(runId: string): Response {
  const end = frame({ type: 'run-end', runId, outcome: undefined });
  return new Response(end, { headers: eventStreamHeaders });
}

const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Proxies such as nginx would buffer events otherwise.
  'x-accel-buffering': 'no',
};
