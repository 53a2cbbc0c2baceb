import { expect, it } from 'vitest';

import { takeOverRules } from './take-over-rules.ts';

it.each<readonly [string, string]>([
  ['Bash', 'shell'],
  ['Bash(git status)', 'shell(git status)'],
  ['Bash(npm run test:*)', 'shell(npm run test *)'],
  ['Read(./.env)', 'read(/.env)'],
  ['Read(secrets/**)', 'read(secrets/**)'],
  ['Grep', 'read'],
  ['Write(src/**)', 'edit(src/**)'],
  ['WebFetch(domain:docs.example.org)', 'fetch(docs.example.org)'],
  ['mcp__issues', 'issues_*'],
  ['mcp__issues__delete_all', 'issues_delete_all'],
])('%s is taken over as %s', (theirs, ours) =>
  expect(takeOverRules({ allow: [theirs] })).toEqual({
    lists: { deny: [], ask: [], allow: [ours] },
    left: [],
  }),
);

it.each([
  'Bash(echo "a")',
  'Bash(a && b:*)',
  'Read(~/.ssh/**)',
  'Read(//etc/passwd)',
  'WebFetch(https://a.b)',
  'Task(reviewer)',
  'mcp__issues__get(id:1)',
  'Read(a\u200Bb)',
  'no rule at all',
])('%s is left, with the reason', (theirs) => {
  const { lists, left } = takeOverRules({ deny: [theirs, 5] });
  expect(lists.deny).toEqual([]);
  expect(left).toMatchObject([{ list: 'deny', rule: theirs }]);
});
