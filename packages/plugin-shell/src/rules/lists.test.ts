import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { hostileLines, hostileSpellings, listOf } from '../../test/hostile-lines.ts';
import { judgeLine } from './judge-line.ts';
import { parseRule } from './rule.ts';

const readers = ['reading', 'git-reading'].map(parseRule);
const presets = [...readers, parseRule('testing')];
const deny = ['rm', 'curl', 'git push'].map(parseRule);

it('Of 350 everyday lines, at least 90 % are let through by the presets', () => {
  const lines = listOf('everyday');
  const allowed = lines.filter((line) => judgeLine(line, { allow: presets, deny }).is === 'allowed');
  expect(lines.length).toBeGreaterThanOrEqual(350);
  expect(allowed.length / lines.length).toBeGreaterThanOrEqual(0.9);
});

it('Of those that execute nothing of the project, at least 94 % are let through without `testing`', () => {
  const isAllowed = (line: string, allow: typeof presets): boolean =>
    judgeLine(line, { allow, deny }).is === 'allowed';
  const lines = listOf('everyday').filter(
    (line) =>
      isAllowed(line, readers) || !isAllowed(line, presets) || /^(?:pnpm|cargo) --version$/.test(line),
  );
  const allowed = lines.filter((line) => isAllowed(line, readers));
  expect(lines.length).toBeGreaterThanOrEqual(300);
  expect(allowed.length / lines.length).toBeGreaterThanOrEqual(0.94);
});

it('At least 90 % are let through by the policy for coding agents of the guide', () => {
  const guide = readFileSync(new URL('../../../../docs/guides/permissions.md', import.meta.url), 'utf8');
  const policy = guide.split('A coding agent in a repository')[1]?.split('```')[1] ?? '';
  const rules = [...policy.matchAll(/- shell\(([^)]+)\)/g)].map(([, pattern = '']) => pattern);
  expect(rules).toEqual(['reading', 'git-reading', 'testing', 'sudo', 'git push']);
  expect(policy).toContain('sandbox: true');
  const allow = rules.slice(0, 3).map(parseRule);
  const root = repository();
  const lines = listOf('everyday');
  const allowed = lines.filter(
    (line) => judgeLine(line, { allow, deny: rules.slice(3).map(parseRule), root }).is === 'allowed',
  );
  expect(allowed.length / lines.length).toBeGreaterThanOrEqual(0.9);
});

/** A directory with what a search of a real repository meets. */
function repository(): string {
  const root = mkdtempSync(join(tmpdir(), 'shallot-everyday-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['.git', 'src', 'docs', 'packages/core'])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of ['.env', '.git/config', 'src/a.ts']) writeFileSync(join(root, name), 'tea');
  return root;
}

describe('with presets and rules with a star', () => {
  const allow = [...presets, parseRule('cat *'), parseRule('ugrep *')];

  it.each([
    'cat /proc/1/environ',
    'cat /./proc//self/environ',
    'cat ../../../proc/1/environ',
    'cat /pro?/1/environ',
    'cat /*/self/environ',
    'cat /dev/fd/../environ',
    'cat /dev/./fd/../../1/environ',
    'cat /dev/shm/../fd/../../1/environ',
    'cat ../../../dev/fd/../../1/environ',
    'cat /dev/f?/../../1/environ',
    'cat ~/../../dev/fd/../../1/environ',
    'cd /dev/fd && cat ../../1/environ',
    'cd /dev && cat fd/../../1/environ',
    'cd / && cd dev && cat < fd/../../1/environ',
    'cd /dev && cat fd/../../1/environ && cd /tmp',
    'cd / && (cd tmp); cd dev; cat fd/../../1/environ',
    'git diff --no-index /tmp /',
    'cat ~/../../proc/1/environ',
    'cat < /proc/1/environ',
    'cd / && cat proc/1/environ',
    'cd / && cat */1/environ',
    'cd .. && grep -r KEY .',
    'cd && grep -rn KEY',
    'grep -ra KEY /',
    'grep -ra KEY ..',
    'grep -f/proc/1/environ a.txt',
    'grep --file=/proc/1/environ a.txt',
    'rg KEY /',
    'find / -name environ',
    'find ../.. -name environ',
    'find / -exec cat {} +',
    'du -a /',
    'ls -R /',
    'diff -r / a',
    'for f in /proc/*; do cat "$f"; done',
    'for f in /*; do cat $f/1/environ; done',
    'for f in src/*/*/environ; do cat $f; done',
    'for f in src/*; do for g in *; do cat $f/$g/environ; done; done',
    'for f in src/*.txt; do sort $f; done',
    'ugrep -r KEY /',
    'timeout 5 cat /proc/1/environ',
    'ps auxe',
    'ps eww',
    'cat .env',
    'cat sub/.env.local',
    'head -5 ~/.ssh/id_rsa',
    'cat .*',
    'cat .e*',
    'wc -l < .env',
    'cat {/proc/1/environ,a}',
    'cat x{/../../../proc/1/environ,}',
    'cat {,x}.env',
    'cat src/{.env,a}',
    'for f in {.env,a}; do cat $f; done',
    'git grep --untracked KEY',
    'git grep --no-exclude-standard KEY',
    'cat ~/.aws/credentials',
    'cat ~/.config/gh/hosts.yml',
    'cat ~/.netrc',
    'cat "$HOME"/.git-credentials',
    'cat ~/.docker/config.json',
    'cat ~/.kube/config',
    'grep -rn KEY ~/.gnupg',
  ])('%j is asked about: keys are there', (line) => {
    expect(judgeLine(line, { allow, deny: [] }).is).toBe('open');
  });

  it.each([
    'ls /',
    'ls ..',
    'cat .env.example',
    'grep -rn tea ../other',
    'cat ../a.txt',
    'grep -rn tea . --exclude=.env',
    'ls -a',
    'cat src/{a,b}.ts',
    'ls .docker .config',
  ])('%j is not', (line) => {
    expect(judgeLine(line, { allow, deny: [] }).is).toBe('allowed');
  });
});

describe('with rules with a star', () => {
  const starred = ['git *', 'git rebase *', 'git clone *', 'rsync *', 'scp *', 'find *'].map(parseRule);

  it.each([
    'git -C -C --exec-path=./x log',
    'git -C -C --config-env=diff.external=TERM diff',
    'git rebase -ix ./x main',
    'git clone -qu ./x host:a',
    'git clone -qc core.sshCommand=./x host:a',
    'rsync -e ./x a host:b',
    'rsync -ae ./x a host:b',
    'scp -S ./x a host:b',
    'scp -qoProxyCommand=./x a host:b',
    'scp -F ./x a host:b',
    'find . -exec sort + -o out \\;',
  ])('%j is asked about: an option executes or writes', (line) => {
    const allow = [...presets, ...starred];
    expect(judgeLine(line, { allow, deny: [] }).is).toBe('open');
  });

  it.each(['git -C -C log', 'git rebase -i main', 'git clone -q host:a', 'rsync -a a b', 'scp -r a host:b'])(
    '%j is not',
    (line) => {
      expect(judgeLine(line, { allow: [...presets, ...starred], deny: [] }).is).toBe('allowed');
    },
  );
});

// Each of them may get another version of the program, or start one, as files of the directory say.
it.each([
  'yarn --version',
  'cd src && yarn -v',
  'pnpm --version',
  'cargo --version',
  'rustc -V',
  'go version',
])('%j is asked about: the directory says what is executed', (line) => {
  expect(judgeLine(line, { allow: readers, deny: [] }).is).toBe('open');
});

it('Links are followed to the files with keys that they lead to', () => {
  const root = repository();
  symlinkSync('../.env', join(root, 'src/keys'));
  symlinkSync(root, join(root, 'docs/top'));
  const judge = (line: string) => judgeLine(line, { allow: presets, deny: [], root }).is;
  for (const line of [
    'cat src/keys',
    'cd src && cat keys',
    'head -3 src/*',
    'cat docs/top/.env',
    'wc -l < src/keys',
    'find src -follow -exec cat {} +',
    'grep -R KEY src',
  ])
    expect([line, judge(line)]).toEqual([line, 'open']);
  for (const line of ['cat src/a.ts', 'head -3 src/*.ts', 'ls src/*', 'cat docs/*'])
    expect([line, judge(line)]).toEqual([line, 'allowed']);
});

describe('of the lines that try to execute a denied program', () => {
  it('there are 800', () => {
    expect(new Set(hostileLines).size).toBeGreaterThanOrEqual(800);
  });

  it('none is let through by the presets', () => {
    const allowed = hostileLines.filter((line) => judgeLine(line, { allow: presets, deny }).is === 'allowed');
    expect(allowed).toEqual([]);
  });
});

describe('of the options by which readers execute, write or hang', () => {
  it('there are 300 spellings, of 40 programs', () => {
    expect(new Set(hostileSpellings).size).toBeGreaterThanOrEqual(300);
    expect(new Set(hostileSpellings.map((line) => line.split(' ')[0])).size).toBeGreaterThanOrEqual(40);
  });

  it('none is let through by the presets', () => {
    const allowed = hostileSpellings.filter(
      (line) => judgeLine(line, { allow: presets, deny: [] }).is === 'allowed',
    );
    // `--text` is an option of its own, fd knows no type `fx`, and tsc executes nothing.
    expect(allowed).toEqual([
      'git diff --text HEAD~1',
      'git grep --text tea',
      'fdfind -Htfx ./x',
      'npx tsc -p evil',
    ]);
  });
});
