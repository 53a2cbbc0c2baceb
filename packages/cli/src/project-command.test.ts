import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { nearestInstalled, projectDirectory } from './project-command.ts';

function packageIn(manifest: string): { readonly start: string; readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-installed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules', 'shallot'), { recursive: true });
  const file = join(folder, 'node_modules', 'shallot', 'package.json');
  writeFileSync(file, manifest);
  return { start: join(folder, 'new'), file };
}

it('the command of a project is passed over if it belongs to another user', () => {
  const { start, file } = packageIn('{}');
  if (process.getuid?.() === 0) chownSync(file, 4321, 4321);
  const { uid } = statSync(file);
  expect(nearestInstalled('shallot', start, uid)).toMatchObject({ manifest: {} });
  expect(nearestInstalled('shallot', start, uid + 1)).toBeUndefined();
});

it('the command of a project is passed over if its manifest cannot be read', () => {
  expect(nearestInstalled('shallot', packageIn('{ "bin": ').start)).toBeUndefined();
});

it.each([
  [['run', 'Hi'], '/work'],
  [['run', '-c', 'agents/bees.yaml'], '/work/agents'],
  [['run', '--config=/etc/bees.yaml'], '/etc'],
  [['inspect', '--config'], '/work'],
  [['inspect', '--config', '--json'], '/work'],
])('the project of %j in /work is sought from %s', (args, directory) => {
  expect(projectDirectory(args, '/work')).toBe(directory);
});
