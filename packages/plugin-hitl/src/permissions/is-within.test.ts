import {
  fitsPattern,
  parsePermissionRule,
  type CallMatcher,
  type PermissionRule,
} from '@shallot/core/plugin';
import { expect, it } from 'vitest';

import { isWithin } from './is-within.ts';

function rule(text: string): PermissionRule {
  const parsed = parsePermissionRule(text);
  if ('advice' in parsed) throw new Error(parsed.advice);
  return parsed.rule;
}

const matcher = (subjects: readonly string[], tools: readonly string[]): CallMatcher => ({
  subjects,
  tools: () => tools,
  advise: () => undefined,
  // A slash at the beginning says nothing.
  within: (pattern, wider) => fitsPattern(wider.replace(/^\//, ''), pattern.replace(/^\//, '')),
  touches: () => undefined,
});

const matchers = [
  matcher(['read', 'edit'], ['read_file', 'edit_file', 'edit_more']),
  matcher(['shell'], ['shell']),
];

it.each<readonly [string, string, boolean]>([
  ['edit(src/a)', 'edit(src/*)', true],
  ['edit(/src/a)', 'edit(src/*)', true],
  ['edit(src/*)', 'edit(src/*)', true],
  ['edit(src/*)', 'edit(src/a)', false],
  ['edit', 'edit(*)', false],
  ['edit(a)', 'edit', true],
  ['edit(a)', '*', true],
  ['read(a)', 'edit(a)', false],
  // A word means tools with other names, too.
  ['edit', 'ed*', false],
  ['edit(a)', 'edit_*', false],
  ['edit(a)', '*e*', true],
  ['edit_file(a)', 'edit_*', true],
  ['edit_file(a)', 'edit', false],
  ['shell(ls)', 'sh*', true],
  // Without a matcher, a pattern is about an argument.
  ['issues_get(id=1)', 'issues_*', true],
  ['issues_get(id=1)', 'issues_get(id=*)', true],
  ['issues_get(id=*)', 'issues_get(id=1)', false],
  ['issues_get(id=1)', 'issues_get(name=*)', false],
  ['issues_*', 'issues_get', false],
  ['issues_get()', 'issues_*', true],
  ['issues_get()', 'issues_*()', true],
  ['issues_get()', 'issues_get(id=*)', false],
  ['issues_get', 'issues_get()', false],
  ['issues_get(id=1)', 'issues_get()', false],
])('%s is within %s: %s', (own, wider, expected) =>
  expect(isWithin(rule(own), rule(wider), matchers)).toBe(expected),
);

it('the name of a tool that is the word of another matcher is no such word', () => {
  const own = { ...rule('shell(ls)'), isOfTool: true as const };
  expect(isWithin(own, rule('shell'), matchers)).toBe(true);
  expect(
    isWithin(rule('shell(ls)'), { ...rule('shell(ls)'), isOfTool: true }, [
      matcher(['shell'], ['sh', 'shell']),
    ]),
  ).toBe(false);
});
