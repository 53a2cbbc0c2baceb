import { openInterrupts } from '@shallot/core/store';

import { shownId } from '../access/session-ids.ts';
import { openApiOf } from '../http/open-api.ts';
import type { Handlers } from '../http/route.ts';
import { routes, type Routes } from '../http/routes.ts';
import { pageOf } from './page-of.ts';
import { headOf, type ServerState } from './server-state.ts';
import { questionView, type WaitingQuestion } from './views.ts';

type OtherRoutes = Pick<Routes, 'listInterrupts' | 'getAgent' | 'getHealth' | 'getReady' | 'getDescription'>;

/** The handlers of routes that do not concern a single session. */
export function otherHandlers(state: ServerState): Handlers<OtherRoutes> {
  const description = openApiOf(routes);
  return {
    async listInterrupts({ identity, query: { limit, after } }) {
      const { owner } = identity;
      const filter = {
        status: 'interrupted',
        ...(owner === undefined ? {} : { owner }),
        ...(after === undefined ? {} : { after }),
      } as const;
      const { found, next } = await pageOf(state, filter, limit);
      const interrupts: WaitingQuestion[] = [];
      for (const { id } of found) {
        const { run } = (await headOf(state.store, id)) ?? {};
        for (const open of openInterrupts(run))
          interrupts.push({ sessionId: shownId(identity, id), ...questionView(open) });
      }
      return { interrupts, ...next };
    },

    getAgent() {
      const { name, id, version, description: about, tools } = state.agent;
      return {
        name,
        ...(id === undefined ? {} : { id }),
        ...(version === undefined ? {} : { version }),
        ...(about === undefined ? {} : { description: about }),
        tools: tools.list().map((tool) => ({ name: tool.name, description: tool.description })),
        limits: { bodyBytes: state.terms.bodyBytes },
      };
    },

    getHealth: () => ({ status: 'ok' }),

    async getReady() {
      state.refuseDraining();
      void state.agent;
      for await (const _ of state.store.list({ limit: 1 })) break;
      return { status: 'ok' };
    },

    getDescription: () => description,
  };
}
