import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { notedLog } from '../../test/noted-log.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { Store } from '../contract/store.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { contextOf } from './context-of.ts';
import { runListener } from './run-listener.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const event = { type: 'tool-start', step: 1 } as AgentEvent;

it.each<readonly [string, boolean, boolean, boolean]>([
  ['streamed, with a listener', true, true, true],
  ['streamed', true, true, false],
  ['not streamed, with a listener', false, true, true],
  ['not streamed', false, true, false],
  ['streamed to a store that publishes nothing, with a listener', true, false, true],
  ['streamed to a store that publishes nothing', true, false, false],
])('the events of a run that is %s reach who wants them', async (_, isStreamed, publishes, hasListener) => {
  const published: string[] = [];
  const heard: unknown[] = [];
  const publish = async (id: string): Promise<void> => void published.push(id);
  const store: Store = { ...memoryStore(), ...(publishes ? { publish } : {}) };
  const onEvent = (...given: unknown[]): void => void heard.push(given);
  const parts = { store, log: notedLog().log };
  const listener = runListener(parts, hasListener ? { onEvent } : {}, 's', isStreamed);
  listener?.(event);
  await vi.advanceTimersByTimeAsync(1000);
  expect(published).toEqual(isStreamed && publishes ? ['s'] : []);
  expect(heard).toEqual(hasListener ? [['s', event]] : []);
  expect(listener === undefined).toBe(!hasListener && !(isStreamed && publishes));
});

it('a listener that throws is named in the log', () => {
  const { log, lines } = notedLog();
  const onEvent = (): never => {
    throw new Error('broken');
  };
  runListener({ store: memoryStore(), log }, { onEvent }, 's', false)?.(event);
  expect(lines).toEqual([['warn', { sessionId: 's' }, 'onEvent of the worker threw: broken']]);
});

it('the context of a run is made from its session and its metadata, and a failure is named', async () => {
  const context = async (...given: readonly unknown[]): Promise<unknown> => given;
  expect(await contextOf({ context }, 's', { a: 1 })).toEqual(['s', { a: 1 }]);
  expect(await contextOf({}, 's', {})).toBeUndefined();
  const cause = new Error('no such user');
  await expect(contextOf({ context: () => Promise.reject(cause) }, 's', {})).rejects.toMatchObject({
    code: 'CONTEXT_FAILED',
    message: expect.stringContaining('It threw: no such user') as string,
    cause,
  });
});
