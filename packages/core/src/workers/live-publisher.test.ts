import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import type { AgentEvent } from '../contract/events.ts';
import { memoryStore } from '../index.ts';
import { createLogger } from '../log/create-logger.ts';
import { createRedactor } from '../redact/redactor.ts';
import type { LiveEvents } from '../store.ts';
import { LivePublisher } from './live-publisher.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('queued events stay while their phase lasts, and are dropped once it is over', async () => {
  const published: LiveEvents[] = [];
  const store = {
    ...memoryStore(),
    publish: async (_: string, events: LiveEvents) => void published.push(events),
  };
  const log = createLogger('silent', { redactor: createRedactor({ environment: false }) });
  const publisher = new LivePublisher(store, 's', log);
  const take = (...events: readonly object[]): void => {
    // The publisher reads no more of an event than its type, and where the run is.
    for (const event of events) publisher.take(event as AgentEvent);
  };
  const tool = (id: string): object => ({ type: 'tool-start', step: 1, call: { id } });
  take({ type: 'run-start', runId: 'r' }, { type: 'step-start', step: 1 });
  take({ type: 'message', step: 1 }, tool('a'), tool('b'));
  await vi.advanceTimersByTimeAsync(100);
  expect(published).toEqual([{ runId: 'r', step: 1, phase: 'tools', events: [tool('a'), tool('b')] }]);
  take({ type: 'step-start', step: 2 }, { type: 'run-end' });
  await vi.advanceTimersByTimeAsync(1000);
  expect(published).toHaveLength(1);
});
