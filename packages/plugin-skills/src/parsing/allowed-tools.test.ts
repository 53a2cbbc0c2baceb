import { describe, expect, it } from 'vitest';

import { coversCall, parseAllowedTools } from './allowed-tools.ts';
import type { YamlValue } from './parse-yaml.ts';

describe('allowed-tools', () => {
  it.each<readonly [what: string, value: YamlValue, patterns: readonly string[]]>([
    ['with spaces between', 'Read Write Bash(git diff *)', ['Read', 'Write', 'Bash(git diff *)']],
    [
      'with commas between',
      'Bash(git add:*), Bash(git status:*),Read',
      ['Bash(git add:*)', 'Bash(git status:*)', 'Read'],
    ],
    ['with lines between', 'Read\nBash(ls *)\n', ['Read', 'Bash(ls *)']],
    ['in a list', ['Read', 'Bash(git add:*)'], ['Read', 'Bash(git add:*)']],
    ['in a list of lists of words', ['Read, Write', 'Grep Glob'], ['Read', 'Write', 'Grep', 'Glob']],
    ['of servers', 'mcp__context7__get-library-docs', ['mcp__context7__get-library-docs']],
    ['with parentheses inside', 'Bash(echo (a, b) *) Read', ['Bash(echo (a, b) *)', 'Read']],
    ['that are empty', '', []],
    ['that are a map', { Bash: 'git' }, []],
    ['that are no patterns', '*, !Read, Bash(git, {}', []],
  ])('are read %s', (_, value, patterns) => {
    expect(parseAllowedTools(value).map(({ text }) => text)).toEqual(patterns);
  });

  it('are none when there are none', () => {
    expect(parseAllowedTools(undefined)).toEqual([]);
  });
});

function covers(pattern: string, input: Readonly<Record<string, string | number | boolean>>): boolean {
  const [parsed] = parseAllowedTools(pattern);
  if (parsed === undefined) throw new Error(`${pattern} is no pattern`);
  return coversCall(parsed, { id: 'c', name: parsed.tool, input, index: 0 });
}

describe('a pattern', () => {
  it.each<readonly [pattern: string, command: string]>([
    ['Bash', 'rm -rf / ; anything'],
    ['Bash(*)', 'rm -rf / ; anything'],
    ['Bash(git add:*)', 'git add'],
    ['Bash(git add:*)', 'git add -A ./src "a b.txt"'],
    ['Bash(git diff *)', 'git diff HEAD~1'],
    ['Bash(*/post.sh *)', './skill/post.sh now'],
    ['Bash(npm run *:test *)', 'npm run unit:test x'],
    ['Bash(npm test)', 'npm test'],
  ])('%s covers %s', (pattern, command) => {
    expect(covers(pattern, { command })).toBe(true);
  });

  it.each<readonly [pattern: string, command: string]>([
    ['Bash(git add:*)', 'git addx'],
    ['Bash(git add:*)', 'git  add'],
    ['Bash(git add:*)', ' git add'],
    ['Bash(git add:*)', 'git commit'],
    ['Bash(git add:*)', 'git add . && rm -rf /'],
    ['Bash(git add:*)', 'git add .; rm -rf /'],
    ['Bash(git add:*)', 'git add . | sh'],
    ['Bash(git add:*)', 'git add . & sh'],
    ['Bash(git add:*)', 'git add .\nrm -rf /'],
    ['Bash(git add:*)', 'git add .\rrm -rf /'],
    ['Bash(git add:*)', 'git add `rm -rf /`'],
    ['Bash(git add:*)', 'git add $(rm -rf /)'],
    ['Bash(git add:*)', 'git add "$(rm -rf /)"'],
    ['Bash(git add:*)', 'git add <(rm -rf /)'],
    ['Bash(git add:*)', 'git add $HOME'],
    ['Bash(git add:*)', 'git add %PATH%'],
    ['Bash(git add:*)', 'git add > /etc/passwd'],
    ['Bash(git add:*)', 'git add .\u2028rm'],
    ['Bash(git add:*)', 'git add .\0'],
    ['Bash(git *)', 'git log; rm -rf /'],
    ['Bash(npm test)', 'npm test --watch'],
    ['Bash(ab*ba)', 'aba'],
    ['Bash(:*)', 'anything'],
    ['Bash(a*:*)', 'abc'],
  ])('%s does not cover %j', (pattern, command) => {
    expect(covers(pattern, { command })).toBe(false);
  });

  it('covers no call whose other arguments could change what the command does', () => {
    expect(covers('Bash(ls *)', { command: 'ls .', timeout: 10, description: 'Lists' })).toBe(true);
    expect(covers('Bash(ls *)', { command: 'ls .', cwd: '/' })).toBe(false);
    expect(covers('Bash(ls *)', { command: 'ls .', dangerouslyDisableSandbox: true })).toBe(false);
  });

  it('with an argument covers no call that has no command', () => {
    expect(covers('Read(./src/**)', { path: './src/a.ts' })).toBe(false);
    expect(covers('WebFetch(domain:example.com)', { url: 'https://example.com' })).toBe(false);
    expect(covers('Read', { path: './src/a.ts' })).toBe(true);
  });

  it('of many stars is matched in no time', () => {
    const pattern = `Bash(${'a*'.repeat(2000)}b)`;
    expect(covers(pattern, { command: 'a'.repeat(20_000) })).toBe(false);
  });
});
