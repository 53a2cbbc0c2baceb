import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { maxTimerMs } from './in-time.ts';
import { Ticker } from './ticker.ts';

describe('a ticker', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
  });

  it('ticks for each member, with one timer for all', () => {
    const { ticker, ticked } = tickerOf(100);
    expect([ticker.add('a'), ticker.add('b')]).toEqual([true, false]);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(99);
    expect(ticked).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ticked).toEqual(['a', 'b']);
    ticker.drop('a');
    vi.advanceTimersByTime(100);
    expect(ticked).toEqual(['a', 'b', 'b']);
  });

  it('stops at its next tick when all members are gone, and starts again with the next one', () => {
    const { ticker, ticked } = tickerOf(100);
    ticker.add('a');
    ticker.drop('a');
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(100);
    expect([vi.getTimerCount(), ticked]).toEqual([0, []]);
    expect(ticker.add('b')).toBe(true);
    vi.advanceTimersByTime(100);
    expect(ticked).toEqual(['b']);
  });

  it('keeps its timer for a member that comes before its next tick', () => {
    const { ticker, ticked } = tickerOf(100);
    ticker.add('a');
    vi.advanceTimersByTime(60);
    ticker.drop('a');
    expect(ticker.add('b')).toBe(false);
    vi.advanceTimersByTime(40);
    expect(ticked).toEqual(['b']);
  });

  it('is over when it is stopped, until somebody is added', () => {
    const { ticker, ticked } = tickerOf(100);
    ticker.add('a');
    ticker.stop();
    vi.advanceTimersByTime(1000);
    expect([vi.getTimerCount(), ticked]).toEqual([0, []]);
    expect(ticker.add('b')).toBe(true);
  });

  it('never ticks if its interval is longer than a timer may be', () => {
    expect(tickerOf(maxTimerMs + 1).ticker.add('a')).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    expect(tickerOf(maxTimerMs).ticker.add('a')).toBe(true);
    expect(vi.getTimerCount()).toBe(1);
  });
});

describe('the timer of a ticker', () => {
  it('lets the process end by itself', () => {
    const { ticker } = tickerOf(100_000);
    onTestFinished(() => ticker.stop());
    const before = timersThatKeepAlive();
    ticker.add('a');
    ticker.drop('a');
    ticker.add('b');
    expect(timersThatKeepAlive()).toBe(before);
  });

  it('keeps the process alive if it is told to, as long as it has members', () => {
    const { ticker } = tickerOf(100_000, true);
    onTestFinished(() => ticker.stop());
    const before = timersThatKeepAlive();
    const kept = (act: () => void): number => {
      act();
      return timersThatKeepAlive() - before;
    };
    expect([
      kept(() => ticker.add('a')),
      kept(() => ticker.add('b')),
      kept(() => ticker.drop('a')),
      kept(() => ticker.drop('a')),
      kept(() => ticker.drop('b')),
      kept(() => ticker.drop('b')),
      kept(() => ticker.add('c')),
    ]).toEqual([1, 1, 1, 1, 0, 0, 1]);
  });
});

function tickerOf(everyMs: number, keepsAlive?: boolean) {
  const ticked: string[] = [];
  const ticker = new Ticker<string>(everyMs, (member) => ticked.push(member), { keepsAlive });
  return { ticker, ticked };
}

function timersThatKeepAlive(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
