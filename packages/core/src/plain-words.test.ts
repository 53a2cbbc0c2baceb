import { expect, it } from 'vitest';

import { scriptedModel } from '../../testing/src/scripted-model.ts';
import { inspectorOf, validatorOf } from './base/schema.ts';
import { definePlugin } from './contract/define-plugin.ts';
import { createAgent } from './create-agent.ts';

const decision = {
  type: 'object',
  properties: { decision: { enum: ['approve', 'edit'] }, args: { type: 'object' } },
  allOf: [
    {
      if: { properties: { decision: { const: 'edit' } } },
      then: { required: ['args'] },
      else: { propertyNames: { enum: ['decision'] } },
    },
  ],
} as const;

it('a conditional schema reports the member that is wrong, and not the condition', async () => {
  const check = validatorOf(decision);
  expect(await check({ decision: 'edit' })).toEqual({
    ok: false,
    issues: 'Instance does not have required property "args".',
  });
  expect(await check({ decision: 'approve', args: {} })).toEqual({
    ok: false,
    issues: 'Property name "args" does not match schema.',
  });
  expect(await inspectorOf(decision)({ decision: 'edit', args: {} })).toMatchObject({ ok: true });
});

it('end in afterAgent is refused by name, and the outcome stays', async () => {
  const late = definePlugin({ name: 'late', afterAgent: (_, run) => run.end('Too late.') })();
  const model = scriptedModel([{ text: 'Done.' }]);
  await using agent = await createAgent({ model, plugins: [late], log: 'silent' });
  expect(await agent.run('hello')).toMatchObject({
    outcome: 'completed',
    text: 'Done.',
    errors: [{ code: 'OPTION_INVALID', plugin: 'late', hook: 'afterAgent' }],
  });
});

it('what several plugins throw while they are stopped has a code of its own', async () => {
  const failing = (name: string) =>
    definePlugin({
      name,
      setup: ({ onStop }) =>
        onStop(() => {
          throw new Error('no');
        }),
    })();
  const agent = await createAgent({ model: scriptedModel([]), plugins: [failing('a'), failing('b')] });
  await expect(agent.close()).rejects.toMatchObject({
    code: 'CLOSE_FAILED',
    errors: [{ code: 'PLUGIN_STOP_FAILED' }, { code: 'PLUGIN_STOP_FAILED' }],
  });
});

it('two plugins of one id are told with their source once when it is the same', async () => {
  const twin = definePlugin({ name: 'twin', version: '1.0.0', api: '^1.0.0', setup: () => {} });
  const created = createAgent({ model: scriptedModel([]), plugins: [twin(), twin()] });
  await expect(created).rejects.toMatchObject({
    code: 'PLUGIN_DUPLICATE',
    message: 'Two plugins have the id "twin": both from code. Give one of them another id.',
  });
});

it.each([
  ['tapAsync', 'Use tapPromise'],
  ['withOptions', 'give the plugin a priority'],
  ['taps', 'agent.layers()'],
])('%s of tapable is refused with what there is in its place', async (member, instead) => {
  const plugin = definePlugin({
    name: 'old',
    setup({ hooks }) {
      Reflect.get(hooks.beforeModel, member);
    },
  })();
  const created = createAgent({ model: scriptedModel([]), plugins: [plugin] });
  await expect(created).rejects.toMatchObject({
    plugin: 'old',
    message: expect.stringContaining(instead) as string,
  });
});
