import type { Position } from './position.ts';
import { frame, type FeedNews, type RunFeed } from './run-feed.ts';

/** The form in which a client receives the events of a run. */
export interface EventForm {
  readonly headers?: Readonly<Record<string, string>>;
  /** Comes before all events. */
  readonly first: string;
  /** Writes what is new. `all` returns the run from its beginning to the same place. */
  write(news: FeedNews, all: () => FeedNews): string;
  /** Comes last, also where the stream ends before the run. */
  end(): string;
}

/** The terms of an event stream. */
export interface StreamTerms {
  /** Where the client is; undefined for one that has nothing. */
  readonly at: Position | undefined;
  /** Default: each event under its own name, with its place. */
  readonly form?: EventForm;
  readonly heartbeatMs: number;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Called once, when the stream has ended or the client is gone; `isOver` if the run is over. */
  readonly onEnd: (isOver: boolean) => void;
}

/** Browsers come back after this time, in milliseconds. */
const retryMs = 1000;

const named: EventForm = {
  first: `retry: ${retryMs}\n\n`,
  write: ({ events }) => events.map(({ text }) => text).join(''),
  end: () => '',
};

/** Sends a run as server-sent events until it is over. What a slow client does not take is not held for it. */
export function eventStream(
  feed: RunFeed,
  { at, form = named, heartbeatMs, signal, onEnd }: StreamTerms,
): Response {
  const encoder = new TextEncoder();
  const gone = new AbortController();
  const ending = AbortSignal.any([signal, gone.signal]);
  let place = at;
  let { first } = form;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          if (gone.signal.aborted) return;
          const isOver = feed.isOver || signal.aborted;
          const news = feed.after(place);
          place = news.at;
          const text = first + form.write(news, () => feed.after(undefined));
          first = '';
          if (text !== '') return controller.enqueue(encoder.encode(text));
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
    // Nothing is read ahead: what a client has not asked for stays in the log of all.
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { ...eventStreamHeaders, ...form.headers } });
}

/** Answers who follows a run after which another one has begun: its end is on record no longer. */
export function replacedRun(runId: string): Response {
  const end = frame({ type: 'run-end', runId, outcome: undefined });
  return new Response(end, { headers: eventStreamHeaders });
}

const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Proxies such as nginx would hold events back.
  'x-accel-buffering': 'no',
};
