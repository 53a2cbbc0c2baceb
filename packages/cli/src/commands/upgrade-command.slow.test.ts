import { describe, expect, it } from 'vitest';

import { publishPlugin } from '../../test/registry.ts';
import { withTickets } from '../../test/upgrade.ts';

describe('shallot upgrade', () => {
  it('installs the newest version that fits, and says what is newer and why it does not fit', async () => {
    const { registry, call, read } = await withTickets();
    publishPlugin(registry, 'shallot-plugin-tickets', '1.1.0');
    publishPlugin(registry, 'shallot-plugin-tickets', '2.0.0', { api: '^2.0.0' });
    const config = read('shallot.config.yaml');
    expect(await call('upgrade')).toEqual({
      status: 0,
      stdout:
        'package.json  "shallot-plugin-tickets": 1.0.0 → ^1.1.0\nUpgraded shallot-plugin-tickets to 1.1.0.\n',
      stderr:
        'shallot-plugin-tickets 2.0.0 does not fit: it needs the plugin API ^2.0.0, and the installed core has 1.0.0.\n',
    });
    expect(read('shallot.config.yaml')).toBe(config);
    expect((await call('inspect')).stdout).toContain('tickets 1.1.0');
    expect((await call('upgrade', 'tickets')).stdout).toBe(
      'shallot-plugin-tickets 1.1.0 is the newest version that fits.\n',
    );
  });
});

describe('shallot remove', () => {
  it('takes the entry out of the config, and uninstalls the package', async () => {
    const { call, read } = await withTickets(
      '# An agent.\nmodel: ./model.mjs\nplugins:\n  # for support\n  - use: tickets\n    priority: 50\nname: x # its name\n',
    );
    expect(await call('remove', 'tickets')).toEqual({
      status: 0,
      stdout:
        'shallot.config.yaml  - tickets\npackage.json  - "shallot-plugin-tickets"\nRemoved tickets.\nThe agent starts.\n',
      stderr: '',
    });
    expect(read('shallot.config.yaml')).toBe(
      '# An agent.\nmodel: ./model.mjs\nplugins: []\nname: x # its name\n',
    );
    expect(read('package.json')).not.toContain('tickets');
    expect(await call('inspect')).toMatchObject({ status: 0 });
  });
});
