import { describe, expect, it } from 'vitest';

import { textPart, type Message } from '../contract/messages.ts';
import { modelError } from '../contract/model-error.ts';
import type { ModelRequest } from '../contract/model.ts';
import type { RunInfo } from '../contract/run-info.ts';
import type { Usage } from '../contract/usage.ts';
import { contextMeter, type ContextMeter } from './context-meter.ts';
import { tokenCounts } from './token-counts.ts';

type Tap = (...given: never[]) => unknown;

/** Returns a message of so many tokens. */
function message(id: string, tokens: number): Message {
  return Object.freeze({ id, role: 'user', content: [textPart('x '.repeat(tokens - 4))] } as const);
}

function request(...messages: Message[]): ModelRequest {
  return { instructions: '', messages, tools: [] } as unknown as ModelRequest;
}

const usage = (input: number, output = 0): Usage => ({ input, output, total: input + output });

/** A meter with the numbers of a session, and functions that play the steps of its run. */
function metered(kept?: unknown) {
  let value = kept;
  const taps: Record<string, Tap> = {};
  const tapOf = (name: string) => ({ tap: (_: unknown, tap: Tap) => void (taps[name] = tap) });
  const tokens = tokenCounts((text) => text.trim().split(/\s+/).length);
  const meter = contextMeter({
    tokens,
    hooks: { wrapModelCall: tapOf('wrap'), afterModel: tapOf('after') } as never,
    state: (({ initial }: { readonly initial: () => unknown }) => {
      const get = (): unknown => value ?? initial();
      return {
        get,
        set: (_: RunInfo, next: unknown) => (value = next),
        update: (_: RunInfo, change: (before: unknown) => unknown) => (value = change(get())),
      };
    }) as never,
  });
  const run = {} as RunInfo;
  return {
    meter,
    run,
    kept: () => value,
    measure: (given: ModelRequest, how: 'measure' | 'remeasure' = 'measure') => meter[how](given, run),
    /** Sends the measured request, as inner layers have changed it, and gets an answer of so many tokens. */
    answer(sent: ModelRequest, id: string, size: number, reported?: Usage): void {
      (taps['wrap'] as (request: ModelRequest, next: (request: ModelRequest) => void, of: object) => void)(
        sent,
        () => {},
        { run },
      );
      (taps['after'] as (answer: object, run: RunInfo) => void)(
        { message: { ...message(id, size), role: 'assistant' }, usage: reported },
        run,
      );
    },
  };
}

const none = { tokens: 0, estimate: 0 };

describe('the factor from estimates to tokens', () => {
  it.each([
    [{ tokens: 600, estimate: 199 }, 1],
    [{ tokens: 300, estimate: 200 }, 1.5],
    [{ tokens: 10, estimate: 200 }, 0.5],
    [{ tokens: 100, estimate: 200 }, 0.5],
    [{ tokens: 600, estimate: 200 }, 3],
    [{ tokens: 900, estimate: 200 }, 3],
  ])('after a growth of %j is %d', (growth, factor) => {
    const { meter, run } = metered({ seen: null, reported: null, growth });
    expect(meter.scale(run)).toBe(factor);
  });

  it.each([
    ['is not learned from a growth below 200', 0, 1199, none],
    ['is learned from a growth of 200', 0, 1200, { tokens: 500, estimate: 200 }],
    ['joins the growth before it', 20_000, 1200, { tokens: 20_500, estimate: 20_200 }],
    ['halves an old growth of more than 20,000', 20_002, 1200, { tokens: 10_501, estimate: 10_201 }],
  ])('%s', (_, before, estimate, growth) => {
    const old = { tokens: before, estimate: before };
    const world = metered({ seen: null, reported: { tokens: 1000, estimate: 1000 }, growth: old });
    const sent = request(message('a', estimate));
    world.measure(sent);
    world.answer(sent, 'b', 10, usage(1500));
    expect(world.kept()).toMatchObject({ reported: { tokens: 1500, estimate }, growth });
  });

  it('does not fall below zero with a history that the provider counts as shorter', () => {
    const world = metered({ seen: null, reported: { tokens: 9000, estimate: 1000 }, growth: none });
    const sent = request(message('a', 1300));
    world.measure(sent);
    world.answer(sent, 'b', 10, usage(1500));
    expect(world.kept()).toMatchObject({ growth: { tokens: 0, estimate: 300 } });
  });
});

describe('the size of a request', () => {
  it('is that of the last report, and an estimate of what came since, times the factor', () => {
    const growth = { tokens: 400, estimate: 200 };
    const world = metered({ seen: null, reported: { tokens: 100, estimate: 100 }, growth });
    const first = message('a', 100);
    expect(world.measure(request(first))).toBe(200);
    world.answer(request(first), 'b', 20, usage(210, 25));
    expect(world.kept()).toMatchObject({
      seen: { last: 'b', tokens: 235, estimate: 120, overhead: 0, inner: 0 },
    });
    const answer = { ...message('b', 20), role: 'assistant' } as Message;
    expect(world.measure(request(first, answer, message('c', 10), message('d', 5)))).toBe(235 + 2 * 15);
    const longer = { ...request(first, answer), instructions: 'x x x' };
    expect(world.measure(longer)).toBe(235 + 2 * 7);
  });

  it('without a report is estimated with the answer and with what inner layers add', () => {
    const world = metered();
    const first = message('a', 100);
    expect(world.measure(request(first))).toBe(100);
    const added = { ...request(first, message('memory', 30)), instructions: 'x' };
    world.answer(added, 'b', 20);
    expect(world.kept()).toMatchObject({
      seen: { tokens: 155, estimate: 120, inner: 35 },
      reported: null,
      growth: none,
    });
    const next = request(first, { ...message('b', 20), role: 'assistant' });
    expect(world.measure(next)).toBe(155);
    // Where no layer was seen, it is as much as last time.
    expect(world.measure(request(message('x', 50)), 'remeasure')).toBe(50 + 35);
  });

  it('of a changed history has what inner layers were reported to add, if that is more than nothing', () => {
    const growth = { tokens: 400, estimate: 200 };
    for (const [reported, size] of [
      [250, 100 + 50],
      [150, 100],
    ] as const) {
      const world = metered({ seen: null, reported: { tokens: reported, estimate: 100 }, growth });
      expect(world.measure(request(message('a', 50)), 'remeasure')).toBe(size);
    }
  });

  it('of a changed history forgets the answer before it', () => {
    const seen = { last: 'b', tokens: 500, estimate: 400, overhead: 0, inner: -7 };
    const world = metered({ seen, reported: null, growth: none });
    expect(world.measure(request(message('a', 10)), 'remeasure')).toBe(10);
    expect(world.kept()).toEqual({ seen: { ...seen, last: null }, reported: null, growth: none });
  });

  it('is counted ahead from the last answer on, or from the first message', () => {
    const seen = { last: 'b', tokens: 500, estimate: 400, overhead: 0, inner: 0 };
    const counted: number[] = [];
    const tokens = tokenCounts(() => 1);
    const prepare: typeof tokens.prepare = (messages) => (counted.push(messages.length), undefined);
    const meter = contextMeter({
      tokens: { ...tokens, prepare },
      hooks: { wrapModelCall: { tap: () => {} }, afterModel: { tap: () => {} } } as never,
      state: (() => ({ get: () => ({ seen, reported: null, growth: none }) })) as never,
    });
    const list = ['a', 'b', 'c', 'd'].map((id) => message(id, 9));
    void meter.prepare(request(...list), {} as RunInfo);
    void meter.prepare(request(...list.filter(({ id }) => id !== 'b')), {} as RunInfo);
    expect(counted).toEqual([2, 3]);
  });

  it('is reported once a model has told one', () => {
    const world = metered();
    const sent = request(message('a', 10));
    for (const [reported, isReported] of [
      [undefined, false],
      [usage(0), false],
      [usage(12), true],
    ] as const) {
      world.measure(sent);
      world.answer(sent, 'b', 10, reported);
      expect(world.meter.isReported(world.run)).toBe(isReported);
    }
  });
});

describe('the refusal of a request that is too long', () => {
  const refuse = (world: { meter: ContextMeter; run: RunInfo }, tokens: number, instructions = ''): unknown =>
    world.meter.refused(
      { ...request(message('a', 400)), instructions },
      world.run,
      modelError('MODEL_CONTEXT_OVERFLOW', { message: `${tokens} tokens > 150 maximum` }),
    );

  it.each([
    [199, false],
    [200, true],
    [800, true],
    [1200, true],
    [1201, false],
  ])('of 400 tokens by estimate with the figure %d is believed: %s', (tokens, isBelieved) => {
    const seen = { last: 'b', tokens: 5, estimate: 5, overhead: 0, inner: 0 };
    const before = { seen, reported: null, growth: none };
    const world = metered(before);
    expect(refuse(world, tokens)).toEqual(isBelieved ? { tokens, limit: 150 } : undefined);
    const learned = { tokens, estimate: 400 };
    expect(world.kept()).toEqual(isBelieved ? { seen, reported: learned, growth: learned } : before);
  });

  it('counts everything in the request', () => {
    const world = metered();
    refuse(world, 800, 'x x x x x x');
    expect(world.kept()).toMatchObject({ reported: { tokens: 800, estimate: 410 } });
    expect(world.meter.scale(world.run)).toBeCloseTo(800 / 410);
  });

  it('without figures teaches nothing', () => {
    const { meter, run, kept } = metered();
    expect(meter.refused(request(message('a', 400)), run, new Error('too long'))).toBeUndefined();
    expect(kept()).toBeUndefined();
  });
});

describe('numbers of a session', () => {
  const seen = { last: 'b', tokens: 70, estimate: 60, overhead: 0, inner: 0 };
  const most = 100_000_000;
  const sizeWith = (
    change: object | null = {},
    growth: object | null = none,
    reported: object | null = null,
  ): number =>
    metered({ seen: { ...seen, ...change }, reported, growth }).measure(
      request(message('a', 10), message('b', 10), message('c', 5)),
    );

  it.each([
    {},
    { tokens: 0 },
    { last: null },
    { inner: -most },
    { inner: most },
    { estimate: most, overhead: most },
  ])('that a context can have are believed: %j', (change) => {
    const { last, tokens, overhead } = { ...seen, ...change };
    const anew = Math.max(0, { ...seen, ...change }.inner) + 25;
    expect(sizeWith(change)).toBe(last === null ? anew : tokens + 5 - overhead);
  });

  it.each<readonly [object, object?, (object | null)?]>([
    [{ tokens: most + 1 }],
    [{ tokens: -1 }],
    [{ estimate: -1 }],
    [{ overhead: -1 }],
    [{ overhead: '1' }],
    [{ inner: most + 1 }],
    [{ inner: -most - 1 }],
    [{ inner: null }],
    [{ last: 7 }],
    [{}, { tokens: -1, estimate: 0 }],
    [{}, { tokens: 0 }],
    [{}, none, { tokens: 0 }],
    [{}, none, { tokens: most + 1, estimate: 0 }],
  ])('that none can have are not: %j, %j, %j', (change, growth, reported) => {
    expect(sizeWith(change, growth, reported)).toBe(25);
  });
});
