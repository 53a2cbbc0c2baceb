import { ShallotError } from '@shallot/core';

import type { ServerState } from '../api/server-state.ts';

/**
 * Refuses a request for any model other than the agent.
 * @throws `server/NOT_FOUND`
 */
export function requireModel({ agent }: ServerState, model: string): void {
  if (model === agent.name) return;
  throw new ShallotError('server/NOT_FOUND', {
    message: `There is no model ${JSON.stringify(model.slice(0, 100))}. The agent is ${JSON.stringify(agent.name)}; GET /v1/models lists it.`,
  });
}
