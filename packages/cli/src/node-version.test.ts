import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { refuseNode } from './node-version.ts';

it.each(['20.20.2', '22.17.1', '23.11.0', '18.0.0'])('Node %s is refused', (version) => {
  expect(refuseNode(version)).toContain(version);
});

it.each(['22.18.0', '22.21.1', '24.0.0', '25.1.0', '24.0.0-nightly'])('Node %s will do', (version) => {
  expect(refuseNode(version)).toBeUndefined();
});

it('says what the package demands', () => {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  expect(manifest).toContain('"node": "^22.18 || >=24"');
  expect(refuseNode('20.0.0')).toContain('^22.18 || >=24');
});

it('is looked at before anything is imported that an old Node cannot read', () => {
  const main = readFileSync(new URL('main.ts', import.meta.url), 'utf8');
  expect(main.match(/^import .*/gm)).toEqual(["import { refuseNode } from './node-version.ts';"]);
});
