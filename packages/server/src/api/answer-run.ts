import type { RunRecord, SessionHead } from '@shallot/core/store';
import { stopRun } from '@shallot/core/work';

import type { Identity } from '../access/identity.ts';
import { eventStream, replacedRun, type StreamTerms } from '../events/event-stream.ts';
import { isOpen, type FeedNews } from '../events/run-feed.ts';
import { noteRequest } from '../observe/request-notes.ts';
import { headOf, type FoundSession, type ServerState } from './server-state.ts';
import { runView, type RunView } from './views.ts';

/** A client that waits for a run. */
export interface RunWait {
  readonly request: Request;
  readonly identity: Identity;
  /** The most seconds that a JSON answer waits for the end of the run. */
  readonly wait: number;
  /** `stop` ends the run after its step if the client disconnects. Default: `continue`. */
  readonly onDisconnect?: 'continue' | 'stop';
}

/** Answers with the run of a session: with its events if the request accepts them, else as JSON. */
export async function answerRun(
  state: ServerState,
  session: FoundSession,
  run: RunRecord,
  { request, identity, wait, onDisconnect }: RunWait,
): Promise<Response | RunView> {
  noteRequest({ sessionId: session.id, runId: run.id });
  const stop = stopperOf(state, session, { identity, onDisconnect });
  const { store } = state;
  const isStream = request.headers.get('accept')?.includes('text/event-stream') === true;
  // The request was repeated after another run had begun, so there is nothing to wait for.
  if (session.run !== undefined && session.run.id !== run.id && (await isReplaced(state, session, run)))
    return isStream ? replacedRun(run.id) : runView(store, session.shownId, session, run);
  if (isStream) return streamRun(state, session, run, { onGone: stop });
  const end = wait > 0 ? await waitForEnd(state, session, run, { request, wait }) : undefined;
  if (end === 'gone') stop();
  const head = (typeof end === 'object' ? end : await headOf(store, session.id)) ?? session;
  return runView(store, session.shownId, head, head.run ?? run);
}

async function isReplaced({ store }: ServerState, { id }: FoundSession, run: RunRecord): Promise<boolean> {
  return (await headOf(store, id))?.run?.id !== run.id;
}

/** Returns the function that is called when the client disconnects. It stops the run if the client asked for that. */
export function stopperOf(
  state: ServerState,
  { id }: FoundSession,
  {
    identity,
    onDisconnect,
  }: Pick<RunWait, 'identity'> & { readonly onDisconnect: RunWait['onDisconnect'] | undefined },
): () => void {
  return () => {
    if (onDisconnect !== 'stop') return;
    stopRun(state.store, id, { owner: identity.owner }).then(() => state.live.wake(id), state.terms.onError);
  };
}

/** Options of a stream for one client. */
interface RunStream extends Partial<Pick<StreamTerms, 'at' | 'form'>> {
  readonly onGone?: () => void;
}

/**
 * Streams the events of a run, beginning after a place. Answers 204 if the run is over and the client has all of its
 * events.
 */
export function streamRun(
  state: ServerState,
  session: FoundSession,
  run: RunRecord,
  { at, form, onGone }: RunStream = {},
): Response {
  const { feeds, terms, store } = state;
  noteRequest({ sessionId: session.id, runId: run.id });
  const feed = feeds.join(store, session.id, run);
  if (at !== undefined && !isOpen(run) && feed.isOver && feed.after(at).events.length === 0) {
    feeds.leave(session.id, feed, true);
    return new Response(null, { status: 204 });
  }
  return eventStream(feed, {
    at,
    ...(form === undefined ? {} : { form }),
    heartbeatMs: terms.heartbeatMs,
    signal: feeds.closing,
    onEnd(isOver) {
      feeds.leave(session.id, feed, true);
      if (!isOver && !feeds.closing.aborted) onGone?.();
    },
  });
}

/**
 * Waits for the end of a run, and returns all of its events. The end is missing if the client disconnects or the
 * server closes before.
 */
export async function eventsToEnd(
  { feeds, store, terms }: ServerState,
  { id }: FoundSession,
  run: RunRecord,
  signal: AbortSignal,
): Promise<FeedNews> {
  noteRequest({ sessionId: id, runId: run.id });
  const feed = feeds.join(store, id, run);
  try {
    while (!feed.isOver && !signal.aborted) await feed.isSilentFor(terms.heartbeatMs, signal);
    return feed.after(undefined);
  } finally {
    feeds.leave(id, feed, false);
  }
}

/**
 * The time between two checks of a run, in milliseconds. They are needed if another process executes the run and the
 * store reports no changes.
 */
const lookMs = 500;

/** The time between two checks if the store reports changes: it misses some while its connection is down. */
const watchedLookMs = 5000;

/**
 * Waits for the end of a run, at most `wait` seconds, without reading its events. Returns the session as it is then; `gone`
 * if the client has disconnected.
 */
async function waitForEnd(
  { feeds, live, store }: ServerState,
  { id }: FoundSession,
  run: RunRecord,
  { request: { signal }, wait }: Pick<RunWait, 'request' | 'wait'>,
): Promise<SessionHead | 'gone' | undefined> {
  const until = performance.now() + wait * 1000;
  let { promise: changed, resolve: change } = Promise.withResolvers<void>();
  const look = (): void => change();
  const leaves = [live.onEnd(id, look), await store.watch?.(id, look)];
  const signals = [signal, feeds.closing];
  for (const each of signals) each.addEventListener('abort', look);
  try {
    for (;;) {
      const head = await headOf(store, id);
      const leftMs = until - performance.now();
      if (head?.run?.id !== run.id || !isOpen(head.run) || leftMs <= 0) return head;
      if (signals.some(({ aborted }) => aborted)) return signal.aborted ? 'gone' : head;
      const timer = setTimeout(look, Math.min(leftMs, store.watch === undefined ? lookMs : watchedLookMs));
      await changed;
      clearTimeout(timer);
      ({ promise: changed, resolve: change } = Promise.withResolvers<void>());
    }
  } finally {
    for (const leave of leaves) leave?.();
    for (const each of signals) each.removeEventListener('abort', look);
  }
}
