import { describe, expect, it } from 'vitest';

import { message, runRecord } from '../../../../testing/src/store/store-samples.ts';
import type { RunRecord } from '../../contract/store.ts';
import { noUsage, type RunUsage } from '../../contract/usage.ts';
import { Progress } from './progress.ts';

const spent = (input: number): RunUsage => ({ input, output: 0, total: input, modelCalls: 1 });
const counted = { plugin: undefined, cost: undefined };
const newProgress = (): Progress => new Progress(undefined, undefined);

function resumed(record: Partial<RunRecord> = {}): Progress {
  return new Progress({ ...runRecord('r', 'running'), ...record }, undefined);
}

describe('a new run', () => {
  it('is at its input, before its first step', () => {
    const progress = newProgress();
    expect(progress).toMatchObject({
      step: 0,
      usage: noUsage,
      usageBefore: noUsage,
      position: { at: 'input', input: [] },
      isInputTaken: false,
      inputLength: 0,
      isChoiceMet: false,
      hasBackground: false,
      stepStart: 0,
    });
    expect([progress.stopReason, progress.firstMessage, progress.shown]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(progress.leftChildren).toEqual([]);
  });

  it('comes after what the earlier runs of its session have used', () => {
    const last = { ...runRecord('r', 'completed'), usage: spent(2), usageBefore: spent(3) };
    expect(new Progress(undefined, last).usageBefore).toMatchObject({ total: 5, modelCalls: 2 });
  });

  it('takes its input, which a hook may have replaced, as its first messages', () => {
    const progress = newProgress();
    progress.begin([message('a')]);
    expect(progress.position).toEqual({ at: 'input', input: [message('a')] });
    progress.replaceInput([message('b'), message('c')]);
    expect(progress.input).toEqual([message('b'), message('c')]);
    progress.takeInput(progress.input, 7);
    expect(progress).toMatchObject({
      firstMessage: 'b',
      firstIndex: 7,
      inputLength: 2,
      isInputTaken: true,
      stepStart: 7,
      position: { at: 'step' },
    });
  });
});

describe('a step', () => {
  it('is counted from 1, and asks the model in a session of so many messages', () => {
    const progress = newProgress();
    progress.beginStep();
    expect(progress).toMatchObject({ step: 1, position: { at: 'step', begun: true } });
    progress.ask(4, { text: 'so f' });
    expect(progress).toMatchObject({ stepStart: 4, shown: 'so f', asked: { at: 'step', begun: true } });
    progress.forgetShown();
    expect(progress.shown).toBeUndefined();
    progress.show({ text: 'again' });
    expect(progress.shown).toBe('again');
  });

  it('has a position that is made when it is asked for', () => {
    const progress = newProgress();
    let tap = 'a';
    progress.moveTo(() => ({ at: 'beforeModel', tap, value: {} }));
    tap = 'b';
    expect(progress.position).toMatchObject({ tap: 'b' });
  });

  it('remembers that the tool of the choice was called, and the reason to stop', () => {
    const progress = newProgress();
    progress.meetChoice();
    expect(progress.isChoiceMet).toBe(true);
    progress.stopFor('abort');
    expect(progress).toMatchObject({ stopReason: 'abort', position: { at: 'input' } });
  });
});

describe('the usage of a model call', () => {
  it('is stored once its response is part of the position: after a crash the model is asked again', () => {
    const progress = newProgress();
    progress.beginStep();
    progress.ask(1, undefined);
    progress.count({ input: 2, output: 1, total: 3 }, counted);
    expect(progress.usage.total).toBe(3);
    expect(progress.settledUsage).toEqual(noUsage);
    expect(progress.usageRecord('running')).toEqual({ usage: noUsage });
    expect(progress.usageRecord('aborted').usage.total).toBe(3);
    progress.moveTo({ at: 'afterModel', value: {}, offered: [] });
    expect(progress.settledUsage.total).toBe(3);
    expect(progress.usageRecord('running').usage.total).toBe(3);
  });

  it('is stored before that with the result of a once', () => {
    const progress = newProgress();
    progress.ask(1, undefined);
    progress.count({ input: 2, output: 1, total: 3 }, counted);
    progress.keepAsked();
    progress.count({ input: 2, output: 1, total: 3 }, counted);
    expect(progress.settledUsage.total).toBe(3);
    expect(progress.usage.total).toBe(6);
  });

  it('is stored at the end', () => {
    const progress = newProgress();
    progress.ask(1, undefined);
    progress.count({ input: 2, output: 1, total: 3 }, counted);
    progress.end('answer');
    expect(progress.settledUsage.total).toBe(3);
  });
});

describe('the end', () => {
  const said = message('m') as never;

  it.each([
    ['without a last message', undefined, { at: 'end' }],
    ['with a message of no model call', { message: said }, { at: 'end', message: 'm' }],
    [
      'with an answer of the model',
      { message: said, finish: 'length' as const },
      { at: 'end', message: 'm', finish: 'length' },
    ],
  ])('%s is a position', (_, last, position) => {
    const progress = newProgress();
    progress.end('answer', last);
    expect(progress.position).toEqual(position);
    expect(progress.stopReason).toBe('answer');
  });
});

describe('a resumed run', () => {
  it('goes on where it stood', () => {
    const progress = resumed({
      step: 3,
      usage: spent(5),
      usageBefore: spent(6),
      firstMessage: 'm',
      toolChoice: { choice: 'required', met: true },
    });
    expect(progress).toMatchObject({
      step: 3,
      usage: spent(5),
      usageBefore: spent(6),
      firstMessage: 'm',
      startedAt: 1_700_000_000_000,
      isChoiceMet: true,
      isInputTaken: true,
      inputLength: 0,
      position: { at: 'step' },
    });
    expect(progress.firstIndex).toBeUndefined();
    expect(resumed({ toolChoice: { choice: 'required', met: false } }).isChoiceMet).toBe(false);
  });

  it('has its input still before it', () => {
    const progress = resumed({ position: { at: 'input', input: [message('a')] } });
    expect(progress).toMatchObject({ isInputTaken: false, input: [message('a')] });
  });

  it('keeps its reason to stop only at its end', () => {
    expect(resumed({ stopReason: 'abort' }).stopReason).toBeUndefined();
    expect(resumed({ stopReason: 'answer', position: { at: 'end' } }).stopReason).toBe('answer');
  });

  it('asks the model again with the request of a response that is stored', () => {
    const value = { message: { role: 'assistant' } };
    const request = { instructions: '' };
    const before = resumed({ position: { at: 'afterModel', value, offered: [], request } });
    expect(before.asked).toEqual({ at: 'wrapModelCall', value: request });
    const without = resumed({ position: { at: 'afterModel', value, offered: [] } });
    expect(without.asked).toEqual({ at: 'step', begun: true });
  });

  it('has its own usage apart from that of its children', () => {
    const children = { begun: 1, own: spent(5), usage: { c: spent(10) } };
    const progress = resumed({ usage: spent(15), children });
    expect(progress.usage).toMatchObject({ total: 15, modelCalls: 2 });
    expect(progress.settledUsage.total).toBe(15);
    expect(progress.usageRecord('running')).toMatchObject({ usage: { total: 15 }, children });
    expect(progress.leftChildren).toEqual(['c']);
    progress.settleChildren();
    expect(progress.leftChildren).toEqual([]);
    expect(progress.usage.total).toBe(15);
  });

  it('has children in the background until they are dropped', () => {
    const child = { callId: 'a', tool: 'begin', agent: 'reader' };
    const background = [{ step: 1, offered: [], children: { c: child } }];
    const progress = resumed({ children: { begun: 1, own: noUsage, usage: { c: spent(10) }, background } });
    expect(progress.hasBackground).toBe(true);
    progress.settleChildren();
    progress.dropChild('c');
    expect(progress.hasBackground).toBe(false);
    expect(progress.usageRecord('running')).toMatchObject({ usage: { total: 10 }, children: { begun: 1 } });
  });
});
