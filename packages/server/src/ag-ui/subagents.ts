import type { AgentEvent } from '@shallot/core';

import type { AgUiEvent } from './ag-ui-event.ts';

type ChildEvent = AgentEvent & { readonly type: 'child' };

/** Converts the events of child runs to events of subagents. */
export class Subagents {
  /** The ids of the subagents that are open, by the session of the child. */
  readonly #open = new Map<string, string>();
  #count = 0;

  /** Returns the events for an event of a child, or of a child below it. */
  take({ callId, sessionId, agent, event }: ChildEvent, parent?: string): readonly AgUiEvent[] {
    const known = this.#open.get(sessionId);
    // A child that continues in the same run is another invocation.
    const subagentRunId = known ?? `${sessionId}-${(this.#count += 1)}`;
    const start: AgUiEvent = {
      type: 'SUBAGENT_STARTED',
      subagentRunId,
      name: agent,
      parentToolCallId: callId,
      ...(parent === undefined ? {} : { parentSubagentRunId: parent }),
    };
    this.#open.set(sessionId, subagentRunId);
    return [...(known === undefined ? [start] : []), ...this.#news(event, sessionId, subagentRunId)];
  }

  #news(event: AgentEvent, sessionId: string, subagentRunId: string): readonly AgUiEvent[] {
    if (event.type === 'run-start') return [];
    if (event.type === 'child') return this.take(event, subagentRunId);
    if (event.type === 'run-end') {
      this.#open.delete(sessionId);
      return [endOf(subagentRunId, event.result.outcome, event.result.error)];
    }
    return [{ type: 'CUSTOM', name: 'child', value: event, subagentRunId }];
  }

  /** Returns the events that end the open subagents when the run is over. */
  end(outcome: string | undefined): readonly AgUiEvent[] {
    const open = [...this.#open.values()].toReversed();
    this.#open.clear();
    return open.map((subagentRunId) => endOf(subagentRunId, outcome));
  }
}

function endOf(
  subagentRunId: string,
  outcome: string | undefined,
  error?: { readonly code: string; readonly message: string },
): AgUiEvent {
  if (outcome === 'completed') return { type: 'SUBAGENT_FINISHED', subagentRunId };
  if (outcome === 'interrupted')
    return { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'suspended' } };
  const { code, message = 'The child was stopped.' } = error ?? {};
  return { type: 'SUBAGENT_ERROR', subagentRunId, message, ...(code === undefined ? {} : { code }) };
}
