import { expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { createAgent } from '../../create-agent.ts';
import { definePlugin } from '../define-plugin.ts';
import { pluginStatusKey } from './plugin-status.ts';

it('agent.plugins has the lines that a plugin reports, as they are now', async () => {
  const lines = ['a  up'];
  const servers = definePlugin({
    name: 'servers',
    setup: ({ id, provide }) => provide(pluginStatusKey(id), { lines: () => lines }),
  })();
  const other = definePlugin({ name: 'other', beforeAgent: () => {} })();
  await using agent = await createAgent({ model: scriptedModel([]), plugins: [servers, other] });
  expect(agent.plugins.map(({ status }) => status)).toEqual([['a  up'], undefined]);
  lines[0] = 'a  down';
  expect(agent.plugins[0]?.status).toEqual(['a  down']);
});

it('a status that throws is one line with the reason', async () => {
  const broken = definePlugin({
    name: 'broken',
    setup: ({ id, provide }) =>
      provide(pluginStatusKey(id), {
        lines: () => {
          throw new Error('no status');
        },
      }),
  })();
  await using agent = await createAgent({ model: scriptedModel([]), plugins: [broken] });
  expect(agent.plugins[0]?.status).toEqual(['The status of the plugin could not be read: no status']);
});
