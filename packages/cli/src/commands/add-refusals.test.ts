import { describe, expect, it } from 'vitest';

import { prepared, read } from '../../test/add.ts';
import { makeProject } from '../../test/project.ts';
import { pluginModule } from '../../test/registry.ts';

describe('shallot add', () => {
  it.each([
    ['../tickets', 'is a path'],
    ['/etc/passwd', 'is a path'],
    ['https://example.com/x.tgz', 'is an address'],
    ['npm:left-pad', 'is an address'],
    ['acme/tickets', 'is not the name of a package'],
    ['Tickets', 'Did you mean "tickets"?'],
    ['tickets@latest; rm -rf x', 'is no version range'],
    ['tick\u202eets', 'is not the name of a package'],
    ['__proto__', 'is not the name of a package'],
  ])('refuses %j, and asks nobody about it', async (typed, why) => {
    const { registry, add, expectUnchanged } = await prepared();
    const { status, stderr } = await add('--', typed);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(why) as string });
    expect(registry.requests).toEqual([]);
    expectUnchanged();
  });

  it.each([
    ['cannot be parsed', 'plugins: [a\n', 'CONFIG_SYNTAX'],
    ['is not valid', 'modle: x\n', 'CONFIG_INVALID'],
  ])('installs nothing while the config %s', async (_, config, code) => {
    const { registry, project, add } = await prepared();
    project.write({ 'shallot.config.yaml': config });
    const { status, stderr } = await add('tickets');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining(`error ${code}`) as string,
    });
    expect(registry.requests).toEqual([]);
    expect(read(project, 'shallot.config.yaml')).toBe(config);
  });

  it('refuses a package that is named twice, in whatever words', async () => {
    const { add, expectUnchanged } = await prepared();
    expect(await add('tickets', 'shallot-plugin-tickets@1.0.0')).toMatchObject({
      status: 2,
      stderr: 'error PACKAGE_NAME: shallot-plugin-tickets is named twice. Write it once.\n',
    });
    expectUnchanged();
  });
});

describe('shallot remove', () => {
  it('removes once what is named twice', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: offline\nplugins:\n  - ./a.mjs\n',
      'a.mjs': pluginModule('a'),
    });
    const { status, stdout } = await project.here(['remove', '-y', './a.mjs', './a.mjs']);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: 'shallot.config.yaml  - ./a.mjs\nRemoved ./a.mjs.\nThe agent starts.\n',
    });
  });
});
