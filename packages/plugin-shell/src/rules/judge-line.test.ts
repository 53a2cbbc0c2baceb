import { describe, expect, it } from 'vitest';

import { codeLines, deniedInside, executingLines, unclearLines } from '../../test/executing-lines.ts';
import { allowedLines, deniedLines, openLines } from '../../test/lines.ts';
import { judgeLine } from './judge-line.ts';
import { parseRule } from './rule.ts';

// As wide as somebody careless would write them.
const allow = [
  'git status*',
  'git log*',
  'git diff*',
  'git show*',
  'ls *',
  'cat *',
  'head *',
  'tail *',
  'wc *',
  'grep *',
  'rg *',
  'sort *',
  'uniq *',
  'find *',
  'echo *',
  'printf *',
  'pwd',
  'cd *',
  'npm test',
  'npm run *',
  'node --test*',
  'tsc',
  'env *',
  'xargs *',
  'sh *',
  'bash *',
  'eval *',
  'alias *',
  'command *',
  'exec *',
  'sudo *',
  'nice *',
  'timeout *',
  'awk *',
  'sed *',
  'python3 *',
  'date',
  'test *',
  'true',
  'make check',
  'tar t*',
  'export *',
  'source *',
  'trap *',
  'fd *',
  'time *',
  'nohup *',
  'busybox *',
  'ssh *',
  'parallel *',
  'xargs grep tea',
].map(parseRule);
const deny = ['rm', 'curl', 'git push', 'dd', 'mkfs*'].map(parseRule);

const judge = (line: string) => judgeLine(line, { allow, deny });

it('200 lines are judged', () => {
  expect(new Set([...allowedLines, ...deniedLines, ...openLines]).size).toBeGreaterThanOrEqual(200);
});

it.each(allowedLines)('of allowed commands alone is let through: %j', (line) => {
  expect(judge(line).is).toBe('allowed');
});

it.each(deniedLines)('that holds a denied command is refused: %j', (line) => {
  expect(judge(line).is).toBe('denied');
});

it.each(openLines)('that holds anything else is asked about: %j', (line) => {
  expect(['open', 'unclear']).toContain(judge(line).is);
});

describe('where a rule allows anything of a program, a line', () => {
  const judgeWide = (line: string) => {
    const [program = ''] = line.split(' ');
    return judgeLine(line, { allow: [parseRule(`${program} *`), ...allow], deny }).is;
  };

  it.each(deniedInside)('that holds a denied command is refused: %j', (line) => {
    expect(judgeWide(line)).toBe('denied');
  });

  it.each(unclearLines)('that may hold one is asked about, or else refused: %j', (line) => {
    expect(judgeWide(line)).toBe('unclear');
  });

  it.each(executingLines)('that executes something else is asked about: %j', (line) => {
    expect(judgeWide(line)).toBe('open');
  });

  it.each(codeLines)('of code that no parser of lines reads is let through: %j', (line) => {
    expect(judgeWide(line)).toBe('allowed');
  });
});

describe('a rule', () => {
  const judged = (rule: string, line: string) =>
    judgeLine(line, { allow: [parseRule(rule)], deny: [] }).is === 'allowed';

  it.each([
    ['ls', 'ls', true],
    ['ls', 'ls -l', false],
    ['ls *', 'ls', true],
    ['ls *', 'ls -l a', true],
    ['git status*', 'git status', true],
    ['git status*', 'git status --short -b', true],
    ['git status*', 'git "status"', true],
    ['git status*', 'git -C / status', false],
    ['git status*', 'git stash', false],
    ['git status', "'git status'", false],
    ['git * --stat', 'git diff --stat', true],
    ['git * --stat', 'git diff --stat x', false],
    ['npm run test:*', 'npm run test:unit -- -u', true],
    ['ls *', '/bin/ls', false],
    ['*', 'anything at all', true],
    ['*', 'eval x', false],
    ['xargs grep tea', 'ls | xargs grep tea', false],
    ['sh test.sh', 'sh test.sh', true],
    ['sh *', 'sh test.sh', false],
  ])('%j lets %j through: %s', (rule, line, isAllowed) => {
    expect(judged(rule, line)).toBe(isAllowed);
  });

  it.each([
    ['rm', '/bin/rm x', 'denied'],
    ['/bin/rm', 'rm x', 'open'],
    ['git push', 'git push --force', 'denied'],
    ['git push', 'git -C x push', 'unclear'],
    ['git push', 'git --no-pager push', 'denied'],
    ['git push', 'git -c a=b push', 'unclear'],
    ['git push', 'git stash push', 'open'],
    ['git push --force', 'git push origin main --force', 'denied'],
    ['git push --force', 'git push origin main', 'open'],
    ['git push', 'git pull', 'open'],
    ['git push *', 'git push', 'denied'],
    ['git push', 'git $X', 'unclear'],
    ['rm', 'r?m x', 'unclear'],
    ['rm', "ls | xargs grep 'a.*b'", 'open'],
    ['rm', "xargs -I{} sh -c '{}'", 'unclear'],
    ['rm', '$X -rf', 'unclear'],
    ['rm', '/bin/r? x', 'unclear'],
    ['rm', 'sh -c "$X"', 'unclear'],
    ['rm', 'echo $X', 'open'],
    ['mkfs*', 'mkfs.ext4 /dev/sda', 'denied'],
  ])('that denies %j makes %j %s', (rule, line, is) => {
    expect(judgeLine(line, { allow: [], deny: [parseRule(rule)] }).is).toBe(is);
  });
});

it('A line that is too long or too deep is not let through', () => {
  const lines = ['('.repeat(8000), '$('.repeat(4000), `ls ${'x'.repeat(8000)}`, "sh -c 'eval "];
  expect(lines.map((line) => judge(line).is)).toEqual(lines.map(() => 'unclear'));
  const nested = Array.from({ length: 9 }).reduce<string>((line) => `eval ${JSON.stringify(line)}`, 'whoami');
  expect(judge(nested).is).toBe('unclear');
});
