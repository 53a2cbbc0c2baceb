import { parsePermissionRule, type PermissionRule } from '@shallot/core/plugin';
import { expect, it } from 'vitest';

import { isWithin } from './is-within.ts';

function rule(text: string): PermissionRule {
  const parsed = parsePermissionRule(text);
  if ('advice' in parsed) throw new Error(parsed.advice);
  return parsed.rule;
}

it.each<readonly [string, string, boolean]>([
  ['edit(src/a.ts)', 'edit(src/**)', true],
  ['edit(src/a/**)', 'edit(src/**)', true],
  ['edit(src/**)', 'edit(src/*)', false],
  ['edit(src/a/b)', 'edit(src/*)', false],
  ['edit(**)', 'edit(src/**)', false],
  ['edit', 'edit(**)', false],
  ['edit(a)', 'edit', true],
  ['edit(src/*)', 'edit(src/*)', true],
  ['read(src/a)', 'edit(src/**)', false],
  ['shell(git log -p src/a)', 'shell(git *)', true],
  ['shell(git)', 'shell(git *)', false],
  ['shell(npm test)', 'shell(git *)', false],
  ['shell(git push)', 'shell(git p*h)', true],
  ['shell(git push x)', 'shell(git push)', false],
  ['issues_get(id=1)', 'issues_*', true],
  ['issues_*', 'issues_get', false],
  ['fetch(docs.example.org)', 'fetch(*.example.org)', true],
])('%s is within %s: %s', (own, wider, expected) => expect(isWithin(rule(own), rule(wider))).toBe(expected));
