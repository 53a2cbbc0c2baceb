import { describe, expect, it } from 'vitest';

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

  it('of no messages is that of none', () => {
    expect(joining().join([])).toBe('');
  });
});
