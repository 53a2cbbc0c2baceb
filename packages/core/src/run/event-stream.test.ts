import { setImmediate as tick } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { AgentEvent } from '../contract/events.ts';
import type { RunResult } from '../contract/result.ts';
import { EventStream, mostWaiting, type Listener } from './event-stream.ts';

const highWater = 256;
const text = (piece: string, index = 0): AgentEvent => ({ type: 'text-delta', index, text: piece });
const note = (data: number): AgentEvent => ({ type: 'plugin', plugin: 'audit', name: 'note', data });
const restart: AgentEvent = { type: 'restart' };

/** A stream of a run that the test conducts. */
function conducted() {
  const run = Promise.withResolvers<RunResult>();
  const aborted: unknown[] = [];
  let listener: Listener | undefined;
  const stream = new EventStream<unknown>(
    (given) => {
      listener = given;
      return run.promise;
    },
    (reason) => void aborted.push(reason),
  );
  return {
    stream,
    aborted,
    end: () => run.resolve({ outcome: 'completed' } as RunResult),
    fail: (error: Error) => run.reject(error),
    push: (event: AgentEvent): unknown => listener?.(event),
    findWait: () => listener?.findWait?.(),
    fill: (count: number): unknown[] => Array.from({ length: count }, () => listener?.(restart)),
  };
}

async function isSettled(promise: unknown): Promise<boolean> {
  let settled = false;
  void Promise.resolve(promise).then(() => (settled = true));
  await tick();
  return settled;
}

async function take(events: AsyncIterator<AgentEvent>, count: number): Promise<AgentEvent[]> {
  const taken: AgentEvent[] = [];
  for (let index = 0; index < count; index += 1) {
    const step = await events.next();
    if (step.done !== true) taken.push(step.value);
  }
  return taken;
}

describe('a stream', () => {
  it('gives events in order, to those who wait and later, and is over with the run', async () => {
    const { stream, push, end } = conducted();
    const events = stream[Symbol.asyncIterator]();
    const waiting = [events.next(), events.next()];
    for (const piece of ['a', 'b', 'c']) push(text(piece));
    expect(await Promise.all(waiting)).toEqual([
      { value: text('a'), done: false },
      { value: text('b'), done: false },
    ]);
    end();
    await tick();
    expect(await events.next()).toEqual({ value: text('c'), done: false });
    expect(await events.next()).toEqual({ value: undefined, done: true });
    expect(await stream.result).toMatchObject({ outcome: 'completed' });
  });

  it('ends all who wait for an event when the run is over', async () => {
    const { stream, end } = conducted();
    const events = stream[Symbol.asyncIterator]();
    const waiting = [events.next(), events.next()];
    end();
    expect(await Promise.all(waiting)).toEqual([
      { value: undefined, done: true },
      { value: undefined, done: true },
    ]);
  });

  it('throws the error of the run after its last event', async () => {
    const { stream, push, fail } = conducted();
    const seen: AgentEvent[] = [];
    push(text('a'));
    fail(new Error('no'));
    await expect(async () => {
      for await (const event of stream) seen.push(event);
    }).rejects.toThrow('no');
    expect(seen).toEqual([text('a')]);
    await expect(stream.result).rejects.toThrow('no');
  });

  it('is read by one loop at a time', async () => {
    const { stream, end } = conducted();
    const events = stream[Symbol.asyncIterator]();
    expect(events[Symbol.asyncIterator]()).toBe(events);
    expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'STREAM_BUSY' }));
    end();
    expect(await events.next()).toMatchObject({ done: true });
    expect(() => stream[Symbol.asyncIterator]()).not.toThrow();
  });

  it('has one result', () => {
    const { stream } = conducted();
    expect(stream.result).toBe(stream.result);
  });
});

describe('a consumer that leaves', () => {
  it('aborts the run, and waits for its end, also if it fails', async () => {
    const { stream, aborted, fail } = conducted();
    const left = stream[Symbol.asyncIterator]().return?.();
    expect(aborted).toEqual([new Error('the consumer of the stream left')]);
    expect(await isSettled(left)).toBe(false);
    fail(new Error('aborted'));
    expect(await left).toEqual({ value: undefined, done: true });
    expect(() => stream[Symbol.asyncIterator]()).not.toThrow();
  });

  it('aborts nothing once the run is over', async () => {
    const { stream, aborted, end } = conducted();
    const events = stream[Symbol.asyncIterator]();
    end();
    await tick();
    await events.return?.();
    expect(aborted).toEqual([]);
  });

  it('lets a run go on that waits for it', async () => {
    const { stream, fill, push, end } = conducted();
    const events = stream[Symbol.asyncIterator]();
    const waiting = fill(highWater).at(-1);
    const left = events.return?.();
    expect(await isSettled(waiting)).toBe(true);
    expect(push(restart)).toBeUndefined();
    end();
    await left;
  });
});

describe('a consumer that lags', () => {
  it('makes the run wait once 256 events are waiting, until less than half of them are', async () => {
    const { stream, fill, findWait } = conducted();
    const events = stream[Symbol.asyncIterator]();
    const pushed = fill(highWater);
    expect(pushed.slice(0, -1)).toEqual(Array.from({ length: highWater - 1 }));
    const waiting = pushed.at(-1);
    expect(findWait()).toEqual({
      by: stream,
      what: 'the consumer of the stream to read its events',
      since: 0,
    });
    await take(events, highWater / 2);
    expect(await isSettled(waiting)).toBe(false);
    expect(findWait()).toMatchObject({ since: highWater / 2 });
    await take(events, 1);
    expect(await isSettled(waiting)).toBe(true);
    expect(findWait()).toBeUndefined();
  });

  it('gets deltas of one part as one from then on', async () => {
    const { stream, fill, push } = conducted();
    const events = stream[Symbol.asyncIterator]();
    fill(highWater - 2);
    for (const piece of ['a', 'b', 'c', 'd']) void push(text(piece));
    void push(text('e', 1));
    await take(events, highWater - 2);
    expect(await take(events, 3)).toEqual([text('a'), text('bcd'), text('e', 1)]);
  });

  it('is not waited for while it awaits the result, until it asks for an event again', async () => {
    const { stream, fill, push, end } = conducted();
    const events = stream[Symbol.asyncIterator]();
    const waiting = fill(highWater).at(-1);
    const result = stream.result.then(({ outcome }) => outcome);
    expect(await isSettled(waiting)).toBe(true);
    expect(push(restart)).toBeUndefined();
    await take(events, 1);
    expect(push(restart)).toBeInstanceOf(Promise);
    end();
    expect(await result).toBe('completed');
  });

  it('that awaits the result only gets the last events', async () => {
    const { stream, fill, push, end } = conducted();
    void stream.result.then(() => {});
    fill(highWater);
    push(text('a'));
    push(text('b'));
    end();
    await tick();
    const events = stream[Symbol.asyncIterator]();
    expect(await take(events, 3)).toEqual([text('a'), text('b')]);
  });

  it('that has awaited the result before gets all events of its loop', async () => {
    const { stream, fill } = conducted();
    void stream.result.then(() => {});
    fill(10);
    const events = stream[Symbol.asyncIterator]();
    expect(fill(highWater - 10).at(-1)).toBeInstanceOf(Promise);
    expect(await take(events, highWater)).toHaveLength(highWater);
  });
});

describe('progress that nobody reads', () => {
  it('is kept up to a limit, then the older half is dropped, which the consumer is told', async () => {
    const { stream, push } = conducted();
    void push(text('first'));
    for (let data = 0; data < mostWaiting; data += 1) void push(note(data));
    void push(restart);
    void push(note(mostWaiting));
    const events = stream[Symbol.asyncIterator]();
    expect(await take(events, 3)).toEqual([
      {
        type: 'warning',
        code: 'EVENTS_DROPPED',
        message: `5001 events were dropped because ${mostWaiting} were waiting for the consumer of the stream; the newest were kept. Read faster, or await progress in tools.`,
      },
      text('first'),
      note(5001),
    ]);
    const rest = await take(events, mostWaiting - 5001 + 1);
    expect(rest.slice(-2)).toEqual([restart, note(mostWaiting)]);
  });

  it.each([
    ['of tools', { type: 'tool-progress', step: 1, callId: 'c', data: 1 }],
    ['of plugins', note(1)],
    ['in warnings', { type: 'warning', code: 'A', message: 'b' }],
    ['of children', { type: 'child' }],
  ])('counts %s', async (_, event) => {
    const { stream, push } = conducted();
    for (let count = 0; count <= mostWaiting; count += 1) void push(event as AgentEvent);
    const events = stream[Symbol.asyncIterator]();
    expect(await take(events, 1)).toMatchObject([{ code: 'EVENTS_DROPPED' }]);
  });

  it('counts no longer once it was read or dropped', async () => {
    const { stream, push } = conducted();
    const events = stream[Symbol.asyncIterator]();
    for (let data = 0; data <= mostWaiting; data += 1) void push(note(data));
    await take(events, 2);
    // 4,999 are left: as many more as fit are kept.
    for (let data = 0; data < mostWaiting - 4999; data += 1) void push(note(data));
    expect(await take(events, 1)).toEqual([note(5002)]);
    void push(note(0));
    expect(await take(events, 1)).toEqual([note(5003)]);
    for (let data = 0; data < 2; data += 1) void push(note(data));
    expect(await take(events, 1)).toMatchObject([{ code: 'EVENTS_DROPPED' }]);
  });

  it('is forgotten with everything else while only the result is awaited', async () => {
    const { stream, push, end } = conducted();
    void stream.result.then(() => {});
    for (let data = 0; data < 3 * mostWaiting; data += 1) push(note(data));
    end();
    await tick();
    const [first] = await take(stream[Symbol.asyncIterator](), 1);
    expect(first).toMatchObject({ type: 'plugin' });
  });
});
