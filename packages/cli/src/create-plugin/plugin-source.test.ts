import { isInRange } from '@shallot/core/command';
import { pluginApi } from '@shallot/core/plugin';
import { expect, it } from 'vitest';

import { embedded, makeProject } from '../../test/project.ts';
import { oldestApi } from './plugin-source.ts';

it('a new plugin asks for the oldest plugin API that its sources need, which this core has', async () => {
  expect(isInRange(pluginApi, `^${oldestApi}`)).toBe(true);
  const { folder } = makeProject({});
  await embedded(['create-plugin', 'greeter', '--yes'], { cwd: folder });
  const { default: manifest } = (await import(`${folder}/shallot-plugin-greeter/package.json`, {
    with: { type: 'json' },
  })) as { readonly default: unknown };
  expect(manifest).toMatchObject({
    shallot: { plugin: 'greeter', api: `^${oldestApi}`, entry: { options: { level: 'info' } } },
  });
});
