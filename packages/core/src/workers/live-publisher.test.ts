import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { notedLog } from '../../test/noted-log.ts';
import type { AgentEvent } from '../contract/events.ts';
import { memoryStore } from '../index.ts';
import type { LiveEvents } from '../store.ts';
import { LivePublisher } from './live-publisher.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A publisher, and what it has published. */
function publishing(publish: () => Promise<void> = async () => {}) {
  const published: LiveEvents[] = [];
  const { log, lines } = notedLog();
  const store = {
    ...memoryStore(),
    async publish(_: string, events: LiveEvents) {
      published.push(events);
      await publish();
    },
  };
  const publisher = new LivePublisher(store, 's', log);
  const take = (...events: readonly object[]): void => {
    // The publisher reads no more of an event than its type, and where the run is.
    for (const event of events) publisher.take(event as AgentEvent);
  };
  return { published, lines, take };
}

const tool = (id: string, step = 1): object => ({ type: 'tool-start', step, call: { id } });
const delta = (text: string): object => ({ type: 'text-delta', index: 0, text });
const later = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test('queued events stay while their phase lasts, and are dropped once it is over', async () => {
  const { published, take } = publishing();
  take({ type: 'run-start', runId: 'r' }, { type: 'step-start', step: 1 });
  take({ type: 'message', step: 1 }, tool('a'), tool('b'));
  await later(100);
  expect(published).toEqual([{ runId: 'r', step: 1, phase: 'tools', events: [tool('a'), tool('b')] }]);
  take({ type: 'step-start', step: 2 }, { type: 'run-end' });
  await later(1000);
  expect(published).toHaveLength(1);
});

test('events of one tenth of a second are published together, with their deltas joined', async () => {
  const { published, take } = publishing();
  take({ type: 'run-start', runId: 'r' }, { type: 'step-start', step: 1 }, delta('a'), delta('b'));
  await later(99);
  take(delta('c'), { type: 'usage' });
  expect(published).toEqual([]);
  await later(1);
  const events = [{ type: 'step-start', step: 1 }, delta('abc')];
  expect(published).toEqual([{ runId: 'r', step: 1, phase: 'model', events }]);
  take(delta('d'));
  await later(99);
  expect(published).toHaveLength(1);
  await later(1);
  expect(published[1]?.events).toEqual([delta('d')]);
});

test('events of a run that begins anew are those of its first phase', async () => {
  const { published, take } = publishing();
  take({ type: 'run-start', runId: 'q' }, { type: 'step-start', step: 4 }, { type: 'run-start', runId: 'r' });
  take(delta('a'));
  await later(100);
  expect(published).toEqual([{ runId: 'r', step: 0, phase: 'model', events: [delta('a')] }]);
});

test('events wait while others are published, and follow after the pause', async () => {
  const first = Promise.withResolvers<void>();
  const { published, take } = publishing(() => first.promise);
  take(tool('a'));
  await later(100);
  take(tool('b'));
  await later(500);
  expect(published).toHaveLength(1);
  first.resolve();
  await later(99);
  expect(published).toHaveLength(1);
  await later(1);
  expect(published.map(({ events }) => events)).toEqual([[tool('a')], [tool('b')]]);
  expect(vi.getTimerCount()).toBe(0);
});

test('events that cannot be published are lost, and the next ones are not', async () => {
  const { published, take, lines } = publishing(() => Promise.reject(new Error('away')));
  take(tool('a'));
  await later(100);
  take(tool('b'));
  await later(100);
  expect(published).toHaveLength(2);
  const line = ['warn', { sessionId: 's' }, 'Events could not be published: away'];
  expect(lines).toEqual([line, line]);
});
