import type { ServerState } from '../api/server-state.ts';
import type { OpenAiRoutes } from '../http/openai-routes.ts';
import type { Handlers } from '../http/route.ts';
import { completionHandlers } from './completion-handlers.ts';
import { responseHandlers } from './response-handlers.ts';

/** The handlers of clients of OpenAI. */
export function openAiHandlers(state: ServerState): Handlers<OpenAiRoutes> {
  return {
    listModels: () => {
      const model = { id: state.agent.name, object: 'model', created: 0, owned_by: 'shallot' };
      return { object: 'list', data: [model] };
    },
    ...completionHandlers(state),
    ...responseHandlers(state),
  };
}
