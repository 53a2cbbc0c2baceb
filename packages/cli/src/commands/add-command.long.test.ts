import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import { env, prepared, read } from '../../test/add.ts';
import { pluginModule, publishPlugin, type PluginToPublish, type TestRegistry } from '../../test/registry.ts';

// Package managers start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

describe('shallot add', () => {
  it('takes a range of versions, full names, and several plugins', async () => {
    const { registry, project, add } = await prepared();
    publishPlugin(registry, 'shallot-plugin-tickets', '1.1.0');
    publishPlugin(registry, '@acme/shallot-plugin-audit', '3.0.0');
    expect(await add('tickets@1.0.0', '@acme/audit')).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(read(project, 'package.json'))).toMatchObject({
      dependencies: { 'shallot-plugin-tickets': '1.0.0', '@acme/shallot-plugin-audit': '^3.0.0' },
    });
    expect(read(project, 'shallot.config.yaml')).toContain('plugins:\n  - tickets\n  - "@acme/audit"\n');
    expect(await project.here(['inspect'], { env })).toMatchObject({ status: 0 });
  });

  it('lists what is installed, and has nothing to do when it is listed', async () => {
    const { registry, project, add } = await prepared();
    await add('tickets');
    const listed = read(project, 'shallot.config.yaml');
    expect((await add('tickets')).stdout).toMatch(/^Nothing to add/);
    project.write({ 'shallot.config.yaml': '# An agent.\nmodel: ./model.mjs\n' });
    registry.answer = (_, response) => Boolean(response.writeHead(500).end());
    expect(await add('tickets')).toMatchObject({ status: 0 });
    expect(read(project, 'shallot.config.yaml')).toBe(listed);
  });

  it('keeps the schema in step that the project has', async () => {
    const { project, add } = await prepared();
    await project.here(['schema'], { env });
    expect(read(project, '.shallot/config.schema.json')).not.toContain('tickets');
    await add('tickets');
    expect(read(project, '.shallot/config.schema.json')).toContain('"shallot-plugin-tickets"');
    await project.here(['remove', 'tickets'], { env });
    expect(read(project, '.shallot/config.schema.json')).not.toContain('tickets');
  });

  it.each<[string, string, PluginToPublish, string, number]>([
    ['of another plugin API', 'PACKAGE_INCOMPATIBLE', { api: '^2.0.0' }, 'it needs the plugin API ^2.0.0', 2],
    [
      'without a manifest',
      'PACKAGE_INCOMPATIBLE',
      { manifest: { shallot: undefined } },
      'it is not a plugin',
      2,
    ],
    ['with a range that is none', 'PACKAGE_INCOMPATIBLE', { api: 'soon' }, 'which is not a version range', 2],
    [
      'that throws when it is imported',
      'MODULE_FAILED',
      { module: 'throw new Error("no tea");' },
      'no tea',
      1,
    ],
    ['that contradicts its manifest', 'PLUGIN_INVALID', { module: pluginModule('other') }, 'contradicts', 1],
    ['that is no plugin', 'MODULE_INVALID', { module: 'export const x = 1;' }, 'not a plugin', 1],
    ['that ends the process', 'UNCAUGHT', { module: 'process.exit(0);' }, 'process.exit', 1],
  ])('leaves all as it was for a package %s', async (_, code, broken, why, expected) => {
    const { registry, project, expectUnchanged } = await prepared();
    publishPlugin(registry, 'shallot-plugin-broken', '1.0.0', broken);
    const { status, stderr } = await project.run(['add', 'broken']);
    expect({ status, stderr }).toEqual({ status: expected, stderr: expect.stringContaining(why) as string });
    expect(stderr).toContain(`error ${code}`);
    expectUnchanged();
  });

  it.each<[string, NonNullable<TestRegistry['answer']>, string]>([
    ['is down', (_, { socket }) => Boolean(socket?.destroy()), 'could not ask the registry'],
    [
      'has a fault',
      (_, response) => Boolean(response.writeHead(500).end('{}')),
      'could not ask the registry',
    ],
    ['answers junk', (_, response) => Boolean(response.writeHead(200).end('<html>Welcome')), 'registry'],
    ['never answers', () => true, 'did not end within 1 s'],
  ])('leaves all as it was when the registry %s', async (_, answer, why) => {
    const { registry, add, expectUnchanged } = await prepared();
    registry.answer = answer;
    const { status, stderr } = await add('tickets', '--timeout', '1');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(why) as string });
    expect(stderr).toMatch(/^error REGISTRY_FAILED: /);
    expectUnchanged();
  });

  it('leaves all as it was when the install fails, and says why', async () => {
    const { registry, add, expectUnchanged } = await prepared();
    registry.answer = (path, response) => path.endsWith('.tgz') && Boolean(response.writeHead(503).end());
    const { status, stderr } = await add('tickets', '--timeout', '60');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('503') as string });
    expect(stderr).toMatch(/^error INSTALL_FAILED: /);
    expectUnchanged();
  });

  it('pins a version whose range would bring one that does not fit', async () => {
    const { registry, project, add } = await prepared();
    publishPlugin(registry, 'shallot-plugin-tickets', '1.1.0', { api: '^7.0.0' });
    expect(await add('tickets')).toMatchObject({ status: 0 });
    expect(JSON.parse(read(project, 'package.json'))).toMatchObject({
      dependencies: { 'shallot-plugin-tickets': '1.0.0' },
    });
  });

  it('gives the lines to paste for a config that is code', async () => {
    const { project, add } = await prepared();
    const code = "export default { model: './model.mjs' };\n";
    rmSync(join(project.folder, 'shallot.config.yaml'));
    project.write({ 'shallot.config.mjs': code });
    const { status, stdout } = await add('tickets');
    expect(status).toBe(2);
    expect(stdout).toMatch(/^ {2}\{ use: 'tickets' \},\n$/m);
    expect(read(project, 'shallot.config.mjs')).toBe(code);
    expect((await add('tickets')).status).toBe(2);
    project.write({ 'shallot.config.mjs': code.replace(' }', ", plugins: [{ use: 'tickets' }] }") });
    expect(await project.run(['add', 'tickets'], { env })).toMatchObject({ status: 0 });
  });

  it('refuses a name that is nearly a known one, unless it is confirmed', async () => {
    const { registry, add, expectUnchanged } = await prepared();
    publishPlugin(registry, 'shallot-plugin-memmory', '1.0.0');
    const { status, stderr } = await add('memmory');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('"memmory" is nearly "memory" (@shallot/plugin-memory)') as string,
    });
    expect(registry.requests).toEqual([]);
    expectUnchanged();
    expect(await add('memmory', '--exact-name')).toMatchObject({ status: 0 });
  });
});
