import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { env, prepared, read } from '../../test/add.ts';
import { publishPlugin, registryProject, startRegistry } from '../../test/registry.ts';

describe.each(['npm', 'pnpm'] as const)('shallot add with %s', (manager) => {
  it('installs the newest version that fits, lists it, and shows the change before', async () => {
    const registry = await startRegistry();
    publishPlugin(registry, 'shallot-plugin-tickets', '1.0.0');
    publishPlugin(registry, 'shallot-plugin-tickets', '1.2.0');
    publishPlugin(registry, 'shallot-plugin-tickets', '2.0.0', { api: '^2.0.0' });
    const project = registryProject(registry, {}, manager);
    const { status, stdout, stderr } = await project.here(['add', 'tickets'], { env });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatchInlineSnapshot(`
      "package.json  + "shallot-plugin-tickets": "^1.2.0"
      shallot.config.yaml  + tickets
      Added tickets (shallot-plugin-tickets 1.2.0).
      The agent starts.
      "
    `);
    expect(read(project, 'shallot.config.yaml')).toBe(
      '# An agent.\nmodel: ./model.mjs\nplugins:\n  - tickets\n',
    );
    expect(JSON.parse(read(project, 'package.json'))).toMatchObject({
      dependencies: { 'shallot-plugin-tickets': '^1.2.0' },
    });
    expect(await project.here(['inspect'], { env })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('plugins  tickets 1.2.0') as string,
    });
  });
});

describe('shallot add', () => {
  it('pins a version whose range would bring one that does not fit', async () => {
    const { registry, project, add } = await prepared();
    publishPlugin(registry, 'shallot-plugin-tickets', '1.1.0', { api: '^7.0.0' });
    expect(await add('tickets')).toMatchObject({ status: 0 });
    expect(JSON.parse(read(project, 'package.json'))).toMatchObject({
      dependencies: { 'shallot-plugin-tickets': '1.0.0' },
    });
  });

  it('shows the change alone with --dry-run', async () => {
    const { add, expectUnchanged } = await prepared();
    expect(await add('tickets', '--dry-run')).toMatchObject({
      status: 0,
      stdout: 'package.json  + "shallot-plugin-tickets": "^1.0.0"\nshallot.config.yaml  + tickets\n',
    });
    expectUnchanged();
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

  it('says that there is no such package', async () => {
    const { add, expectUnchanged } = await prepared();
    const { status, stderr } = await add('quux');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('PACKAGE_NOT_FOUND') as string,
    });
    expectUnchanged();
  });
});
