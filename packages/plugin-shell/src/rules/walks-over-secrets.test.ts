import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { judgeLine } from './judge-line.ts';
import { parseRule } from './rule.ts';

const allow = ['reading', 'git-reading', 'cat *'].map(parseRule);

function projectWith(...paths: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'shallot-walk-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of [...paths, 'src/a.ts', 'docs/a.md', 'node_modules/x/.env']) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'tea');
  }
  return root;
}

const judged = (line: string, root: string) => judgeLine(line, { allow, deny: [], root }).is;

describe('a line that would print files with keys', () => {
  it.each([
    "grep -rn '' .",
    'grep -rn tea',
    'grep -Rn tea . --include=*',
    'grep -rn tea . --exclude-dir=.git',
    'grep -rn tea src api',
    'cd src && grep -rn tea ..',
    '(cd src); grep -rn tea .',
    'find . -type f -exec cat {} +',
    "find . -name '*.ts' -o -type f -exec cat {} +",
    "find . -not -path './.git/*' -exec head -5 {} +",
    'rg --hidden tea',
    'rg -uu tea api',
    "rg -g '*env' tea",
    'rg -g* tea',
    "rg --hidden -g '!.git' tea",
    "rg --iglob '*ENV' tea",
    'grep -r -m 5 -e tea',
    'cd docs && cd .. && cd api && grep -r tea .',
    'diff -r api src',
    'git diff --no-index docs api',
    'git -C docs diff . ../api',
    'git diff docs -- .',
    'cd docs && git diff . ../api',
    'git diff {docs,api}',
    "grep -r --include='?env' tea .",
    "grep -r --include='[.]env' tea .",
    "grep -r --exclude='*' --include='*env' tea .",
    'grep -r --exclude-dir=.git --exclude-dir=.env tea .',
    'grep -r --exclude=.git --exclude=.env tea .',
    'find . -type f -not -name .git -not -name .env -exec cat {} +',
    "find . -type f -exec cat {} + -name '*.ts'",
    "find . -not \\( -name '*.ts' \\) -exec cat {} +",
    'find . -not -not -name .env -exec cat {} +',
    "find . -iname '*ENV' -exec cat {} +",
    "find . -not -path './.env/*' -not -path './.git/*' -exec cat {} +",
    'git show HEAD:.env',
    'git show HEAD:api/.env.local',
    'git diff --no-index /dev/null .env',
    'git log -p -- .env',
    'head -50 .git/config',
    'cd .git && cat config',
    'grep -f.env a.txt',
    'grep --file=.env a.txt',
    'cat .git/*',
    'cat .g*',
  ])('is asked about: %s', (line) => {
    expect(judged(line, projectWith('.env', '.git/config', 'api/.env'))).toBe('open');
  });

  it.each([
    'grep -rn tea src',
    'grep -rn -e tea src',
    'grep -rn tea . --include=*.ts',
    "grep -rn --include='*.md' tea",
    'grep -rn tea . --exclude-dir=.git --exclude=.env',
    'rg tea',
    "rg -g '*.ts' tea",
    "rg -g '!*.md' tea src",
    'git diff docs src',
    'git diff HEAD -- .',
    'git diff src/*.ts',
    'find . -type f',
    "find . -name '*.md' -exec cat {} +",
    "find src -name '*.ts' -exec wc -l {} \\;",
    "find . -name .git -prune -o -name '*.ts' -print",
    'ls -laR',
    'cat .gitignore .env.example',
    'cat .github/a.yml',
    'git show HEAD:src/a.ts',
  ])('is none: %s', (line) => {
    expect(judged(line, projectWith('.env', '.git/config', 'api/.env'))).toBe('allowed');
  });

  it('is one that begins in the home directory, or in that of the line', () => {
    vi.stubEnv('HOME', projectWith('api/.env'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const root = projectWith('api/src/.env');
    for (const line of [
      'grep -r tea ~/api',
      'cd ~/api && grep -r tea .',
      'grep -r tea "$HOME"/api',
      'grep -r tea "$PWD"/api/src',
      'git diff ~/docs ~/api',
    ])
      expect([line, judged(line, root)]).toEqual([line, 'open']);
    expect(judged('grep -r tea ~/docs', root)).toBe('allowed');
  });

  it('needs such files: in other projects a search is let through', () => {
    expect(judged("grep -rn '' .", projectWith())).toBe('allowed');
    expect(judged('find . -type f -exec cat {} +', projectWith('.env.example'))).toBe('allowed');
  });
});
