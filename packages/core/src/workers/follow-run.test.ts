import { expect, it, onTestFinished, vi } from 'vitest';

import { memoryStore } from '../sessions/stores/memory-store.ts';
import { SessionWatch } from '../sessions/stores/session-watch.ts';
import { followRun } from './follow-run.ts';
import { submitRun } from './submit-run.ts';

it('a follower looks again after half a second, or after `intervalMs`', async () => {
  const wait = vi.spyOn(SessionWatch.prototype, 'wait');
  onTestFinished(() => wait.mockRestore());
  const store = memoryStore();
  await submitRun(store, 's', 'Hello', { agent: 'test' });
  const signal = AbortSignal.abort();
  for (const options of [{}, { intervalMs: 5 }])
    for await (const event of followRun(store, 's', { ...options, signal }))
      expect(event.type).toBe('message');
  expect(wait.mock.calls.map(([ms]) => ms)).toEqual([500, 5]);
});
