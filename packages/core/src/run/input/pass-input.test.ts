import { describe, expect, it } from 'vitest';

import { ShallotError } from '../../base/errors.ts';
import type { InputFunction } from '../../contract/hooks.ts';
import { InterruptSignal } from '../../contract/interrupt-signal.ts';
import { textOf, toMessage, type Message } from '../../contract/messages.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import type { AgentParts } from '../agent-parts.ts';
import type { DeclaredState } from '../live-plugins.ts';
import { keepEntries, passInput, passNewInput } from './pass-input.ts';

interface Given {
  readonly kind?: 'input' | 'answer';
  readonly signal?: AbortSignal;
  readonly wantsPromise?: boolean;
  readonly states?: readonly Partial<DeclaredState>[];
}

function tapOf(fn: InputFunction, wantsPromise = false, plugin = 'guard'): LiveTap {
  return {
    registration: { fn, wantsPromise },
    info: { plugin, hook: 'beforeAgent', name: 'x' },
    owner: { id: plugin, log: {} },
  } as unknown as LiveTap;
}

const said = toMessage({ role: 'user', content: 'Hi' }, () => 'm');

/** Passes a message through these functions, which have 50 ms each. */
async function passed(fns: readonly InputFunction[], given: Given = {}) {
  const { kind = 'input', signal = new AbortController().signal, wantsPromise, states = [] } = given;
  const inputs = fns.map((fn) => tapOf(fn, wantsPromise));
  const parts = { onion: { chains: { inputs } }, hookTimeoutMs: 50, name: 'a', host: { states } };
  const newMessageId = (): string => 'new';
  const terms = { kind, signal, context: 'user', sessionId: 's', newMessageId } as const;
  return passInput(parts as unknown as AgentParts, [said], terms);
}

const throwing =
  (error: unknown): InputFunction =>
  () => {
    throw error;
  };

describe('the input of a run', () => {
  it('passes the taps one after the other, and is whole and frozen', async () => {
    const more: InputFunction = (messages) => [...messages, { role: 'user', content: 'More.' } as never];
    const seen: string[][] = [];
    const looks: InputFunction = async (messages) => void seen.push(messages.map(textOf));
    const { messages } = await passed([more, looks, async (given) => more(given, {} as never)]);
    expect(messages.map(textOf)).toEqual(['Hi', 'More.', 'More.']);
    expect(messages[0]).toBe(said);
    expect(messages.every((message) => Object.isFrozen(message))).toBe(true);
    expect(seen).toEqual([['Hi', 'More.']]);
  });

  it('is the same without a tap, and gets ids of the run', () => {
    const parts = { onion: { chains: { inputs: [] } } } as unknown as AgentParts;
    const terms = { signal: new AbortController().signal, context: undefined, sessionId: 's' };
    const taken = passNewInput(
      parts,
      'r',
      ['One', 'Two'].map((content) => ({ role: 'user', content })),
      terms,
    );
    expect(taken).toMatchObject({ messages: [{ id: 'r.input.1' }, { id: 'r.input.2' }], kept: [] });
  });

  it('comes with what a tap needs to know, and nothing else', async () => {
    let context: object = {};
    await passed([(_, given) => void (context = given)], { kind: 'answer' });
    expect(context).toMatchObject({ kind: 'answer', sessionId: 's', agent: 'a', context: 'user' });
    expect(Object.isFrozen(context)).toBe(true);
  });
});

describe('an answer', () => {
  it.each<[string, (messages: readonly Message[]) => unknown]>([
    ['another number of messages', (messages) => [...messages, ...messages]],
    ['another role', () => [{ role: 'assistant', content: 'Hi' }]],
    [
      'another number of parts',
      () => [{ role: 'user', content: ['a', 'b'].map((text) => ({ type: 'text', text })) }],
    ],
  ])('may not get %s', async (_, fn) => {
    await expect(passed([fn as InputFunction], { kind: 'answer' })).rejects.toMatchObject({
      code: 'HOOK_RESULT',
      plugin: 'guard',
      message: expect.stringContaining('messages of another shape') as unknown,
    });
    expect((await passed([fn as InputFunction])).messages.length).toBeGreaterThan(0);
  });
});

describe('an error of a tap on the input', () => {
  const own = { plugin: 'guard', hook: 'beforeAgent' };
  const hooked = new ShallotError('HOOK_RESULT', { message: 'no', plugin: 'other', hook: 'afterModel' });
  const aborted = new ShallotError('RUN_ABORTED', { message: 'no' });

  it.each<[string, unknown, object]>([
    [
      'names its plugin',
      new Error('no'),
      { code: 'PLUGIN_FAILED', message: 'The tap of guard on the input threw: no', ...own },
    ],
    [
      'keeps its code',
      new ShallotError('guard/REFUSED', { message: 'no', transient: true, retryAt: 5 }),
      {
        code: 'guard/REFUSED',
        message: 'The tap of guard on the input: no',
        transient: true,
        retryAt: 5,
        ...own,
      },
    ],
    [
      'says what it says if it names the plugin itself',
      new ShallotError('guard/REFUSED', { message: 'no', plugin: 'guard' }),
      { code: 'guard/REFUSED', message: 'no', ...own },
    ],
    [
      'is one of its own for a question',
      new InterruptSignal({ id: 'q' } as never),
      {
        code: 'INTERRUPT_NOT_ALLOWED',
        message: expect.stringContaining('It cannot ask anybody') as unknown,
        ...own,
      },
    ],
  ])('%s', async (_, thrown, expected) => {
    await expect(passed([throwing(thrown)])).rejects.toMatchObject(expected);
    await expect(passed([async () => throwing(thrown)([], {} as never)])).rejects.toMatchObject(expected);
  });

  it.each([hooked, aborted])('of a hook, or an abort, stays what it is: %s', async (thrown) => {
    await expect(passed([throwing(thrown)])).rejects.toBe(thrown);
  });

  it('comes if it promised a promise', async () => {
    await expect(passed([() => undefined], { wantsPromise: true })).rejects.toMatchObject({
      code: 'HOOK_RESULT',
      message: expect.stringContaining('a promise, because it was registered with tapPromise') as unknown,
    });
    const promised = await passed([async () => undefined], { wantsPromise: true });
    expect(promised.messages).toEqual([said]);
  });

  it('comes if it takes too long', async () => {
    await expect(passed([() => new Promise(() => {})])).rejects.toMatchObject({
      code: 'HOOK_TIMEOUT',
      message:
        'The tap of guard on the input did not settle within 50 ms. Make it faster, or raise hookTimeoutMs.',
      ...own,
    });
  });

  it.each([
    ['enough.', 'The run was aborted: enough.'],
    [undefined, 'The run was aborted: This operation was aborted.'],
  ])('comes when the run is aborted: %s', async (reason, message) => {
    const abort = new AbortController();
    const waiting = passed([() => new Promise(() => {})], { signal: abort.signal });
    abort.abort(reason);
    await expect(waiting).rejects.toMatchObject({ code: 'RUN_ABORTED', message });
  });
});

describe('entries that a tap keeps', () => {
  const declared = { owner: { id: 'guard' }, key: 'seen', scope: 'session' } as Partial<DeclaredState>;
  const keeping: InputFunction = (_, { keep }) => keep('seen', { Hi: 1 });

  it.each<[string, Partial<DeclaredState>]>([
    ['of another plugin', { ...declared, owner: { id: 'other' } as never }],
    ['of another name', { ...declared, key: 'other' }],
    ['of a run', { ...declared, scope: 'run' }],
  ])('need a state of its own: not one %s', async (_, state) => {
    await expect(passed([keeping], { states: [state] })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      plugin: 'guard',
      message:
        'guard kept entries for the state "seen", which it has not declared with the scope "session". Declare it in setup.',
    });
    const { kept } = await passed([keeping], { states: [state, declared] });
    expect(kept).toEqual([{ state: declared, entries: { Hi: 1 } }]);
  });

  it.each([
    ['the session', false, true, 'session'],
    ['the session at the root of a tree', true, true, 'root'],
    ['the session, if it is the root', true, false, 'session'],
  ])('go into %s', (_, tree, hasRoot, where) => {
    const set: unknown[] = [];
    const merge = (entry: unknown, entries: unknown): unknown => [entry, entries];
    const session = {
      stateEntry: () => 'entry of the session',
      setState: (...state: readonly unknown[]) => void set.push(['session', ...state]),
    };
    const root = {
      stateEntry: () => 'entry of the root',
      setState: (...state: readonly unknown[]) => void set.push(['root', ...state]),
    };
    const state = { ...declared, tree, merge } as unknown as DeclaredState;
    keepEntries(session as never, [{ state, entries: { Hi: 1 } }], hasRoot ? (root as never) : undefined);
    const merged = [`entry of the ${where}`, { Hi: 1 }];
    expect(set).toEqual([
      where === 'root' ? ['root', 'guard', 'seen', 'session', merged] : ['session', 'guard', 'seen', merged],
    ]);
  });
});
