import { ShallotError } from '@shallot/core';
import type { RunRecord } from '@shallot/core/store';
import { answerInterrupts, resubmitRun, sendMessage, stopRun } from '@shallot/core/work';

import { nameOf } from '../access/identity.ts';
import { replacedRun } from '../events/event-stream.ts';
import { parsePosition } from '../events/position.ts';
import type { Handlers } from '../http/route.ts';
import type { Routes } from '../http/routes.ts';
import { answerRun, streamRun } from './answer-run.ts';
import { headOf, type FoundSession, type ServerState } from './server-state.ts';
import { idempotencyOf, inputOf, startRun } from './start-run.ts';

type RunRoutes = Pick<
  Routes,
  'startRun' | 'followRun' | 'sendMessage' | 'stopRun' | 'resumeRun' | 'answerInterrupt'
>;

/** The longest time that an answer or a resume waits for the process that works on the session, in milliseconds. */
export const waitMs = 10_000;

/** The handlers of runs. */
export function runHandlers(state: ServerState): Handlers<RunRoutes> {
  return {
    async startRun({ identity, params, query, body, request }) {
      const session = await state.find(identity, params.id);
      const { input, ...terms } = body;
      const idempotency = idempotencyOf(request, body);
      const asked = { identity, sessionId: session.id, body: terms, input, idempotency };
      const { run } = await startRun(state, asked);
      return answerRun(state, session, run, { request, identity, ...query, ...terms });
    },

    async followRun({ identity, params, query, request }) {
      const session = await state.find(identity, params.id);
      if (session.run === undefined) return new Response(null, { status: 204 });
      if (query.run !== undefined && query.run !== session.run.id) return replacedRun(query.run);
      const at = parsePosition(request.headers.get('last-event-id') ?? query.after);
      return streamRun(state, session, session.run, at === undefined ? {} : { at });
    },

    async sendMessage({ identity, params, body: { message, id, when } }) {
      const session = await state.find(identity, params.id);
      const sent = { ...inputOf(message), ...(id === undefined ? {} : { id }) };
      const { owner } = identity;
      const taken = await sendMessage(state.store, session.id, sent, { owner, when, by: nameOf(identity) });
      state.wake(session.id);
      return { id: taken };
    },

    async stopRun({ identity, params }) {
      const { id } = await state.find(identity, params.id);
      const options = { owner: identity.owner };
      const agent = state.agentIfAny;
      const stopped = await (agent === undefined
        ? stopRun(state.store, id, options)
        : agent.stop(id, options));
      state.live.wake(id);
      return { stopped };
    },

    async resumeRun({ identity, params, query, request }) {
      state.refuseDraining();
      const session = await state.find(identity, params.id);
      await resubmitRun(state.store, session.id, { owner: identity.owner, waitMs, signal: request.signal });
      state.wake(session.id);
      return answerRun(state, session, await runOf(state, session), { request, identity, ...query });
    },

    async answerInterrupt({ identity, params, query, body, request }) {
      const session = await state.find(identity, params.id);
      const options = { owner: identity.owner, by: nameOf(identity), waitMs, signal: request.signal };
      await answerInterrupts(state.store, session.id, { [params.interrupt]: body.answer }, options);
      state.wake(session.id);
      return answerRun(state, session, await runOf(state, session), { request, identity, ...query });
    },
  };
}

/**
 * Loads the last run of a session again.
 * @throws `SESSION_NOT_FOUND`
 */
export async function runOf(state: ServerState, { id }: FoundSession): Promise<RunRecord> {
  const run = (await headOf(state.store, id))?.run;
  if (run !== undefined) return run;
  throw new ShallotError('SESSION_NOT_FOUND', { message: 'The session was deleted meanwhile.' });
}
