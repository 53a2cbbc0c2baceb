import type { Agent } from '@shallot/core';

import { clientTools } from './client-tools.ts';

const added = new WeakMap<Agent, Promise<void>>();

/** Lets the runs of an agent have tools that came with their input. Adds the plugin once. */
export function withClientTools(agent: Agent): Promise<void> {
  const known = added.get(agent) ?? agent.use(clientTools());
  added.set(agent, known);
  return known;
}
