import { describe, expect, it } from 'vitest';

import { makeProject } from '../../../test/test-project.ts';
import { installCommand, installListedCommand, isPackageManager } from './install-command.ts';

describe('the command that installs packages', () => {
  it.each([
    ['package-lock.json', 'npm install a'],
    ['npm-shrinkwrap.json', 'npm install a'],
    ['pnpm-lock.yaml', 'pnpm add a'],
    ['yarn.lock', 'yarn add a'],
    ['bun.lock', 'bun add a'],
    ['bun.lockb', 'bun add a'],
  ])('follows from %s', (file, command) => {
    const project = makeProject({ [file]: '' });
    expect(installCommand('a', project.directory)).toBe(command);
  });

  it.each([
    ['"yarn@4.1.0"', 'yarn add a b'],
    ['"pnpm"', 'pnpm add a b'],
    ['"cargo@1.0.0"', 'bun add a b'],
    ['5', 'bun add a b'],
  ])('follows from the packageManager %s before a lock file', (packageManager, command) => {
    const project = makeProject({
      'package.json': `{ "packageManager": ${packageManager} }`,
      'bun.lock': '',
    });
    expect(installCommand(['a', 'b'], project.directory)).toBe(command);
  });

  it('follows from the nearest directory that says so', () => {
    const project = makeProject({
      'package.json': '{ "packageManager": "pnpm@9.0.0" }',
      'near/yarn.lock': '',
      'near/deep/package.json': '{}',
      'far/deep/package.json': '{',
    });
    expect(installCommand('a', project.path('near/deep'))).toBe('yarn add a');
    expect(installCommand('a', project.path('far/deep'))).toBe('pnpm add a');
    expect(installListedCommand(project.path('near/deep'))).toBe('yarn install');
  });

  it('is that of npm by default', () => {
    expect(installCommand('a', makeProject({}).directory)).toBe('npm install a');
  });
});

it('a package manager has one of four names', () => {
  expect(['npm', 'pnpm', 'yarn', 'bun', 'cargo', 'constructor'].filter(isPackageManager)).toEqual([
    'npm',
    'pnpm',
    'yarn',
    'bun',
  ]);
});
