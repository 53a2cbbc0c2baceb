import type { JsonValue } from '@shallot/core';
import {
  fitsPattern,
  type PermissionMode,
  type ReadCall,
  type RuleList,
  type Touch,
} from '@shallot/core/plugin';
import { describe, expect, it } from 'vitest';

import { judge } from './judge.ts';
import { parseRules, type RuleTexts } from './parse-rules.ts';

/** A touch whose pattern is a `*` pattern, or `?`, which covers it as far as anybody can tell. */
function touch(subject: string, what: string, access: Touch['access']): Touch {
  return {
    subject,
    access,
    what,
    covers: (pattern) => (pattern === '?' ? undefined : fitsPattern(pattern, what)),
    narrowest: what,
  };
}

const read = (path: string): Touch => touch('read', path, 'read');
const edit = (path: string): Touch => touch('edit', path, 'write');

function file(tool: string, ...touches: readonly Touch[]): ReadCall {
  return { tool, input: {}, subjects: ['read', 'edit'], touches };
}

const unread: ReadCall = {
  tool: 'read_file',
  input: undefined,
  subjects: ['read', 'edit'],
  touches: undefined,
};

function plain(tool: string, input: JsonValue = {}): ReadCall {
  return { tool, input, subjects: [], touches: undefined };
}

describe('the verdict on a call', () => {
  it.each<readonly [string, ReadCall, RuleTexts, PermissionMode, RuleList | 'silent']>([
    ['no rule', file('read_file', read('/a')), {}, 'ask', 'silent'],
    ['a tool by its name', plain('delete_file'), { allow: ['delete_file'] }, 'ask', 'allow'],
    ['tools by a pattern', plain('issues_get'), { allow: ['issues_*'] }, 'ask', 'allow'],
    ['everything', plain('x'), { allow: ['*'] }, 'ask', 'allow'],
    ['deny before allow', plain('x'), { allow: ['x'], deny: ['*'] }, 'ask', 'deny'],
    ['ask before allow', plain('x'), { allow: ['x'], ask: ['*'] }, 'ask', 'ask'],
    ['deny before ask', plain('x'), { ask: ['x'], deny: ['x*'] }, 'ask', 'deny'],
    ['a path', file('edit_file', edit('/src/a')), { allow: ['edit(/src/*)'] }, 'ask', 'allow'],
    [
      'a path by the tool',
      file('edit_file', edit('/src/a')),
      { allow: ['edit_file(/src/*)'] },
      'ask',
      'allow',
    ],
    ['another access', file('edit_file', edit('/src/a')), { allow: ['read(/src/*)'] }, 'ask', 'silent'],
    ['a word for all paths', file('edit_file', edit('/a')), { allow: ['edit'] }, 'ask', 'allow'],
    [
      'where a link leads',
      file('x', edit('/src/a'), edit('/b')),
      { allow: ['edit(/src/*)'] },
      'ask',
      'silent',
    ],
    [
      'two rules for two parts',
      file('x', edit('/src/a'), edit('/b')),
      { allow: ['edit(/src/*)', 'edit(/b)'] },
      'ask',
      'allow',
    ],
    [
      'one part denied',
      file('x', edit('/src/a'), edit('/b')),
      { allow: ['*'], deny: ['edit(/b)'] },
      'ask',
      'deny',
    ],
    ['doubt about deny', file('x', edit('/a')), { allow: ['*'], deny: ['edit(?)'] }, 'ask', 'ask'],
    ['doubt about ask', file('x', edit('/a')), { allow: ['*'], ask: ['edit(?)'] }, 'ask', 'ask'],
    ['doubt about allow', file('x', edit('/a')), { allow: ['edit(?)'] }, 'ask', 'silent'],
    ['sure after doubt', file('x', edit('/a')), { deny: ['edit(?)', 'edit(/a)'] }, 'ask', 'deny'],
    ['unread, allowed by path', unread, { allow: ['read(*)'] }, 'ask', 'silent'],
    ['unread, denied by path', unread, { deny: ['read(*)'] }, 'ask', 'ask'],
    ['unread, denied by tool', unread, { deny: ['read_file'] }, 'ask', 'deny'],
    ['unread, allowed by tool', unread, { allow: ['read_file'] }, 'ask', 'allow'],
    ['an argument', plain('m', { do: 'list' }), { allow: ['m(do=l*)'] }, 'ask', 'allow'],
    ['another argument', plain('m', { do: 'list' }), { allow: ['m(do=d*)'] }, 'ask', 'silent'],
    ['a missing argument', plain('m'), { deny: ['m(do=d*)'] }, 'ask', 'silent'],
    ['an item of a list', plain('m', { do: ['a', {}, 'D'] }), { deny: ['m(do=d*)'] }, 'ask', 'deny'],
    ['no item of a list', plain('m', { do: ['a'] }), { deny: ['m(do=d*)'] }, 'ask', 'silent'],
    ['an item that is an object', plain('m', { do: ['a', {}] }), { deny: ['m(do=d*)'] }, 'ask', 'ask'],
    ['all items of a list', plain('m', { do: ['d', 'do'] }), { allow: ['m(do=d*)'] }, 'ask', 'allow'],
    ['some items of a list', plain('m', { do: ['d', 'a'] }), { allow: ['m(do=d*)'] }, 'ask', 'silent'],
    ['an empty list', plain('m', { do: [] }), { allow: ['m(do=d*)'] }, 'ask', 'silent'],
    ['an argument within another', plain('m', { to: { do: 'd' } }), { deny: ['m(to.do=d)'] }, 'ask', 'deny'],
    ['none within another', plain('m', { to: { be: 'd' } }), { deny: ['m(to.do=d)'] }, 'ask', 'silent'],
    ['an argument with a dot', plain('m', { 'to.do': 'd' }), { allow: ['m(to.do=d)'] }, 'ask', 'allow'],
    ['an argument that is an object', plain('m', { to: {} }), { deny: ['m(to=d*)'] }, 'ask', 'ask'],
    ['case, denied', plain('m', { do: 'DEL' }), { deny: ['m(do=d*)'] }, 'ask', 'deny'],
    ['case, allowed', plain('m', { do: 'DEL' }), { allow: ['m(do=d*)'] }, 'ask', 'silent'],
    [
      'arguments that are not JSON',
      { ...plain('m'), input: undefined },
      { deny: ['m(do=d*)'] },
      'ask',
      'ask',
    ],
    ['edits: a write', file('x', edit('/a')), {}, 'edits', 'allow'],
    ['edits: a read', file('x', read('/a')), {}, 'edits', 'silent'],
    ['edits: a write and a read', file('x', edit('/a'), read('/a')), {}, 'edits', 'silent'],
    [
      'edits: with a rule for the read',
      file('x', edit('/a'), read('/a')),
      { allow: ['read'] },
      'edits',
      'allow',
    ],
    ['edits: asked by a rule', file('x', edit('/a')), { ask: ['edit(/a)'] }, 'edits', 'ask'],
    ['edits: denied by a rule', file('x', edit('/a')), { deny: ['edit(/a)'] }, 'edits', 'deny'],
    ['edits: a tool without a matcher', plain('write'), {}, 'edits', 'silent'],
    ['read-only: a read', file('x', read('/a')), {}, 'read-only', 'silent'],
    ['read-only: an allowed read', file('x', read('/a')), { allow: ['read'] }, 'read-only', 'allow'],
    ['read-only: a write', file('x', edit('/a')), { allow: ['*'] }, 'read-only', 'deny'],
    ['read-only: a tool without a matcher', plain('x'), { allow: ['*'] }, 'read-only', 'deny'],
    ['read-only: unread', unread, { allow: ['*'] }, 'read-only', 'deny'],
  ])('%s', (_, call, rules, mode, expected) =>
    expect(judge(call, parseRules(rules), mode).is).toBe(expected),
  );

  it('names the rules that decided', () => {
    const rules = parseRules({ allow: ['edit(/a)', 'edit(/b)'], deny: ['edit(?)'] });
    expect(judge(file('x', edit('/a')), rules, 'ask')).toEqual({
      is: 'ask',
      rules: ['edit(?)'],
      because: 'the rule "edit(?)" may deny it, which cannot be told',
    });
    const { is, because } = judge(file('x', edit('/a'), edit('/b')), { ...rules, deny: [] }, 'ask');
    expect([is, because]).toEqual(['allow', '"edit(/a)" and "edit(/b)" allow it']);
  });
});

/** Says as plainly as possible what the lists mean. */
function oracle(call: ReadCall, texts: RuleTexts, mode: PermissionMode): RuleList | 'silent' {
  const [deny, ask, allow] = [texts.deny ?? [], texts.ask ?? [], texts.allow ?? []];
  const parts = call.touches ?? [];
  const split = (text: string) => /^([^(]*)(?:\((.*)\))?$/.exec(text)?.slice(1) ?? [];
  const says = (text: string, part: Touch): 'yes' | 'no' | 'maybe' => {
    const [name = '', pattern] = split(text);
    if (name !== part.subject && !fitsPattern(name, call.tool)) return 'no';
    if (pattern === '?') return 'maybe';
    return pattern === undefined || fitsPattern(pattern, part.what) ? 'yes' : 'no';
  };
  const aboutTool = (text: string) => !text.includes('(') && fitsPattern(text, call.tool);
  const about = (text: string) => {
    const [name = ''] = split(text);
    return fitsPattern(name, call.tool) || call.subjects.includes(name);
  };
  const hit = (text: string): 'yes' | 'no' | 'maybe' => {
    if (aboutTool(text)) return 'yes';
    if (call.touches === undefined) return about(text) ? 'maybe' : 'no';
    const all = new Set(parts.map((part) => says(text, part)));
    return all.has('yes') ? 'yes' : all.has('maybe') ? 'maybe' : 'no';
  };
  if (deny.some((text) => hit(text) === 'yes')) return 'deny';
  const isRead = parts.length > 0 && parts.every(({ subject }) => subject === 'read');
  if (mode === 'read-only' && !isRead) return 'deny';
  if ([...deny, ...ask].some((text) => hit(text) !== 'no')) return 'ask';
  const free = (part: Touch) => mode === 'edits' && part.subject === 'edit';
  const each = parts.every((part) => free(part) || allow.some((text) => says(text, part) === 'yes'));
  return allow.some(aboutTool) || (parts.length > 0 && each) ? 'allow' : 'silent';
}

it('is that of the oracle for 2,000 random policies', () => {
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const oneOf = <T>(list: readonly [T, ...T[]]): T => list[next(list.length)] ?? list[0];
  const rule = (): string =>
    oneOf(['read', 'edit', 'read_file', 'edit_*', '*', 'shell']) +
    oneOf(['', '(/src/*)', '(/src/a)', '(*)', '(?)', '(/b)']);
  const rules = (): string[] => Array.from({ length: next(4) }, rule);
  const path = (): string => oneOf(['/src/a', '/src/b', '/b', '/c/d']);
  const verdicts = new Set<string>();
  for (let round = 0; round < 2000; round += 1) {
    const texts = { allow: rules(), ask: rules(), deny: next(2) === 0 ? [] : rules() };
    const touches = Array.from({ length: next(4) }, () => oneOf([read, edit])(path()));
    const tool = oneOf(['read_file', 'edit_file', 'grep']);
    const call = next(5) === 0 ? { ...unread, tool } : file(tool, ...touches);
    const mode = oneOf<PermissionMode>(['ask', 'edits', 'read-only']);
    const { is } = judge(call, parseRules(texts), mode);
    expect({ texts, call, mode, is }).toEqual({ texts, call, mode, is: oracle(call, texts, mode) });
    verdicts.add(is);
  }
  expect(verdicts.size).toBe(4);
});
