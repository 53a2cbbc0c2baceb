import { fitsPattern, type CallMatcher } from '@shallot/core/plugin';
import { expect, it } from 'vitest';

import { findDoubts } from './find-doubts.ts';
import { parseRules } from './parse-rules.ts';

const matcher: CallMatcher = {
  subjects: ['shell'],
  tools: () => ['shell'],
  advise: () => undefined,
  within: (pattern, wider) => fitsPattern(wider, pattern),
  opens: (pattern) => (pattern.startsWith('node') ? 'node executes any code' : undefined),
  touches: () => undefined,
};

it('names rules that never decide, and those that are wider than they look', () => {
  const rules = parseRules({
    deny: ['shell(rm *)', 'gone_*'],
    ask: ['shell(git push)'],
    allow: ['shell(rm -r x)', 'shell(git push)', 'shell(node *)', 'shell(ls *)', 'read_*', 'look'],
  });
  const doubts = findDoubts(rules, { tools: ['shell', 'read_file', 'look'], matchers: [matcher] });
  expect(doubts.map(({ kind, rule, why }) => `${kind} ${rule}: ${why}`)).toEqual([
    'unused gone_*: no tool of the agent has a name that it fits',
    'unused shell(rm -r x): the rule "shell(rm *)" comes before it, and covers the same calls',
    'unused shell(git push): the rule "shell(git push)" comes before it, and covers the same calls',
    'wide shell(node *): node executes any code',
    'wide read_*: it allows any call of read_file, and of tools that are added later',
  ]);
});
