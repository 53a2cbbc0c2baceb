import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { publishPlugin, registryProject, startRegistry } from '../../test/registry.ts';

/** Package managers that this machine need not have. */
const wanted = ['yarn@1.22.22', '@yarnpkg/cli-dist@4.18.1', 'bun@1.4.5'];

let folder = '';
let reason = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shallot-managers-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', ...wanted], { cwd: folder, stdio: 'pipe' });
  } catch (error) {
    // Without a network nothing of this can be tried, and the test says that it was left out.
    reason = `left out: ${String(error).split('\n', 1)[0]}`;
  }
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of a project that make a manager ask the test's registry, and the program that stands in for the manager. */
const managers = {
  'yarn 1': {
    name: 'yarn',
    program: 'yarn/bin/yarn.js',
    files: (url: string) => ({ '.yarnrc': `registry "${url}"\n`, 'yarn.lock': '# yarn lockfile v1\n' }),
  },
  'yarn 4': {
    name: 'yarn',
    program: '@yarnpkg/cli-dist/bin/yarn.js',
    files: (url: string) => ({
      '.yarnrc.yml': `npmRegistryServer: "${url}"\nunsafeHttpWhitelist: ["127.0.0.1"]\nnodeLinker: node-modules\nenableGlobalCache: false\nenableTelemetry: false\n`,
      'yarn.lock': '',
    }),
  },
  bun: {
    name: 'bun',
    program: 'bun/bin/bun.exe',
    files: (url: string) => ({
      'bunfig.toml': `[install]\nregistry = "${url}"\n`,
      '.npmrc': `registry=${url}\n`,
    }),
  },
} as const;

describe.each(Object.entries(managers))('with %s', (_, { name, program, files }) => {
  it('add, upgrade and remove do what they do with npm', { timeout: 180_000 }, async ({ skip }) => {
    if (reason !== '') skip(reason);
    const registry = await startRegistry();
    publishPlugin(registry, 'shallot-plugin-tickets', '1.0.0');
    const project = registryProject(registry);
    for (const path of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc']) {
      rmSync(join(project.folder, path));
    }
    project.write({
      ...files(registry.url),
      'package.json': JSON.stringify({
        name: 'p',
        private: true,
        license: 'MIT',
        type: 'module',
        packageManager: `${name}@1.0.0`,
      }),
    });
    const bin = join(project.folder, 'bin');
    mkdirSync(bin);
    symlinkSync(join(folder, 'node_modules', program), join(bin, name));
    const env = {
      PATH: [bin, process.env['PATH']].join(delimiter),
      HOME: project.folder,
      YARN_IGNORE_PATH: '1',
    };
    const call = (...args: readonly string[]) => project.run(args, { env });
    const listed = (): unknown =>
      (JSON.parse(readFileSync(join(project.folder, 'package.json'), 'utf8')) as { dependencies?: unknown })
        .dependencies;

    expect(await call('add', 'tickets')).toMatchObject({ status: 0, stderr: '' });
    expect(listed()).toEqual({ 'shallot-plugin-tickets': '^1.0.0' });
    publishPlugin(registry, 'shallot-plugin-tickets', '1.1.0');
    publishPlugin(registry, 'shallot-plugin-tickets', '1.2.0', { api: '^2.0.0' });
    expect(await call('upgrade')).toMatchObject({ status: 0 });
    expect(listed()).toEqual({ 'shallot-plugin-tickets': '1.1.0' });
    expect((await call('inspect')).stdout).toContain('tickets 1.1.0');
    expect(await call('remove', 'tickets')).toMatchObject({ status: 0 });
    expect(listed() ?? {}).toEqual({});
  });
});
