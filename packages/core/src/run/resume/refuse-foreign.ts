import { ShallotError } from '../../base/errors.ts';
import type { RunAgent, RunRecord } from '../../contract/store.ts';
import type { AgentParts } from '../agent-parts.ts';

/**
 * Refuses to resume a run of another agent or, with `isSameVersionOnly`, of another version of this one. Any agent may
 * resume a run that names no agent, and any version one that names no version. @throws `RUN_OF_ANOTHER_AGENT`
 */
export function refuseForeign(
  { identity, name }: Pick<AgentParts, 'identity' | 'name'>,
  sessionId: string,
  { agent }: RunRecord,
  isSameVersionOnly: boolean,
): void {
  const isOwn = agent === undefined || agent.id === identity?.id;
  const isFit = !isSameVersionOnly || agent?.version === undefined || agent.version === identity?.version;
  if (isOwn && isFit) return;
  const own = identity === undefined ? `"${name}" has no name of its own` : `is "${versioned(identity)}"`;
  throw new ShallotError('RUN_OF_ANOTHER_AGENT', {
    message: `The run of session "${sessionId}" belongs to the agent "${versioned(agent)}", and this agent ${own}. Resume it with that agent, or take it over: \`shallot resume --take-over\`, or takeOver: true in a program.`,
  });
}

function versioned({ id, version }: RunAgent = { id: '' }): string {
  return version === undefined ? id : `${id}@${version}`;
}
