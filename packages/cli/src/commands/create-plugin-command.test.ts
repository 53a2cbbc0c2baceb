import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { pluginApi } from '@shallot/core/plugin';
import { describe, expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';

const hooks = ['beforeAgent', 'beforeModel', 'wrapModelCall', 'afterModel', 'wrapToolCall', 'afterAgent'];

describe('shallot create-plugin', () => {
  it('writes stubs for the chosen hooks only', async () => {
    const project = makeProject({});
    await project.here(['create-plugin', 'tickets', '--hook', 'afterModel']);
    const source = readFileSync(join(project.folder, 'shallot-plugin-tickets/src/tickets.ts'), 'utf8');
    expect(hooks.filter((hook) => source.includes(`hooks.${hook}.`))).toEqual(['afterModel']);
    expect(source).not.toContain('state');
  });

  it('describes the package in one place: name, peer, bounded range, what is packed', async () => {
    const project = makeProject({});
    await project.here(['create-plugin', 'tickets', '--manager', 'pnpm', '--directory', 'mine']);
    expect(readdirSync(join(project.folder, 'mine')).toSorted()).toEqual([
      '.changeset',
      '.github',
      '.gitignore',
      'LICENSE',
      'README.md',
      'package.json',
      'pnpm-workspace.yaml',
      'src',
      'tsconfig.json',
    ]);
    const manifest: unknown = JSON.parse(readFileSync(join(project.folder, 'mine/package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      name: 'shallot-plugin-tickets',
      version: '0.1.0',
      keywords: ['shallot', 'shallot-plugin'],
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
      files: ['dist'],
      peerDependencies: { '@shallot/core': expect.stringMatching(/^>=\d/) as unknown },
      shallot: { plugin: 'tickets', api: `^${pluginApi}` },
    });
  });

  it('writes a README whose tables are aligned', async () => {
    const project = makeProject({});
    await project.here(['create-plugin', 'tickets', '--hook', 'afterModel', 'wrapToolCall']);
    const text = readFileSync(join(project.folder, 'shallot-plugin-tickets/README.md'), 'utf8');
    const tables = Array.from(text.matchAll(/(?:^\|.*\n)+/gm), ([table]) => table.trimEnd().split('\n'));
    expect(tables.map((rows) => rows.length)).toEqual([3, 4]);
    for (const [head = '', ...rows] of tables)
      expect(rows.map((row) => row.length)).toEqual(rows.map(() => head.length));
  });

  it('refuses a directory that is a file, or below one, in its own words', async () => {
    const project = makeProject({ mine: '' });
    const there = await project.here(['create-plugin', 'tickets', '--directory', 'mine']);
    expect(there).toMatchObject({
      status: 2,
      stderr:
        'error USAGE_INVALID: mine is not a folder; nothing is overwritten. Name another folder with --directory.\n',
    });
    const below = await project.here(['create-plugin', 'tickets', '--directory', 'mine/tickets']);
    expect(below).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /ENOTDIR: .* 'mine\/tickets\.creating-\d+'\. Check what is there/,
      ) as unknown,
    });
  });

  it.each([
    ['Tickets', 'lower-case letters'],
    ['../tickets', 'is not the name of a plugin'],
    ['--tickets', 'unknown option'],
    ['core', 'reserved for the core'],
    ['memory', 'Shallot has a plugin "memory" of its own'],
    ['shallot-plugin-memory', 'Shallot has a plugin "memory" of its own'],
    ['@acme/a/b', 'is not the name of a plugin'],
  ])('refuses the name %s', async (name, why) => {
    const project = makeProject({});
    const { status, stderr } = await project.here(['create-plugin', name]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(why) as unknown });
    expect(readdirSync(project.folder).toSorted()).toEqual(['node_modules', 'package.json']);
  });

  it.each([
    [['--hook', 'wrapToolcall'], 'did you mean wrapToolCall?'],
    [['--manager', 'yarn'], 'write npm or pnpm'],
  ])('refuses %j', async (args, why) => {
    const { status, stderr } = await makeProject({}).here(['create-plugin', 'tickets', ...args]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(why) as unknown });
  });

  it('overwrites nothing, and writes nothing when it is only to show', async () => {
    const project = makeProject({ 'shallot-plugin-tickets/notes.md': 'mine' });
    const { status, stderr } = await project.here(['create-plugin', 'tickets']);
    expect(status).toBe(2);
    expect(stderr).toContain('is not empty (notes.md); nothing is overwritten');
    const shown = await project.here(['create-plugin', 'other', '--dry-run']);
    expect(shown.stdout).toContain('shallot-plugin-other/package.json (new)');
    expect(existsSync(join(project.folder, 'shallot-plugin-other'))).toBe(false);
  });

  it('writes into a folder that is a repository already', async () => {
    const project = makeProject({ '.keep': '' });
    project.write({ 'repo/.git/HEAD': 'ref: refs/heads/main\n' });
    expect(await project.here(['create-plugin', 'tickets', '--directory', 'repo'])).toMatchObject({
      status: 0,
    });
    expect(existsSync(join(project.folder, 'repo/src/tickets.ts'))).toBe(true);
  });

  it('asks on a terminal which hooks, and whether it remembers anything', async () => {
    const project = makeProject({});
    const screen = project.onTerminal(['create-plugin', 'tickets']);
    await screen.seen('Which hooks?');
    screen.type(' \r');
    await screen.seen('remember anything');
    screen.type('j\r');
    await screen.seen('Try it:');
    expect((await screen.ended).status).toBe(0);
    const source = readFileSync(join(project.folder, 'shallot-plugin-tickets/src/tickets.ts'), 'utf8');
    expect(source).toMatch(/const seen = state[^]*hooks\.beforeAgent\.tap/);
  });

  it.each([
    ['new', 'newPlugin'],
    ['3d-view', 'plugin3dView'],
    ['a--b', 'aB'],
    ['manifest', 'manifestPlugin'],
  ])('names the variable of %s so that it is one', async (name, variable) => {
    const project = makeProject({});
    await project.here(['create-plugin', name, '--hook', 'beforeAgent']);
    const source = readFileSync(join(project.folder, `shallot-plugin-${name}/src/${name}.ts`), 'utf8');
    expect(source).toContain(`export const ${variable} = definePlugin({`);
  });
});
