import { messageOf } from '../base/thrown.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { AgentParts } from '../run/agent-parts.ts';
import { LivePublisher } from './live-publisher.ts';
import type { WorkOptions } from './work-options.ts';

/** Returns the listener for a run's events, if there is any. Errors of `onEvent` do not affect the run. */
export function runListener(
  { store, log }: Pick<AgentParts, 'store' | 'log'>,
  { onEvent }: Pick<WorkOptions, 'onEvent'>,
  sessionId: string,
  isStreamed: boolean,
): ((event: AgentEvent) => void) | undefined {
  const live =
    isStreamed && store.publish !== undefined ? new LivePublisher(store, sessionId, log) : undefined;
  if (onEvent === undefined) return live?.take;
  return (event) => {
    live?.take(event);
    try {
      onEvent(sessionId, event);
    } catch (error) {
      log.warn({ sessionId }, `onEvent of the worker threw: ${messageOf(error)}`);
    }
  };
}
