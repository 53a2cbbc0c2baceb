import { ShallotError } from '../base/errors.ts';
import type { Store } from '../contract/store.ts';

/**
 * Checks that the agent has an id or a name if other programs may execute other agents on the store.
 * @throws `AGENT_UNNAMED`
 */
export function requireName(store: Store, agentId: string | undefined, what: string, advice: string): void {
  if (agentId !== undefined || store.isLocal === true) return;
  throw new ShallotError('AGENT_UNNAMED', {
    message: `${what} on a store that other processes can open needs the name of the agent, because an agent executes only its own runs. ${advice}`,
  });
}
