import { deleteSession, ShallotError, type Message } from '@shallot/core';
import type { SessionFilter } from '@shallot/core/store';
import { setTitle } from '@shallot/core/work';

import { newSessionId, shownId, storedId } from '../access/session-ids.ts';
import type { Handlers } from '../http/route.ts';
import type { Routes } from '../http/routes.ts';
import { answerRun } from './answer-run.ts';
import { pageOf } from './page-of.ts';
import { headOf, type ServerState } from './server-state.ts';
import { idempotencyOf, repeatedRun, startRun } from './start-run.ts';
import { sessionLine, sessionNotes, sessionView } from './views.ts';

type SessionRoutes = Pick<
  Routes,
  | 'createSession'
  | 'listSessions'
  | 'getSession'
  | 'renameSession'
  | 'deleteSession'
  | 'listMessages'
  | 'forkSession'
>;

/** The handlers of sessions. */
export function sessionHandlers(state: ServerState): Handlers<SessionRoutes> {
  return {
    async createSession({ identity, body, query, request }) {
      const { id, title, input, ...terms } = body;
      const idempotency = idempotencyOf(request, body);
      const sessionId = id === undefined ? newSessionId(identity, idempotency?.key) : storedId(identity, id);
      const exists = await isThere(state, sessionId);
      if (input === undefined) {
        if (exists) throw taken(id);
        state.refuseDraining();
        const { owner } = identity;
        const about = Object.freeze({ ...(owner && { owner }), ...(title && { title }) });
        await state.store.commit(sessionId, 0, { about });
        return sessionView(state.store, identity, await state.find(identity, shownId(identity, sessionId)));
      }
      const asked = { identity, sessionId, title, body: terms, input, idempotency };
      const started = await (exists ? repeatedRun(state, asked) : startRun(state, asked));
      if (started === undefined) throw taken(id);
      const { session, run } = started;
      const answer = await answerRun(state, session, run, { request, identity, ...query, ...terms });
      if (answer instanceof Response) return answer;
      const after = state.found(identity, sessionId, await headOf(state.store, sessionId));
      return { ...sessionNotes(identity, after), run: answer };
    },

    async listSessions({ identity, query }) {
      const { limit, ...given } = query;
      const filter: SessionFilter = {
        ...given,
        ...(identity.owner === undefined ? {} : { owner: identity.owner }),
      };
      const page = await pageOf(state, filter, limit);
      return { sessions: page.found.map((summary) => sessionLine(identity, summary)), ...page.next };
    },

    async getSession({ identity, params }) {
      return sessionView(state.store, identity, await state.find(identity, params.id));
    },

    async renameSession({ identity, params, body: { title } }) {
      const { id, shownId: shown } = await state.find(identity, params.id);
      await setTitle(state.store, id, title, { owner: identity.owner });
      return sessionView(state.store, identity, await state.find(identity, shown));
    },

    async deleteSession({ identity, params }) {
      const { id } = await state.find(identity, params.id);
      const options = { owner: identity.owner };
      const agent = state.agentIfAny;
      await (agent === undefined
        ? deleteSession(state.store, id, options)
        : agent.deleteSession(id, options));
      return new Response(null, { status: 204 });
    },

    async forkSession({ identity, params, body: { at, id } }) {
      state.refuseDraining();
      const from = await state.find(identity, params.id);
      const as = id === undefined ? newSessionId(identity) : storedId(identity, id);
      if (await isThere(state, as)) throw taken(id);
      const options = { as, owner: identity.owner, ...(at === undefined ? {} : { at }) };
      const { withoutState } = await state.fork(from.id, options);
      const made = await state.find(identity, shownId(identity, as));
      return { ...(await sessionView(state.store, identity, made)), withoutState };
    },

    async listMessages({ identity, params, query: { limit, after } }) {
      const { id } = await state.find(identity, params.id);
      const messages = await messagesAfter(state, id, after);
      const page = messages.slice(0, limit);
      const last = page.at(-1);
      return { messages: page, ...(messages.length > page.length && last ? { next: last.id } : {}) };
    },
  };
}

export async function isThere({ store }: ServerState, id: string): Promise<boolean> {
  for await (const _ of store.list({ id })) return true;
  return false;
}

async function messagesAfter(
  { store }: ServerState,
  sessionId: string,
  after: string | undefined,
): Promise<readonly Message[]> {
  const found = after === undefined ? undefined : await store.messagesFrom?.(sessionId, after);
  if (found !== undefined) return found.messages.slice(1);
  const messages = (await store.load(sessionId))?.messages ?? [];
  const last = after === undefined ? -1 : messages.findLastIndex(({ id }) => id === after);
  if (after === undefined || last !== -1) return messages.slice(last + 1);
  throw new ShallotError('server/REQUEST_INVALID', {
    message: `The session has no message ${JSON.stringify(after.slice(0, 100))}: it was replaced, perhaps by a summary. Read the messages from the beginning.`,
  });
}

export function taken(id: string | undefined): ShallotError {
  return new ShallotError('server/SESSION_EXISTS', {
    message: `There is a session ${JSON.stringify(id ?? 'of this key')} already. Begin a run in it, or choose another id.`,
  });
}
