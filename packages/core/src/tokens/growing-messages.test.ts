import { describe, expect, it } from 'vitest';

import { noteBeginning } from '../base/is-known-beginning.ts';
import { textPart, type Message } from '../contract/messages.ts';
import { GrowingMessages } from './growing-messages.ts';

function message(text: string): Message {
  return Object.freeze({ id: text, role: 'user', content: [textPart(text)] } as const);
}

/** Joins the texts of lists, and notes what was looked at. */
function joining() {
  const seen: string[] = [];
  const growing = new GrowingMessages<string>();
  const join = (messages: readonly Message[]): string =>
    growing.of(messages, (before = '', added) => {
      seen.push(...added.map(({ id }) => id));
      return before + added.map(({ id }) => id).join('');
    });
  return { join, seen };
}

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(message) as [Message, Message, Message, Message];

describe('a value of growing messages', () => {
  it('is made of the new messages only', () => {
    const { join, seen } = joining();
    expect([join([a, b]), join([a, b, c]), join([a, b, c]), join([a, b, c, d])]).toEqual([
      'ab',
      'abc',
      'abc',
      'abcd',
    ]);
    expect(seen).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is made anew of a list that is shorter, or differs in the middle', () => {
    const { join, seen } = joining();
    expect([join([a, b, c]), join([a, b]), join([a, d, b]), join([b])]).toEqual(['abc', 'ab', 'adb', 'b']);
    expect(seen.join('')).toBe('abcabadbb');
  });

  it('is that of two conversations in turn', () => {
    const { join, seen } = joining();
    expect([join([a, b]), join([c, d]), join([a, b, d]), join([c, d, b])]).toEqual([
      'ab',
      'cd',
      'abd',
      'cdb',
    ]);
    expect(seen.join('')).toBe('abcddb');
  });

  it('remembers neither a message that may change, nor what follows it, nor a list that changes later', () => {
    const { join, seen } = joining();
    const open: Message = { ...b };
    expect([join([a, open, c]), join([a, open, c])]).toEqual(['abc', 'abc']);
    expect(seen.join('')).toBe('abcbc');
    const list = [c, d];
    expect(join(list)).toBe('cd');
    list[1] = a;
    expect(join(list)).toBe('ca');
  });

  it('is not made again for a list of which it is known', () => {
    const growing = new GrowingMessages<string>();
    let calls = 0;
    const join = (list: readonly Message[]): string =>
      growing.of(list, (before = '', added) => ((calls += 1), before + added.map(({ id }) => id).join('')));
    expect([join([a, b]), join([a, b]), calls]).toEqual(['ab', 'ab', 1]);
    expect([join([a, b, { ...c }]), join([a, b, c]), calls]).toEqual(['abc', 'abc', 3]);
  });

  it('of no messages is that of none', () => {
    expect(joining().join([])).toBe('');
  });
});

describe('a kept value', () => {
  it('is found for lists that begin alike', () => {
    const growing = new GrowingMessages<string>();
    expect([growing.find([]), growing.find([a])]).toEqual([undefined, undefined]);
    growing.keep([a, b], 'ab');
    expect([growing.find([a, b]), growing.find([a, b, c])]).toMatchObject([
      { length: 2, value: 'ab' },
      { length: 2, value: 'ab' },
    ]);
    expect([[a], [a, c], [b, a], [c, b]].map((list) => growing.find(list))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    growing.keep([], 'none');
    expect(growing.find([])).toBeUndefined();
  });

  it('is not kept for a message that may change, unless it is known', () => {
    const growing = new GrowingMessages<string>();
    const open: Message = { ...b };
    growing.keep([a, open], 'ab');
    growing.keep([a, b, open], 'abb', 2);
    growing.keep([a, open], 'a', 1);
    const first: Message = { ...a };
    growing.keep([first, b], 'ab');
    expect(growing.find([first, b])).toBeUndefined();
    expect(growing.find([a, open])).toBeUndefined();
    growing.keep([a, open], 'ab', 2);
    expect(growing.find([a, open])).toMatchObject({ length: 2, value: 'ab' });
  });

  it('is that of the list as it was kept, and of a frozen one without a copy', () => {
    const growing = new GrowingMessages<string>();
    const list = [a, b];
    growing.keep(list, 'ab');
    list[1] = c;
    expect(growing.find(list)).toBeUndefined();
    expect(growing.find([a, b])).toMatchObject({ length: 2, value: 'ab' });
    const frozen = Object.freeze([c, d]);
    growing.keep(frozen, 'cd');
    expect(growing.find(frozen)).toMatchObject({ length: 2, value: 'cd' });
  });

  it('is found without a comparison where lists are known to begin alike', () => {
    const growing = new GrowingMessages<string>();
    const [before, after] = [Object.freeze([a, b]), Object.freeze([a, d, c])];
    const log = {};
    for (const list of [before, after]) noteBeginning(list, log);
    growing.keep(before, 'ab');
    expect(growing.find(after)).toMatchObject({ length: 2, value: 'ab' });
  });
});
