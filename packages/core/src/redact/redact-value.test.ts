import { describe, expect, it } from 'vitest';

import { redactValue } from './redact-value.ts';

const redaction = {
  text: (text: string) => text.replaceAll('5551', '…'),
  key: (key: string) => ({ shown: key, isSecret: key === 'token' }),
  censor: '[redacted]',
};
const value = (given: unknown): unknown => redactValue(given, redaction);

describe('a value', () => {
  it('is copied by its type, and hidden under the name of a secret', () => {
    const all = ['', 'a', 1, 2n, true, null, undefined];
    expect(value(all)).toEqual(['', 'a', 1, '2', true, null, undefined]);
    expect(value({ token: all })).toEqual({
      token: ['', '[redacted]', '[redacted]', '[redacted]', true, null, undefined],
    });
    expect(value([5551, 15_551n, 555, '5551'])).toEqual(['[redacted]', '[redacted]', 555, '…']);
    expect(value([Symbol('5551'), () => 1, new Uint8Array(3)])).toEqual([
      'Symbol(…)',
      '[function]',
      '[3 bytes]',
    ]);
  });

  it('of any kind of collection is copied as plain data', () => {
    expect(
      value(
        new Map<unknown, unknown>([
          ['token', 'a'],
          [1, 'b'],
        ]),
      ),
    ).toEqual({ token: '[redacted]', 1: 'b' });
    expect(value(new Set(['a', '5551']))).toEqual(['a', '…']);
    expect(value(new URLSearchParams('token=a&b=c'))).toEqual({ token: '[redacted]', b: 'c' });
    expect(value({ toJSON: () => ({ token: 'a' }) })).toEqual({ token: '[redacted]' });
    expect(value({ token: { toJSON: () => 'a' }, b: { toJSON: 'a' } })).toEqual({
      token: '[redacted]',
      b: { toJSON: 'a' },
    });
  });

  it('behind the name of a secret header in a list is hidden', () => {
    const long = `${'x'.repeat(58)}-token`;
    expect(long).toHaveLength(64);
    expect(value([long, 'a', `x${long}`, 'b', 'my token', 'c', 'token', 'd'])).toEqual([
      long,
      '[redacted]',
      `x${long}`,
      'b',
      'my token',
      'c',
      'token',
      '[redacted]',
    ]);
    expect(value(new Set(['token', 'd']))).toEqual(['token', '[redacted]']);
  });

  it('that occurs twice is copied twice, and cut only within itself', () => {
    const twice = { a: 1 };
    const circular: Record<string, unknown> = { one: twice, two: twice };
    circular['self'] = [circular];
    expect(value(circular)).toEqual({ one: { a: 1 }, two: { a: 1 }, self: ['[circular]'] });
  });

  it('is cut below 33 levels, and behind 20,000 members', () => {
    let deep: unknown = 'end';
    for (let depth = 0; depth < 33; depth += 1) deep = { deep };
    expect(value(deep)).toEqual(deep);
    expect(JSON.stringify(value({ deep }))).toBe(
      `${'{"deep":'.repeat(33)}"[nested too deep]"${'}'.repeat(33)}`,
    );
    // The list is one of them.
    const copied = value(Array.from({ length: 20_001 }, () => ({}))) as readonly unknown[];
    expect(copied.slice(19_998)).toEqual([{}, '[too large]', '[too large]']);
  });
});

describe('an error', () => {
  it('is shown with its class, message, stack, cause and errors, and what it carries', () => {
    class Refused extends Error {}
    const error = Object.assign(new Refused('no 5551', { cause: 'b' }), {
      errors: [1],
      status: 503,
      name: 'N',
    });
    error.stack = 'at 5551';
    const copied = value(error);
    expect(copied).toEqual({
      type: 'Refused',
      message: 'no …',
      stack: 'at …',
      cause: 'b',
      errors: [1],
      status: 503,
    });
    expect(Reflect.get(copied as object, 'name')).toBe('Refused');
    expect(value({ token: new Error('a') })).toMatchObject({ token: { message: '[redacted]' } });
  });

  it('of another realm, or without a class, is shown by its name', () => {
    const bare = Object.create(null, {
      [Symbol.toStringTag]: { value: 'Error' },
      name: { value: 'Odd' },
      message: { value: 'm', enumerable: true },
    }) as object;
    expect(value(bare)).toEqual({ type: 'Odd', message: 'm' });
  });

  it('leaves out what is empty, of the first members always, of the others for an error of the core', () => {
    const members = { errors: [], cause: undefined, plugin: undefined, list: [], result: 'r' };
    const own = Object.assign(new Error('m'), members);
    own.stack = 's';
    expect(Object.keys(value(own) as object)).toEqual([
      'type',
      'message',
      'stack',
      'plugin',
      'list',
      'result',
    ]);
    const ofCore = Object.assign(new Error('m'), members, { [Symbol.for('shallot.error')]: true, code: 'C' });
    ofCore.stack = 's';
    expect(value(ofCore)).toEqual({ type: 'Error', message: 'm', stack: 's', code: 'C' });
  });

  it('of which a member cannot be read shows the others', () => {
    const error = Object.defineProperty(new Error('m'), 'cause', {
      get() {
        throw new Error('no');
      },
    });
    expect(value(error)).toMatchObject({ message: 'm', cause: '[unreadable]' });
  });
});
