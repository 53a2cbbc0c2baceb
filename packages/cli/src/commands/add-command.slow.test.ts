import { describe, expect, it } from 'vitest';

import { env, prepared, read } from '../../test/add.ts';
import { publishMail } from '../../test/mail.ts';
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
  it('shows the change alone with --dry-run', async () => {
    const { add, expectUnchanged } = await prepared();
    expect(await add('tickets', '--dry-run')).toMatchObject({
      status: 0,
      stdout: 'package.json  + "shallot-plugin-tickets": "^1.0.0"\nshallot.config.yaml  + tickets\n',
    });
    expectUnchanged();
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

  it('writes the entry that a package proposes when its plugin is trusted, and the agent starts with it', async () => {
    const { registry, project, add } = await prepared();
    publishMail(registry);
    expect(await add('mail', '--trust', 'mail')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /shallot.config.yaml {2}\+ \{ use: mail, options: \{ url: https:\/\/a.example, tags: \[ x, y \] \} \}\n.*The agent starts\.\n$/s,
      ) as string,
    });
    expect(read(project, 'shallot.config.yaml')).toBe(
      '# An agent.\nmodel: ./model.mjs\nplugins:\n  - use: mail\n    options:\n      url: https://a.example\n      tags: [x, y]\n',
    );
    expect(await project.here(['doctor'], { env })).toMatchObject({ status: 0 });
  });
});
