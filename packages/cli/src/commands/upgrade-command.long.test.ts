import { describe, expect, it } from 'vitest';

import { pluginModule, publishPlugin } from '../../test/registry.ts';
import { withTickets } from '../../test/upgrade.ts';

describe('shallot upgrade', () => {
  it('takes a version, also an older one, and stays with it', async () => {
    const { registry, call, read } = await withTickets();
    publishPlugin(registry, 'shallot-plugin-tickets', '1.1.0');
    await call('upgrade');
    expect(await call('upgrade', 'tickets@1.0.0')).toMatchObject({ status: 0 });
    expect(JSON.parse(read('package.json'))).toMatchObject({
      dependencies: { 'shallot-plugin-tickets': '1.0.0' },
    });
    expect((await call('inspect')).stdout).toContain('tickets 1.0.0');
  });

  it('raises the command too, to the newest that accepts the installed core', async () => {
    const { registry, project, call, read } = await withTickets();
    const publish = (version: string, core: string): void =>
      registry.publish({
        name: 'shallot',
        version,
        peerDependencies: { '@shallot/core': core },
        // This registry has no core.
        peerDependenciesMeta: { '@shallot/core': { optional: true } },
      });
    for (const version of ['0.0.1', '0.0.2']) publish(version, '>=0.0.1');
    publish('9.0.0', '>=9.0.0');
    project.write({
      'package.json': read('package.json').replace(
        '"dependencies": {',
        '"dependencies": {\n    "shallot": "0.0.1",',
      ),
    });
    const manifest = JSON.stringify({ name: 'shallot', version: '0.0.1' });
    project.write({ 'node_modules/shallot/package.json': manifest });
    publishPlugin(registry, 'shallot-plugin-tickets', '1.1.0');
    const { status, stdout, stderr } = await call('upgrade');
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(
        /^shallot 9\.0\.0 does not fit: it needs @shallot\/core >=9\.0\.0/,
      ) as string,
    });
    expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
      'Upgraded shallot-plugin-tickets to 1.1.0.',
      'Upgraded shallot to 0.0.2.',
    ]);
    expect(JSON.parse(read('package.json'))).toMatchObject({ dependencies: { shallot: '^0.0.2' } });
    expect((await call('upgrade', 'shallot')).stdout).toBe(
      'shallot 0.0.2 is the newest version that fits.\n',
    );
  });

  it('refuses a version that does not fit, and one that cannot be imported', async () => {
    const { registry, call, all } = await withTickets();
    publishPlugin(registry, 'shallot-plugin-tickets', '2.0.0', { api: '^2.0.0' });
    const before = all();
    expect(await call('upgrade', 'tickets@2.0.0')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^error PACKAGE_INCOMPATIBLE .*\n.*2\.0\.0: it needs the plugin API/,
      ) as string,
    });
    publishPlugin(registry, 'shallot-plugin-tickets', '1.2.0', { module: pluginModule('other') });
    expect(await call('upgrade')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('PLUGIN_INVALID') as string,
    });
    expect(all()).toEqual(before);
  });

  it('says which plugin is not there', async () => {
    const { call } = await withTickets();
    expect(await call('upgrade', 'tikets')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Did you mean "tickets"?') as string,
    });
  });
});

describe('shallot remove', () => {
  it('keeps the package while another entry uses it', async () => {
    const entries = 'plugins:\n  - use: tickets\n    id: eu\n  - use: tickets\n    id: us\n';
    const { call, read } = await withTickets(`model: ./model.mjs\n${entries}`);
    expect(await call('remove', 'eu')).toMatchObject({ status: 0 });
    expect(read('shallot.config.yaml')).toBe('model: ./model.mjs\nplugins:\n  - use: tickets\n    id: us\n');
    expect(read('package.json')).toContain('shallot-plugin-tickets');
  });

  it('takes the path of a local plugin', async () => {
    const { call, project, read } = await withTickets('model: ./model.mjs\nplugins: [./p.mjs, tickets]\n');
    project.write({ 'p.mjs': pluginModule('local') });
    expect(await call('remove', './p.mjs')).toMatchObject({ status: 0, stderr: '' });
    expect(read('shallot.config.yaml')).toBe('model: ./model.mjs\nplugins: [tickets]\n');
  });

  it('reports an agent that does not start without the plugin, with status 2', async () => {
    const { call, project, read } = await withTickets('model: ./model.mjs\nplugins: [tickets, ./p.mjs]\n');
    project.write({ 'p.mjs': `import 'shallot-plugin-tickets';\n${pluginModule('needy')}` });
    expect(await call('remove', 'tickets')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^The agent does not start without what was removed, .*\nerror MODULE_FAILED \[.\/p.mjs\] p.mjs:1:8: /,
      ) as string,
    });
    expect(read('shallot.config.yaml')).toBe('model: ./model.mjs\nplugins: [./p.mjs]\n');
  });

  it('refuses to uninstall what a config in code still names', async () => {
    const { call, project, all } = await withTickets();
    project.write({
      'code/shallot.config.mjs': "export default { model: '../model.mjs', plugins: ['tickets'] };\n",
    });
    const before = all();
    expect(await call('remove', 'tickets', '--config', 'code/shallot.config.mjs')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^error PACKAGE_NAME \[tickets\] code\/shallot\.config\.mjs:1:\d+: /,
      ) as string,
    });
    expect(all()).toEqual(before);
  });

  it('changes nothing for a plugin that is not there', async () => {
    const { call, all } = await withTickets();
    const before = all();
    expect(await call('remove', 'tikets')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Did you mean "tickets"?') as string,
    });
    expect(all()).toEqual(before);
  });
});
