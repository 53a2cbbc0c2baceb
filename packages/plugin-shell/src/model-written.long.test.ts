import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isShallotError } from '@shallot/core';
import { diskFiles } from '@shallot/core/files';
import { expect, it, onTestFinished } from 'vitest';

import { kinds, type Kind } from '../test/model-written.ts';
import { judgeLine } from './rules/judge-line.ts';
import { parseRule } from './rules/rule.ts';
import { environment } from './running/environment.ts';

const allow = ['reading', 'git-reading'].map(parseRule);

/** A repository of a person. */
function makeRepository(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-written-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  mkdirSync(join(root, 'sub'));
  for (const name of ['a.txt', 'b.txt', 'sub/c.txt', 'package.json'])
    writeFileSync(join(root, name), '{ "name": "tea" }\n');
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], {
      cwd: root,
      stdio: 'ignore',
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  return root;
}

const textFor = (root: string, text: string): string =>
  text.replaceAll('PWN', 'touch pwned').replaceAll('ROOT', root);

/** Writes what the file service lets a model write. */
async function writeAsModel(root: string, files: Kind['files']): Promise<void> {
  const service = diskFiles(root);
  for (const [name, text] of Object.entries(files)) {
    try {
      await service.write(`/${textFor(root, name)}`, textFor(root, text));
    } catch (error) {
      if (!isShallotError(error) || !/^FILE_(?:PROTECTED|PATH|KIND)$/.test(error.code)) throw error;
    }
  }
}

function run(root: string, line: string, isUnseen = true): void {
  const env = { ...environment({ env: ['PATH', 'LANG'], variables: {} }, process.env, isUnseen), HOME: root };
  spawnSync('/bin/sh', ['-c', line], {
    cwd: root,
    env,
    stdio: 'ignore',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
}

const isExecuted = (root: string): boolean =>
  readdirSync(root, { recursive: true }).some((name) => /(?:^|\/)pwned$/.test(String(name)));

it('There are forty kinds of files', () => {
  expect(kinds.length).toBeGreaterThanOrEqual(40);
});

it('A file that git believes is executed by a line that is not closed', () => {
  const root = makeRepository();
  execFileSync('git', ['config', 'core.fsmonitor', 'touch pwned;false'], { cwd: root });
  run(root, 'git status', false);
  expect(isExecuted(root)).toBe(true);
  rmSync(join(root, 'pwned'));
  run(root, 'git status');
  expect(isExecuted(root)).toBe(false);
});

it.each(kinds)(
  '$name: no allowed line executes what the model wrote',
  { timeout: 120_000 },
  async ({ files, lines }) => {
    const root = makeRepository();
    await writeAsModel(root, files);
    const allowed = lines.filter((line) => judgeLine(line, { allow, deny: [] }).is === 'allowed');
    expect(allowed).not.toEqual([]);
    const executing = allowed.filter((line) => {
      run(root, line);
      return isExecuted(root);
    });
    expect(executing).toEqual([]);
  },
);
