import { expect } from 'vitest';

import type { AgentEvent } from '../../src/contract/events.ts';
import type { Message } from '../../src/contract/messages.ts';
import type { RunResult } from '../../src/contract/result.ts';
import type { Store } from '../../src/contract/store.ts';
import { followRun } from '../../src/workers/follow-run.ts';
import type { FollowedEvent } from '../../src/workers/followed-event.ts';

/** Follows a run from its record, until it ends. */
export async function follow(
  store: Store,
  sessionId: string,
  signal: AbortSignal,
): Promise<readonly FollowedEvent[]> {
  const events: FollowedEvent[] = [];
  for await (const event of followRun(store, sessionId, { intervalMs: 1, signal })) events.push(event);
  return events;
}

/**
 * Checks the events that a follower received against the result of the run, and those that a listener in its process
 * received, if there was one. Both may also have messages that were replaced later.
 */
export function checkFollowed(
  followed: readonly FollowedEvent[],
  heard: readonly AgentEvent[],
  result: RunResult,
): void {
  const left = new Set(result.messages.map(({ id }) => id));
  const seen = followed.flatMap((event) => ('message' in event ? [event.message] : []));
  expect(seen.filter(({ id }) => left.has(id))).toEqual(result.messages);
  const said = heard.flatMap((event) =>
    event.type === 'message' || event.type === 'tool-end' ? [event.message as Message] : [],
  );
  expect(said.filter(({ id }) => left.has(id))).toEqual(
    result.messages.filter(({ id }) => said.some((message) => message.id === id)),
  );
  const asked = followed.flatMap((event) => (event.type === 'interrupt' ? [event.interrupt] : []));
  expect(asked).toEqual(result.interrupts);
  const { runId, outcome, stopReason } = result;
  expect(followed.at(-1)).toMatchObject({ type: 'run-end', runId, outcome, stopReason });
}
