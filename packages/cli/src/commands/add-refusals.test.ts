import { describe, expect, it } from 'vitest';

import { prepared, read } from '../../test/add.ts';

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
});
