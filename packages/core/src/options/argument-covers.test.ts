import { describe, expect, it } from 'vitest';

import { argumentCovers, argumentPattern } from './argument-covers.ts';

describe('a pattern of an argument', () => {
  it('is a name, an equals sign and a pattern of the value', () => {
    expect(argumentPattern('action=delete_*')).toEqual({ argument: 'action', value: 'delete_*' });
    expect(argumentPattern('filter.owner=a=b')).toEqual({ argument: 'filter.owner', value: 'a=b' });
    expect(argumentPattern('action=')).toEqual({ argument: 'action', value: '' });
    for (const other of ['src/**', '=x', 'a b=c', '']) expect(argumentPattern(other)).toBeUndefined();
  });

  it.each([
    ['action=delete_*', { action: 'delete_file' }, true],
    ['action=delete_*', { action: 'read' }, false],
    ['action=*', { other: 1 }, false],
    ['action=*', 'text', false],
    ['action=*', null, false],
    ['action=*', undefined, undefined],
    ['src/**', { action: 'read' }, undefined],
    ['filter.owner=me', { filter: { owner: 'me' } }, true],
    ['filter.owner=me', { filter: { owner: 'you' } }, false],
    ['filter.owner=me', { 'filter.owner': 'me' }, true],
    ['a.b.c=1', { a: { b: { c: 1 } } }, true],
    ['a.b.c=1', { a: 7 }, false],
    ['ab=*', { a: { ab: 1 } }, false],
    ['toString=*', {}, false],
    ['filter=*', { filter: { owner: 'me' } }, undefined],
    ['flag=true', { flag: true }, true],
    ['flag=null', { flag: null }, true],
    ['', {}, true],
    ['', { action: 'read' }, false],
    ['', [], false],
    ['', null, false],
    ['', undefined, undefined],
  ] as const)('%s covers %j: %s', (pattern, input, covers) => {
    for (const list of ['allow', 'ask', 'deny'] as const)
      expect(argumentCovers(pattern, input, list)).toBe(covers);
  });

  it('takes notice of case only to allow', () => {
    expect(argumentCovers('action=DELETE', { action: 'delete' }, 'allow')).toBe(false);
    expect(argumentCovers('action=DELETE', { action: 'delete' }, 'ask')).toBe(true);
    expect(argumentCovers('action=delete', { action: 'ＤELETE' }, 'deny')).toBe(true);
  });

  it.each([
    [['a1', 'a2'], true, true],
    [['a1', 'b'], false, true],
    [['b', 'c'], false, false],
    [['a1', {}], undefined, true],
    [['b', {}], false, undefined],
    [[], undefined, false],
    [[['a1'], ['b']], false, true],
  ])('of the list %j allows: %s, denies: %s', (items, allows, denies) => {
    expect(argumentCovers('to=a*', { to: items }, 'allow')).toBe(allows);
    expect(argumentCovers('to=a*', { to: items }, 'deny')).toBe(denies);
    expect(argumentCovers('to=a*', { to: items }, 'ask')).toBe(denies);
  });
});

it.each([
  ['deny', { Action: 'delete_all' }, true],
  ['ask', { Filter: { OWNER: 'me' }, action: 'get', ACTION: 'delete_all' }, true],
  ['allow', { Action: 'delete_all' }, false],
  ['allow', { action: 'delete_all', Action: 'get' }, false],
  ['allow', { action: 'delete_all', Action: 'delete_one' }, true],
] as const)('of %s, a name in another case is no way around a rule: %j', (list, input, covered) => {
  expect(argumentCovers('action=delete_*', input, list)).toBe(covered);
});

it('of deny, names that lead to an argument may be in any case', () => {
  expect(argumentCovers('filter.owner=me', { Filter: { OWNER: 'me' } }, 'deny')).toBe(true);
  expect(argumentCovers('filter.owner=me', { Filter: { OWNER: 'me' } }, 'allow')).toBe(false);
});
