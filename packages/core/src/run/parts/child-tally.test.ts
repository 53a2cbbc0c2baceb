import { describe, expect, it } from 'vitest';

import type { RunUsage } from '../../contract/usage.ts';
import { ChildTally, type BegunChild } from './child-tally.ts';

const spent = (input: number): RunUsage => ({ input, output: 0, total: input, modelCalls: 1 });
const own = spent(1);

const behind = (step: number, callId = 'a'): BegunChild => ({
  callId,
  step,
  tool: 'begin',
  agent: 'reader',
  offered: [{ name: `tool of step ${step}` }],
});

describe('the children of a run', () => {
  it('count once each, however often their calls are entered', () => {
    const tally = new ChildTally();
    tally.begin('one', 'a');
    tally.set('one', spent(10));
    tally.begin('one', 'a');
    tally.begin('two', 'b');
    expect(tally.begun).toBe(2);
    expect(tally.usageOf('one')).toEqual(spent(10));
    expect(tally.usageOf('two')).toMatchObject({ total: 0, modelCalls: 0 });
    expect(tally.usageOf('three')).toBeUndefined();
  });

  it('add their usage to that of the run, the last value each', () => {
    const tally = new ChildTally();
    tally.begin('one', 'a');
    tally.set('one', spent(10));
    tally.set('one', spent(20));
    tally.begin('two', 'b');
    tally.set('two', spent(30));
    tally.set('unknown', spent(1000));
    expect(tally.sum(own)).toMatchObject({ total: 51, modelCalls: 3 });
    expect(Object.isFrozen(tally.sum(own))).toBe(true);
  });

  it('are settled with their call if they have ended, and the others of the call are left', () => {
    const tally = new ChildTally();
    for (const [id, callId] of [
      ['ended', 'a'],
      ['cut', 'a'],
      ['other', 'b'],
    ] as const) {
      tally.begin(id, callId);
      tally.set(id, spent(10));
    }
    tally.end('ended');
    tally.end('other');
    expect(tally.left).toEqual([]);
    const settled = tally.settle(own, 'a');
    expect(settled.total).toBe(11);
    expect(Object.isFrozen(settled)).toBe(true);
    expect([tally.usageOf('ended'), tally.usageOf('cut')]).toEqual([undefined, spent(10)]);
    expect(tally.left).toEqual(['cut']);
    expect(tally.sum(settled).total).toBe(31);
    tally.set('ended', spent(1000));
    expect(tally.sum(settled).total).toBe(31);
  });

  it('that are continued have not ended', () => {
    const tally = new ChildTally();
    tally.begin('one', 'a');
    tally.end('one');
    tally.begin('one', 'a');
    expect(tally.settle(own, 'a').total).toBe(1);
    expect(tally.left).toEqual(['one']);
  });

  it('are all settled at the end of a turn, but those in the background', () => {
    const tally = new ChildTally();
    tally.begin('one', 'a');
    tally.set('one', spent(10));
    tally.begin('behind', 'b');
    tally.set('behind', spent(20));
    tally.keep('behind', behind(1, 'b'));
    const settled = tally.settle(own);
    expect(settled.total).toBe(11);
    expect(tally.sum(settled).total).toBe(31);
    expect(tally.begun).toBe(2);
  });
});

describe('a child in the background', () => {
  it('is kept when its call ends, and is not left over', () => {
    const tally = new ChildTally();
    tally.begin('one', 'a');
    tally.set('one', spent(10));
    tally.keep('one', behind(1));
    tally.end('one');
    expect(tally.settle(own, 'a')).toEqual(own);
    expect(tally.left).toEqual([]);
    expect([...tally.background.keys()]).toEqual(['one']);
  });

  it('adds its usage to that of the run when it is dropped', () => {
    const tally = new ChildTally();
    tally.begin('one', 'a');
    tally.set('one', spent(10));
    tally.keep('one', behind(1));
    expect(tally.drop(own, 'one').total).toBe(11);
    expect(tally.drop(own, 'one')).toBe(own);
    expect(tally.background.size).toBe(0);
  });
});

describe('the record of the children', () => {
  it('gives them back: their number, their usage, and those in the background by their steps', () => {
    const tally = new ChildTally();
    for (const [id, step] of [
      ['one', 1],
      ['two', 2],
      ['three', 2],
    ] as const) {
      tally.begin(id, id);
      tally.set(id, spent(10));
      tally.keep(id, behind(step, id));
    }
    const record = tally.toRecord(own);
    const child = (callId: string) => ({ callId, tool: 'begin', agent: 'reader' });
    expect(record).toEqual({
      begun: 3,
      own,
      usage: { one: spent(10), two: spent(10), three: spent(10) },
      background: [
        { step: 1, offered: [{ name: 'tool of step 1' }], children: { one: child('one') } },
        {
          step: 2,
          offered: [{ name: 'tool of step 2' }],
          children: { two: child('two'), three: child('three') },
        },
      ],
    });
    const restored = new ChildTally(record);
    expect(restored.toRecord(own)).toEqual(record);
    expect(restored.begun).toBe(3);
  });

  it('names no background if there is none, and leaves over whatever no call has entered', () => {
    const tally = new ChildTally({ begun: 1, own, usage: { one: spent(10) } });
    expect(tally.toRecord(own)).toEqual({ begun: 1, own, usage: { one: spent(10) } });
    expect(tally.left).toEqual(['one']);
    tally.begin('one', 'a');
    expect(tally.left).toEqual([]);
    expect(tally.begun).toBe(1);
  });
});
