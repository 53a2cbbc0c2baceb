import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it, onTestFinished, vi } from 'vitest';

import { scriptedModel } from '../../testing/src/scripted-model.ts';
import { createAgent } from './create-agent.ts';
import { refuseNode } from './refuse-node.ts';

it.each(['20.20.2', '22.17.1', '23.11.0', '18.0.0'])('Node %s is refused', (version) => {
  expect(refuseNode('It', version)).toContain(version);
});

it.each(['22.18.0', '22.21.1', '24.0.0', '25.1.0', '24.0.0-nightly'])('Node %s will do', (version) => {
  expect(refuseNode('It', version)).toBeUndefined();
});

it('what is said is what the manifest demands', () => {
  const file = join(import.meta.dirname, '..', 'package.json');
  const { engines } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  expect(refuseNode('It', '20.0.0')).toContain(`(${engines.node})`);
});

it('an older Node is refused by createAgent at once', async () => {
  const versions = { ...process.versions, node: '20.20.2' };
  vi.stubGlobal('process', Object.create(process, { versions: { value: versions } }));
  onTestFinished(() => void vi.unstubAllGlobals());
  await expect(createAgent({ model: scriptedModel([]) })).rejects.toMatchObject({
    code: 'NODE_UNSUPPORTED',
    message: expect.stringContaining(
      '@shallot/core needs Node 22.18 or newer (^22.18 || >=24); this is 20.20.2.',
    ) as string,
  });
});
