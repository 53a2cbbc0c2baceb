import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { commandApi } from '@shallot/core/command';
import { pluginApi } from '@shallot/core/plugin';
import { beforeEach, expect, it, onTestFinished } from 'vitest';

import manifest from '../package.json' with { type: 'json' };

const own = fileURLToPath(new URL('..', import.meta.url));
const { version } = manifest;
let folder = '';

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-command-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function run(command: string, args: readonly string[], cwd = folder) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const main = join(own, 'src', 'main.ts');

/** A core that exports nothing but these two numbers. */
function core(
  at: string,
  { version, command, plugin }: { version: string; command?: number; plugin?: string },
) {
  const exports = {
    './package.json': './package.json',
    './plugin': './plugin.js',
    ...(command !== undefined && { './command': './command.js' }),
  };
  write({
    [`${at}/package.json`]: JSON.stringify({ name: '@shallot/core', version, type: 'module', exports }),
    [`${at}/plugin.js`]: `export const pluginApi = '${plugin ?? pluginApi}';`,
    [`${at}/command.js`]: `export const commandApi = ${String(command)};`,
  });
}

/** This command, as it would be installed with another core. */
function copyCommand(): string {
  const copy = join(folder, 'command');
  cpSync(join(own, 'src'), join(copy, 'src'), { recursive: true });
  cpSync(join(own, 'package.json'), join(copy, 'package.json'));
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(join(own, 'node_modules'))) {
    if (!name.startsWith('.') && name !== '@shallot') {
      symlinkSync(realpathSync(join(own, 'node_modules', name)), join(copy, 'node_modules', name));
    }
  }
  return join(copy, 'src', 'main.ts');
}

it.each([
  ['in the working directory', ['run', 'Hi'], '.'],
  ['above it', ['--version'], 'below'],
  ['beside the config that is named', ['run', '--config', 'below/../shallot.config.yaml', 'Hi'], '..'],
])('runs the command of the project: %s', (_, args, cwd) => {
  write({
    'project/node_modules/shallot/package.json': '{ "type": "module", "bin": { "shallot": "./cli.js" } }',
    'project/node_modules/shallot/cli.js': `console.log('the project\\'s own', process.argv.slice(2).join(' '));`,
    'project/below/empty': '',
  });
  const named = args.map((arg) => (arg.startsWith('below') ? `project/${arg}` : arg));
  expect(run(main, named, join(folder, 'project', cwd))).toEqual({
    status: 0,
    stdout: `the project's own ${named.join(' ')}\n`,
    stderr: '',
  });
});

it('runs itself where the command of the project is this one', () => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(own, join(folder, 'node_modules', 'shallot'), 'dir');
  expect(run(main, ['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it.each([
  ['newer', commandApi + 1, `has ${commandApi + 1}. Run: npm install shallot@latest`],
  ['older', commandApi - 1, `has ${commandApi - 1}. Run: npm install @shallot/core@latest`],
  ['without the entry', undefined, 'has none. Run: npm install @shallot/core@latest'],
])('ends before anything with a core that does not fit: one %s', (_, command, end) => {
  const copy = copyCommand();
  core('node_modules/@shallot/core', { version: '0.9.0', ...(command !== undefined && { command }) });
  write({ 'shallot.config.js': `console.log('ran');` });
  const { status, stdout, stderr } = run(copy, ['run', 'Hi']);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toBe(
    `error shallot ${version} (${join(folder, 'command')}) needs version ${commandApi} of the core's command API, but ` +
      `@shallot/core 0.9.0 (${join(folder, 'node_modules/@shallot/core')}) ${end}\n`,
  );
});

it('ends before anything where the project has a core with a newer plugin API', () => {
  core('node_modules/@shallot/core', { version: '0.9.0', command: commandApi, plugin: '1.9.0' });
  write({ 'pnpm-lock.yaml': '', 'shallot.config.js': `console.log('ran');` });
  const { status, stdout, stderr } = run(main, ['run', 'Hi']);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toBe(
    `error shallot ${version} (${realpathSync(own)}) has a core of its own, @shallot/core ${version} (${realpathSync(join(own, '../core'))}), with version ${pluginApi} of the plugin API. ` +
      `The project has @shallot/core 0.9.0 (${join(folder, 'node_modules/@shallot/core')}), with 1.9.0. Run: pnpm add shallot@latest\n`,
  );
});

it('goes on beside a core of the project whose plugins it can run', () => {
  core('node_modules/@shallot/core', { version: '0.0.9', plugin: pluginApi });
  expect(run(main, ['run', 'Hi']).stderr).toContain('CONFIG_NOT_FOUND');
});
