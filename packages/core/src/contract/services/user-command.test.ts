import { expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { createAgent } from '../../create-agent.ts';
import { definePlugin } from '../define-plugin.ts';
import { userCommandsKey } from './user-command.ts';

const commands = (name: string, ...names: readonly string[]) =>
  definePlugin({
    name,
    setup({ id, provide }) {
      provide(userCommandsKey(id), {
        list: async () =>
          names.map((each) => ({
            name: each,
            kind: 'note',
            about: `Notes ${each}.`,
            input: (text) => `${each}: ${text}`,
          })),
      });
    },
  })();

it('What people can call by name is listed with the plugins that bring it, and gone with them', async () => {
  const agent = await createAgent({
    model: scriptedModel([{ text: 'Noted.' }]),
    plugins: [commands('one', 'a', 'b'), commands('two', 'c')],
  });
  const listed = await agent.commands();
  expect(listed.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  await agent.remove('one');
  expect((await agent.commands()).map(({ name }) => name)).toEqual(['c']);
  const [command] = await agent.commands();
  expect(await command?.input('milk')).toBe('c: milk');
  await agent.close();
});

it('A plugin that cannot list its commands is an error of whoever asks', async () => {
  const broken = definePlugin({
    name: 'broken',
    setup({ id, provide }) {
      provide(userCommandsKey(id), {
        list: () => {
          throw new Error('no list');
        },
      });
    },
  })();
  const agent = await createAgent({ model: scriptedModel([]), plugins: [broken] });
  await expect(agent.commands()).rejects.toThrow('no list');
  await agent.close();
});
