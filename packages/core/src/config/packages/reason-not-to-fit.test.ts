import { describe, expect, it } from 'vitest';

import { reasonForPeer, reasonNotToFit } from './reason-not-to-fit.ts';

const versions = { pluginApis: ['1.0.0', '1.2.0'], core: '2.1.0' };

function manifest(shallot: unknown, peer?: unknown): object {
  return { shallot, peerDependencies: { '@shallot/core': peer } };
}

const tooNew = 'it needs the plugin API ^1.1.0, and the installed core has 1.0.0';
const noRange = 'which is not a version range';

describe('a version of a package', () => {
  it.each<[string, unknown]>([
    ['supports the plugin API of every copy of the core', manifest({ plugin: 'a', api: '^1.0.0' }, '^2.0.0')],
    ['declares no plugin API', manifest({ plugin: 'a' })],
    ['has no peers', { shallot: { plugin: 'a', api: '*' } }],
    ['has peers that are no object', { shallot: { plugin: 'a' }, peerDependencies: '^1.0.0' }],
  ])('fits if it %s', (_, fitting) => {
    expect(reasonNotToFit(fitting, versions)).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ['has no package.json', undefined, 'the registry has no package.json of it'],
    ['declares nothing', {}, 'it is not a plugin: its package.json has no "shallot": { "plugin": … }'],
    ['names no plugin', manifest({ api: '^1.0.0' }), 'it is not a plugin'],
    ['supports a later plugin API than one of the copies', manifest({ plugin: 'a', api: '^1.1.0' }), tooNew],
    [
      'declares a plugin API that is no range',
      manifest({ plugin: 'a', api: 'new' }),
      `its "shallot.api" is "new", ${noRange}`,
    ],
    ['declares a number', manifest({ plugin: 'a', api: 1 }), `its "shallot.api" is 1, ${noRange}`],
    [
      'needs another core',
      manifest({ plugin: 'a', api: '^1.0.0' }, '^1.0.0'),
      'it needs @shallot/core ^1.0.0, and 2.1.0 is installed',
    ],
  ])('does not fit if it %s', (_, unfit, reason) => {
    expect(reasonNotToFit(unfit, versions)).toContain(reason);
  });
});

describe('a peer', () => {
  it('may be a prerelease of the core inside the range', () => {
    expect(reasonForPeer(manifest({}, '>=1.0.0'), '2.0.0-rc.1')).toBeUndefined();
  });

  it.each<[string, unknown, string | undefined]>([
    ['the project has no core', manifest({}, '^1.0.0'), undefined],
    ['its range is no string', manifest({}, 1), '2.0.0'],
    ['its range cannot be read', manifest({}, 'workspace:*'), '2.0.0'],
    ['there is no package.json', undefined, '2.0.0'],
  ])('is not judged if %s', (_, given, core) => {
    expect(reasonForPeer(given, core)).toBeUndefined();
  });
});
