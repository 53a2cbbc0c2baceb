import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import manifest from '../package.json' with { type: 'json' };
import { refuseNode } from './refuse-node.ts';

it.each(['18.20.4', '20.19.0', '22.17.1', '23.11.0'])(
  'refuses Node %s, and says what to install',
  (version) => {
    expect(refuseNode(version)).toContain(`(${manifest.engines.node}); this is ${version}. Install`);
  },
);

it.each(['22.18.0', '22.22.0', '24.0.0', '25.1.0'])('takes Node %s', (version) => {
  expect(refuseNode(version)).toBeUndefined();
});

it('comes before anything that an older Node cannot load', () => {
  const main = readFileSync(join(import.meta.dirname, 'main.ts'), 'utf8');
  expect(main.indexOf('refuseNode(')).toBeLessThan(main.indexOf('import('));
});
