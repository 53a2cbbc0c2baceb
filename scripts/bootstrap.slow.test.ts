import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shallot-bootstrap-'));
  write('package.json', JSON.stringify({ name: 'all', type: 'module', packageManager: 'pnpm@1.2.3' }));
  write('pnpm-lock.yaml', 'lockfileVersion: 9');
  write('packages/core/package.json', '{}');
  write('pnpm-workspace.yaml', 'nodeVersion: 24.0.0\n');
  for (const name of ['quickstart', 'other']) {
    write(`examples/${name}/package.json`, JSON.stringify({ name, type: 'module' }));
    write(
      `examples/${name}/start.ts`,
      'console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 3;',
    );
  }
  mkdirSync(join(folder, 'scripts'));
  cpSync(join(import.meta.dirname, 'bootstrap.js'), join(folder, 'scripts', 'bootstrap.js'));
  fakeProgram(
    'npx',
    // A selection has no Node of its own.
    `echo "$@" >> npx.log; mkdir -p node_modules/node/bin; case "$*" in *--prod*) ;; *) ln -sf "${process.execPath}" node_modules/node/bin/node; esac`,
  );
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('npm start', () => {
  test('installs with the pinned pnpm and the lockfile, once', () => {
    expect(start().stderr).toContain('Installing dependencies with pnpm@1.2.3');
    expect(start().stderr).toBe('');
    expect(installs()).toEqual([
      expect.stringMatching(
        /^-y https?:\S+\/pnpm\/-\/pnpm-1\.2\.3\.tgz install --no-frozen-lockfile --prefer-frozen-lockfile .*--prod --filter-prod quickstart\.\.\. --filter-prod all$/,
      ),
    ]);
  });

  test('installs for each example what it needs, and nothing once the tests have it all', () => {
    start();
    expect(bootstrapIn('examples/other', ['example']).stderr).toContain('Installing');
    bootstrap('test');
    expect(installs()).toHaveLength(3);
    expect(installs()[2]).not.toContain('--prod');
    expect(installs()[2]).toContain('install --frozen-lockfile ');
    expect(start().stderr).toBe('');
    expect(bootstrapIn('examples/other', ['example', 'hi'])).toMatchObject({
      stderr: '',
      stdout: '["hi"]\n',
    });
  });

  test('installs again when a manifest or the lockfile has changed', () => {
    start();
    write('packages/core/package.json', '{ "version": "2.0.0" }');
    start();
    write('pnpm-lock.yaml', 'lockfileVersion: 10');
    start();
    expect(installs()).toHaveLength(3);
  });

  test('passes arguments on as they were typed, and the exit status back', () => {
    const args = ['what "is" this?', "it's", '--json', '-x', '$HOME', '*', ''];
    const { stdout, status } = start(...args);
    expect(JSON.parse(stdout)).toEqual(args);
    expect(status).toBe(3);
  });

  test('fetches the pinned Node once where the machine has an older one', () => {
    // Its package, with this Node as the program.
    write('package/bin/node', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
    chmodSync(join(folder, 'package/bin/node'), 0o755);
    fakeProgram(
      'npm',
      `echo "$@" >> ${folder}/npm.log; tar -czf "$(echo "$2" | tr @ -).tgz" -C ${folder} package`,
    );
    const older = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })`;
    const env = { NODE_OPTIONS: `--import "${older}"` };
    const first = bootstrapIn('.', ['start', 'hi'], env);
    expect(first).toMatchObject({ stdout: '["hi"]\n', status: 3 });
    expect(first.stderr).toContain('Fetching Node 24.0.0');
    expect(bootstrapIn('.', ['start', 'hi'], env)).toMatchObject({ stdout: '["hi"]\n', stderr: '' });
    expect(readFileSync(join(folder, 'npm.log'), 'utf8')).toMatch(/^pack node\S*@24\.0\.0\n$/);
    expect(readdirSync(join(folder, 'node_modules', '.cache'))).toContain('node-24.0.0');
    expect(readdirSync(join(folder, 'node_modules', '.cache')).join()).not.toContain('unpacking');
    const { stdout } = spawnSync(join(folder, 'node_modules', '.bin', 'node'), ['-p', '6 * 7'], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('42\n');
  });

  test('says why an install failed, and runs nothing', () => {
    fakeProgram('npx', 'echo "request to https://registry failed: getaddrinfo ENOTFOUND registry"; exit 4');
    const { stdout, stderr, status } = start();
    expect(stderr).toContain('The package registry could not be reached.');
    expect(stdout).toBe('');
    expect(status).toBe(4);
  });
});

test('an unknown command is refused with those that there are', () => {
  const { stderr, status } = bootstrap('stop');
  expect(stderr.trim()).toBe('Usage: node scripts/bootstrap.js <start|example|test> […arguments]');
  expect(status).toBe(1);
});

function start(...args: string[]): SpawnSyncReturns<string> {
  return bootstrap('start', ...args);
}

function bootstrap(...args: string[]): SpawnSyncReturns<string> {
  return bootstrapIn('.', args);
}

function bootstrapIn(
  place: string,
  args: string[],
  env: Record<string, string> = {},
): SpawnSyncReturns<string> {
  const PATH = [join(folder, 'bin'), process.env.PATH].join(delimiter);
  const script = join(folder, 'scripts', 'bootstrap.js');
  const cwd = join(folder, place);
  return spawnSync(process.execPath, [script, ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH, ...env },
  });
}

function installs(): string[] {
  return readFileSync(join(folder, 'npx.log'), 'utf8').trim().split('\n');
}

function fakeProgram(name: string, script: string): void {
  write(`bin/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'bin', name), 0o755);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}
