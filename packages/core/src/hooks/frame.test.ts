import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import type { Wait } from '../base/wait.ts';
import { Frame } from './frame.ts';

it('a settled frame keeps nothing of what it would call when it is closed', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const frames = [new Frame(), new Frame()];
  const held = frames.map((frame) => {
    const work = { of: 'a run' };
    frame.onClose(() => void work.of);
    return new WeakRef(work);
  });
  frames[0]?.settle();
  await turn();
  collect();
  expect(held.map((each) => each.deref())).toEqual([undefined, { of: 'a run' }]);
});

const reason = new Error('stop');

/** A frame with these frames inside. */
function around(...inner: readonly Frame[]): Frame {
  const frame = new Frame();
  for (const each of inner) frame.adopt(each, true);
  return frame;
}

function stateOf({ closed, settled, over, reason: why }: Frame) {
  return { closed, settled, over, reason: why };
}

const open = { closed: false, settled: false, over: false, reason: undefined };

describe('a frame', () => {
  it('is open until it is settled or closed, and then stays as it is', () => {
    const [settled, closed] = [new Frame(), new Frame()];
    expect(stateOf(settled)).toEqual(open);
    settled.settle();
    settled.close(reason);
    expect(stateOf(settled)).toEqual({ ...open, settled: true, over: true });
    closed.close(reason);
    closed.settle();
    closed.close(new Error('again'));
    expect(stateOf(closed)).toEqual({ ...open, closed: true, over: true, reason });
  });

  it('aborts its signal with the reason, whenever it is asked for', () => {
    const [early, late] = [new Frame(), new Frame()];
    const { signal } = early;
    expect(signal.aborted).toBe(false);
    early.close(reason);
    late.close(reason);
    expect([signal.reason, early.signal, late.signal.reason]).toEqual([reason, signal, reason]);
  });

  it('calls all that listen for its end once, and at once if it is closed already', () => {
    const heard: unknown[] = [];
    const frame = new Frame();
    frame.onClose((why) => heard.push(['first', why]));
    frame.onClose((why) => heard.push(['second', why]));
    expect(heard).toEqual([]);
    frame.close(reason);
    expect(heard).toEqual([
      ['second', reason],
      ['first', reason],
    ]);
    frame.onClose((why) => heard.push(['late', why]));
    expect(heard.slice(2)).toEqual([['late', reason]]);
  });

  it.each([1, 2, 3])('closes all %i frames inside with it, but not those that are settled', (count) => {
    const inner = Array.from({ length: count }, () => new Frame());
    const done = new Frame();
    const frame = around(...inner, done);
    done.settle();
    frame.close(reason);
    expect(inner.map((each) => each.reason)).toEqual(inner.map(() => reason));
    expect(done.closed).toBe(false);
    const late = new Frame();
    frame.adopt(late, true);
    expect(late.reason).toBe(reason);
  });

  it('stays open when only what is inside is closed', () => {
    for (const inner of [[new Frame()], [new Frame(), new Frame()]]) {
      const frame = around(...inner);
      frame.closeInner(reason);
      expect([frame.closed, ...inner.map(({ closed }) => closed)]).toEqual([false, ...inner.map(() => true)]);
      expect(frame.isBusyInside).toBe(false);
    }
  });

  it('is busy inside while one of the frames there is not settled', () => {
    const [one, other] = [new Frame(), new Frame()];
    expect(around().isBusyInside).toBe(false);
    const [single, pair] = [around(one), around(one, other)];
    expect([single.isBusyInside, pair.isBusyInside]).toEqual([true, true]);
    one.settle();
    expect([single.isBusyInside, pair.isBusyInside]).toEqual([false, true]);
    other.settle();
    expect(pair.isBusyInside).toBe(false);
  });

  it('keeps the frames inside apart from those that replace them, or are released', () => {
    const [first, second, third] = [new Frame(), new Frame(), new Frame()];
    const frame = around(first, second);
    frame.release(first);
    frame.close(reason);
    expect([first.closed, second.closed]).toEqual([false, true]);
    const replaced = around(first);
    replaced.adopt(third, false);
    replaced.release(first);
    replaced.close(reason);
    expect([first.closed, third.closed]).toEqual([false, true]);
    const alone = around(first);
    alone.release(first);
    alone.close(reason);
    expect(first.closed).toBe(false);
  });

  it('settles with the one frame inside, however deep, and with that alone', () => {
    const core = new Frame();
    const layer = around(core);
    const frame = around(layer);
    expect([layer.settleWithInner(), frame.settleWithInner()]).toEqual([true, true]);
    expect(stateOf(frame)).toEqual(open);
    core.settle();
    expect(stateOf(frame)).toEqual({ ...open, settled: true, over: true });
    frame.close(reason);
    expect(frame.closed).toBe(false);
    expect([around().settleWithInner(), around(new Frame(), new Frame()).settleWithInner()]).toEqual([
      false,
      false,
    ]);
  });
});

describe('a promise in a frame', () => {
  it('is waited for until the frame is closed', async () => {
    const frame = new Frame();
    expect(await frame.wait(Promise.resolve(7))).toBe(7);
    await expect(frame.wait(Promise.reject(reason))).rejects.toBe(reason);
    expect(frame.over).toBe(false);
    const waiting = frame.wait(new Promise(() => {}));
    frame.close(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(frame.wait(new Promise(() => {}))).rejects.toBe(reason);
  });

  it('settles the frame that waits to its end', async () => {
    const [done, failed, closed] = [new Frame(), new Frame(), new Frame()];
    expect(await done.waitToEnd(Promise.resolve(7))).toBe(7);
    await expect(failed.waitToEnd(Promise.reject(reason))).rejects.toBe(reason);
    expect([done.settled, failed.settled]).toEqual([true, true]);
    const waiting = closed.waitToEnd(new Promise(() => {}));
    closed.close(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(closed.closed).toBe(true);
  });
});

describe('the waits of a run', () => {
  class Working extends Frame {
    readonly #what: string | undefined;

    constructor(what?: string) {
      super();
      this.#what = what;
    }

    protected override ownWait(): Wait | undefined {
      return this.#what === undefined ? undefined : { by: this, what: this.#what };
    }
  }

  function waitsOf(frame: Frame): readonly string[] {
    const found: string[] = [];
    frame.findWaits(({ what }) => found.push(what));
    return found;
  }

  it('are those of the innermost frames that are not over', () => {
    const [first, second] = [new Working('first'), new Working('second')];
    const outer = new Working('outer');
    expect(waitsOf(outer)).toEqual(['outer']);
    outer.adopt(first, true);
    expect(waitsOf(outer)).toEqual(['first']);
    outer.adopt(second, true);
    expect(waitsOf(around(outer))).toEqual(['first', 'second']);
    first.settle();
    expect(waitsOf(outer)).toEqual(['second']);
    second.close(reason);
    expect(waitsOf(outer)).toEqual(['outer']);
  });

  it('are none for a frame that reports nothing of its own, and for what it surrounds', () => {
    expect(waitsOf(new Working())).toEqual([]);
    const outer = new Working('outer');
    outer.adopt(new Working(), true);
    expect(waitsOf(outer)).toEqual([]);
  });
});
