import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { JsonObject } from '@shallot/core';
import { onTestFinished } from 'vitest';

const here = join(import.meta.dirname, '..');
const top = join(here, '../..');
/** The package of this repository that the task works on. */
const subject = 'packages/plugin-repair';

/**
 * Clones this repository with its history and one package, and writes the config. Returns the directory of the package.
 */
export function cloneWith(config: string): string {
  const clone = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-coding-')));
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
  execFileSync('git', ['clone', '-q', '--no-checkout', top, clone]);
  gitIn(clone)('sparse-checkout', 'set', subject);
  gitIn(clone)('checkout', '-q');
  gitIn(clone)('config', 'user.email', 'ada@example.org');
  gitIn(clone)('config', 'user.name', 'Ada');
  const folder = join(clone, subject);
  writeFileSync(join(folder, 'shallot.config.yaml'), config);
  const modules = join(folder, 'node_modules');
  const link = (target: string, name: string): void => {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(realpathSync(target), join(modules, name));
  };
  for (const name of ['vitest', 'jsonrepair']) link(join(top, subject, 'node_modules', name), name);
  for (const name of ['core', 'testing', 'plugin-filesystem', 'plugin-shell', 'plugin-hitl'])
    link(join(top, 'packages', name), `@shallot/${name}`);
  link(join(modules, 'vitest/vitest.mjs'), '.bin/vitest');
  return folder;
}

export function gitIn(folder: string): (...args: readonly string[]) => string {
  return (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
}

const shell = (command: string): CodingCall => ['shell', { command }];
const read = (path: string): CodingCall => ['read_file', { path }];
const edit = (path: string, before: string, after: string): CodingCall => [
  'edit_file',
  { path, old_string: before, new_string: after },
];

type CodingCall = readonly [name: string, args: JsonObject];

const tests = 'npx vitest run src';

/**
 * The calls of a model that teaches the subject package to match tool names that another agent wrote with a namespace
 * prefix, and commits the change.
 */
export const codingTask: readonly CodingCall[] = [
  shell('git status --short && git log --oneline -5 -- .'),
  ['ls', { path: '/' }],
  read('/README.md'),
  read('/package.json'),
  ['glob', { pattern: 'src/**/*.ts' }],
  ['grep', { pattern: 'nearestTool\\(', path: '/src' }],
  read('/src/nearest-tool.ts'),
  read('/src/repair-calls.ts'),
  shell("sed -n '185,230p' src/repair.test.ts"),
  shell(`${tests} 2>&1 | tail -20`),
  shell('git log --oneline -3 -- src/nearest-tool.ts && git blame -L 3,9 src/nearest-tool.ts'),
  shell('grep -rn "withoutStyle" src | head -20'),
  [
    'write_file',
    {
      path: '/src/nearest-tool.test.ts',
      content: [
        "import { defineTool } from '@shallot/core';",
        "import { expect, it } from 'vitest';",
        '',
        "import { nearestTool } from './nearest-tool.ts';",
        '',
        "const tools = ['read_file', 'write_file'].map((name) =>",
        "  defineTool({ name, description: name, input: { type: 'object' }, execute: () => '' }),",
        ');',
        '',
        "it.each(['functions.read_file', 'functions.ReadFile', 'default_api:read-file'])('%s is read_file', (name) => {",
        "  expect(nearestTool(name, tools)?.name).toBe('read_file');",
        '});',
        '',
      ].join('\n'),
    },
  ],
  shell(`${tests}/nearest-tool.test.ts 2>&1 | grep -c FAIL; echo "exit: $?"`),
  edit(
    '/src/nearest-tool.ts',
    "return name.toLowerCase().replace(/[\\s_.:/-]+/g, '');",
    "return name.replace(namespace, '').toLowerCase().replace(/[\\s_.:/-]+/g, '');",
  ),
  edit(
    '/src/nearest-tool.ts',
    '/** Returns the only tool',
    '/** Namespaces that models write before the names of tools. */\nconst namespace = /^(?:functions|default_api)[.:]/;\n\n/** Returns the only tool',
  ),
  read('/src/nearest-tool.ts'),
  shell('git diff --stat && git diff src/nearest-tool.ts'),
  shell(`${tests}/nearest-tool.test.ts`),
  shell('node --version && which npx'),
  shell('ls -la src; wc -l src/*.ts'),
  shell('cd src && grep -c export nearest-tool.ts repair.ts'),
  shell(`node -e "import('./src/nearest-tool.ts').then((all) => console.log(Object.keys(all)))"`),
  edit(
    '/README.md',
    'one offered tool by case or separators',
    'one offered tool by case, separators or a namespace',
  ),
  ['grep', { pattern: 'separators', path: '/', output: 'counts' }],
  edit('/src/options.ts', 'by case or separators. Default', 'by case, separators or a namespace. Default'),
  edit('/src/options.ts', "by case or separators.'", "by case, separators or a namespace.'"),
  shell('for f in src/n*.ts; do echo "$f"; head -3 "$f"; done'),
  ['write_file', { path: '/src/notes.ts', content: 'export const notes = [];\n' }],
  ['delete_file', { path: '/src/notes.ts' }],
  shell('git diff HEAD -- README.md src/options.ts'),
  ['glob', { pattern: '**/*.test.ts' }],
  shell(`${tests} 2>&1 | tail -12`),
  shell('git status --porcelain . | wc -l'),
  shell('npm pkg get version'),
  shell('git add src README.md'),
  shell('git diff --cached --stat'),
  shell('git commit -q -m namespaces'),
  shell('git log --oneline -3 && git show --stat HEAD'),
  shell('git status'),
];
