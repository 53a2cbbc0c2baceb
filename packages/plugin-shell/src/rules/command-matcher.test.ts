import { describe, expect, it } from 'vitest';

import { commandMatcher, opensMore } from './command-matcher.ts';

const matcher = commandMatcher({ toolName: 'shell', root: undefined, mayTest: false });

describe('a rule about commands', () => {
  it.each<readonly [string, string, boolean]>([
    ['git log -p src/a', 'git *', true],
    ['git log*', 'git *', true],
    ['git *', 'git log*', false],
    ['git', 'git *', true],
    ['git', 'git log*', false],
    ['npm test', 'git *', false],
    ['git push x', 'git push', false],
    ['git push x', 'git push*', true],
    ['git status -s', 'git-reading', true],
    ['git push', 'git-reading', false],
    ['git-reading', 'git *', false],
    ['ls *', 'reading', false],
    // A star does not stand for what executes others.
    ['find . -delete', 'find *', false],
    ['cat .env', 'cat *', false],
  ])('%s is within %s: %s', (pattern, wider, expected) => {
    expect(matcher.within?.(pattern, wider)).toBe(expected);
  });

  it.each([
    '*',
    'git *',
    'npm run *',
    'bash -c *',
    'python3 -m *',
    'npx tsx *',
    'node *',
    'node scripts/*',
    'make *',
    'docker run *',
    'env *',
    'reading',
    'git-reading',
    'testing',
  ])('opens more than it seems to: %s', (pattern) => expect(opensMore(pattern)).toEqual(expect.any(String)));

  it.each([
    'ls *',
    'git log*',
    'git status',
    'npm test',
    'npm run build*',
    'npm run lint',
    'node scripts/a.mjs *',
    'cat *',
  ])('opens what it says: %s', (pattern) => expect(opensMore(pattern)).toBeUndefined());

  it('is not about tests without a sandbox or trust', async () => {
    const [touch] =
      (await matcher.touches({ name: 'shell', input: { command: 'npm test' } }, { files: {} as never })) ??
      [];
    expect(touch?.covers('testing', 'allow')).toBe(false);
    expect(touch?.covers('npm test', 'allow')).toBe(true);
    expect(matcher.advise('testing')).toContain('sandbox');
  });
});
