import { describe, expect, it } from 'vitest';

import { parsePermissionRule } from './permission-rule.ts';

describe('a permission rule', () => {
  it.each([
    ['edit', 'edit', undefined],
    ['mcp-*', 'mcp-*', undefined],
    ['edit(src/**)', 'edit', 'src/**'],
    ['shell( echo (a) (b(c)) )', 'shell', 'echo (a) (b(c))'],
  ])('%s has the name %s and the pattern %s', (text, name, pattern) => {
    expect(parsePermissionRule(text)).toStrictEqual({ rule: { text, name, pattern } });
  });

  it.each([
    '',
    'edit file',
    'edit(',
    'edit)',
    'edit(a',
    'edit(a))',
    'edit(a)(',
    'edit(a)b',
    'edit()a()',
    'edit(a)(b)',
  ])('"%s" is none', (text) => {
    expect(parsePermissionRule(text)).toStrictEqual({
      advice: expect.stringContaining('write a tool and a pattern of its argument') as string,
    });
  });

  it.each(['edit()', 'edit( )'])('"%s" is about calls without arguments, and only allows them', (text) => {
    expect(parsePermissionRule(text)).toStrictEqual({ rule: { text, name: 'edit', pattern: '' } });
    for (const list of ['ask', 'deny'] as const)
      expect(parsePermissionRule(text, list)).toStrictEqual({
        advice: 'write "edit" for calls with any arguments',
      });
  });

  it.each(['edit(a\nb)', 'edit(a\tb)', 'edit(a\u202Eb)', 'edit(a\u200Bb)', 'edit(\u0000)'])(
    '%j has hidden characters',
    (text) => {
      expect(parsePermissionRule(text)).toStrictEqual({
        advice: 'write it without hidden characters and line feeds',
      });
    },
  );
});
