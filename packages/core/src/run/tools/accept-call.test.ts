import { describe, expect, it } from 'vitest';

import type { ToolCall } from '../../contract/tool.ts';
import type { LiveTap } from '../../hooks/live-tap.ts';
import { acceptCall } from './accept-call.ts';

const tap = { info: { plugin: 'audit', hook: 'wrapToolCall', name: 'x' } } as LiveTap;
const input = Object.freeze({ a: 1 });
const metadata = Object.freeze({ audit: Object.freeze({ seen: true }) });
const given: ToolCall = Object.freeze({ id: 'c', name: 'work', input, index: 2 });

describe('the call that a layer passes on', () => {
  it('is the given one if nothing of it has changed', () => {
    expect(acceptCall(tap, given, given)).toBe(given);
    expect(acceptCall(tap, { ...given }, given)).toBe(given);
    const known = Object.freeze({ ...given, metadata });
    expect(acceptCall(tap, { ...known }, known)).toBe(known);
  });

  it.each<[string, Partial<ToolCall>]>([
    ['its name', { name: 'other' }],
    ['its input', { input: { a: 2 } }],
    ['its metadata', { metadata }],
  ])('may have changed %s', (_, change) => {
    const call = acceptCall(tap, { ...given, ...change }, given);
    expect(call).toEqual({ ...given, ...change });
    expect([call, call.input].every((each) => Object.isFrozen(each))).toBe(true);
  });

  it('keeps its id and its place', () => {
    expect(acceptCall(tap, { name: 'other', input, id: 'd', index: 7 }, given)).toEqual({
      ...given,
      name: 'other',
    });
  });

  it('may have lost its metadata', () => {
    expect(acceptCall(tap, given, { ...given, metadata })).toEqual(given);
  });

  it('keeps arguments that are not valid JSON until its input is replaced', () => {
    const broken = { ...given, raw: '{"a":' };
    expect(acceptCall(tap, { ...broken, name: 'other' }, broken)).toEqual({ ...broken, name: 'other' });
    expect(acceptCall(tap, { ...broken, input: { a: 2 } }, broken)).toEqual({ ...given, input: { a: 2 } });
    expect(acceptCall(tap, { ...given, raw: '{', name: 'other' }, given)).toEqual({
      ...given,
      name: 'other',
    });
  });

  it.each<[string, unknown, string]>([
    ['text', 'work', '"work"'],
    ['null', null, 'null'],
    ['a call without a name', { input }, 'a tool call'],
    ['a call without input', { name: 'work' }, 'a tool call'],
    ['a call whose name is none', { name: 1, input }, 'a call whose name is the number 1'],
    ['a call with another member', { ...given, args: {} }, 'audit passed a call of work to next with'],
  ])('may not be %s', (_, passed, said) => {
    expect(() => acceptCall(tap, passed, given)).toThrow(
      expect.objectContaining({
        code: 'HOOK_RESULT',
        plugin: 'audit',
        message: expect.stringContaining(said) as unknown,
      }),
    );
  });

  it('has JSON for its input', () => {
    expect(() => acceptCall(tap, { ...given, input: { a: () => {} } }, given)).toThrow(
      expect.objectContaining({ code: 'VALUE_NOT_JSON' }),
    );
  });
});
