import { isShallotError, ShallotError, type Input, type JsonObject } from '@shallot/core';
import type { RunRecord, SessionHead } from '@shallot/core/store';

import type { Identity } from '../access/identity.ts';
import type { Call } from '../http/route.ts';
import type { Routes } from '../http/routes.ts';
import { traceparentOfRequest } from '../observe/request-notes.ts';
import { inputNote, isRepeated, submissionMetadata, type Idempotency } from '../work/submission-metadata.ts';
import { earlierRun } from './earlier-run.ts';
import { headOf, type FoundSession, type ServerState } from './server-state.ts';

type RunBody = Call<Routes['startRun']>['body'];

/** A run that a request begins in a session. */
export interface RunRequest {
  readonly identity: Identity;
  /** The id under which the session is stored. */
  readonly sessionId: string;
  readonly title?: string | undefined;
  readonly body: Omit<RunBody, 'input'>;
  readonly input: RunBody['input'];
  /** The id of the message with the input. Default: a new one. */
  readonly messageId?: string;
  /** The notes of the server about the input, with a key for each plugin. */
  readonly inputMetadata?: JsonObject;
  readonly idempotency: Idempotency | undefined;
}

/**
 * Returns the key of a request, together with the body that it was sent with; undefined without a key.
 *
 * @throws `server/REQUEST_INVALID`
 */
export function idempotencyOf(request: Request, body: unknown): RunRequest['idempotency'] {
  const key = request.headers.get('idempotency-key');
  if (key === null) return undefined;
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return { key, body };
  throw new ShallotError('server/REQUEST_INVALID', {
    message:
      'The Idempotency-Key is not 1 to 200 printable characters without spaces. Send a UUID, for example.',
  });
}

/** A run that was begun, with its session. */
export interface StartedRun {
  readonly session: FoundSession;
  readonly run: RunRecord;
}

/**
 * Submits a run for workers, once for each idempotency key. @throws `server/KEY_REUSED`, `server/DRAINING`,
 * `server/TOO_MANY`, and errors of submitting
 */
export async function startRun(state: ServerState, asked: RunRequest): Promise<StartedRun> {
  const { identity, sessionId, idempotency } = asked;
  const repeated = await repeatedRun(state, asked);
  if (repeated !== undefined) return repeated;
  state.refuseDraining();
  await refuseTooMany(state, identity);
  const read = (): Promise<SessionHead | undefined> => headOf(state.store, sessionId);
  try {
    await submit(state, asked);
  } catch (error) {
    // The same request may have arrived twice at the same time.
    if (!isShallotError(error) || !isRepeated((await read())?.run, idempotency)) throw error;
  }
  state.wake(sessionId);
  const session = state.found(identity, sessionId, await read());
  if (session.run !== undefined) return { session, run: session.run };
  throw new ShallotError('SESSION_NOT_FOUND', { message: 'The session was deleted as its run began.' });
}

/**
 * Returns the run of an earlier request with the same key; undefined if there is none. @throws `server/KEY_REUSED` if that
 * had another body
 */
export async function repeatedRun(state: ServerState, asked: RunRequest): Promise<StartedRun | undefined> {
  const { identity, sessionId, idempotency } = asked;
  if (idempotency === undefined) return undefined;
  const head = await headOf(state.store, sessionId);
  const last = head?.run;
  const run = last && (isRepeated(last, idempotency) ? last : await earlierOf(state, asked));
  return run && { session: state.found(identity, sessionId, head), run };
}

/** Returns a run before the last one, whose key is stored in the messages alone; undefined without one. */
async function earlierOf({ store }: ServerState, asked: RunRequest): Promise<RunRecord | undefined> {
  const record = await store.load(asked.sessionId);
  return record && earlierRun(record, asked.idempotency);
}

async function submit(state: ServerState, asked: RunRequest): Promise<void> {
  const { identity, sessionId, title, body, input, messageId, inputMetadata, idempotency } = asked;
  const { store } = state;
  const metadata = { ...inputMetadata, ...inputNote(idempotency) };
  const message = {
    ...inputOf(input),
    ...(messageId === undefined ? {} : { id: messageId }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
  const traceparent = traceparentOfRequest();
  await state.agent.submit(message, {
    sessionId,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(identity.owner === undefined ? {} : { owner: identity.owner }),
    ...(title === undefined ? { titleFromInput: true } : { title }),
    ...(body.abandon === undefined ? {} : { abandon: body.abandon }),
    ...(body.output === undefined ? {} : { output: body.output }),
    // Other processes may follow the run.
    stream: store.isLocal !== true && store.publish !== undefined,
    metadata: submissionMetadata(identity, idempotency),
  });
}

/** Returns the content of a request as a user message, because clients speak only for the user. */
export function inputOf(
  content: RunBody['input'],
): Extract<Input, { readonly role: string }> & { readonly role: 'user' } {
  return { role: 'user', content };
}

/**
 * Refuses a run if too many are in progress.
 * @throws `server/TOO_MANY`
 */
async function refuseTooMany({ store, terms }: ServerState, { owner }: Identity): Promise<void> {
  // An operator's runs are all runs. On their own machine, operators may have as many as they want.
  if (owner === undefined && !terms.isShared) return;
  let count = 0;
  for await (const _ of store.list({
    ...(owner === undefined ? {} : { owner }),
    status: 'running',
    limit: terms.openRuns,
  }))
    count += 1;
  if (count < terms.openRuns) return;
  throw new ShallotError('server/TOO_MANY', {
    message: `${count} runs are in progress, which is the most for one owner. Wait for the end of one.`,
  });
}
