import type { Agent } from '@shallot/core';

import { clientTools } from './client-tools.ts';

const added = new WeakMap<Agent, Promise<void>>();

/** Adds the plugin for tools in inputs to an agent, once. */
export function withClientTools(agent: Agent): Promise<void> {
  const known = added.get(agent) ?? agent.use(clientTools());
  added.set(agent, known);
  return known;
}
