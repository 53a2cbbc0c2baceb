import type { HookName } from '@shallot/core/plugin';

import type { NewPluginNames } from './plugin-names.ts';

/**
 * The oldest version of the plugin API that has everything the generated sources use. A plugin that required a newer
 * one would be refused by cores that can run it. Raise it when the sources use something newer.
 */
export const oldestApi = '1.0.0';

/** The features of the new plugin. */
export interface PluginChoices {
  readonly names: NewPluginNames;
  readonly description: string;
  readonly hooks: readonly HookName[];
  /** True if it keeps session state. */
  readonly state: boolean;
  readonly manager: 'npm' | 'pnpm';
  readonly author: string;
  readonly year: number;
  /** The version of the core, and the oldest plugin API that it may have. */
  readonly core: string;
  readonly api: string;
}

/** Returns the plugin's module: its options, and a stub for each hook that passes everything through. */
export function pluginSource({ names, description, hooks, state }: PluginChoices): string {
  const parts = ['options', 'hooks', ...(state ? ['state'] : [])];
  return `import { definePlugin } from '@shallot/core';
import { option, optionsSchema, type ShapeInput } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };

const shape = {
  level: option.oneOf('debug', 'info').default('debug').describe('The level of its log lines.'),
};

export type Options = ShapeInput<typeof shape>;

/** ${description} */
export const ${names.variable} = definePlugin({
  name: '${names.plugin}',
  version: manifest.version,
  api: manifest.shallot.api,
  options: optionsSchema(shape),
  setup({ ${parts.join(', ')} }) {
${state ? stateDeclaration : ''}${hooks.map((hook) => stubOf(hook, state)).join('\n')}  },
});
`;
}

const stateDeclaration = `    // Whatever counts or remembers belongs here: one agent serves many sessions, and other processes take them up.
    const seen = state<number>({ key: 'seen', initial: () => 0 });

`;

function stubOf(hook: HookName, state: boolean): string {
  const count = state ? '      seen.update(run, (times) => times + 1);\n' : '';
  // Counted with `once`, because a layer is entered again after each answer to a question inside it.
  const countOnce = state ? "      await once('seen', () => seen.update(run, (times) => times + 1));\n" : '';
  const scope = state ? '{ run, once }' : '{ run }';
  const log = (what: string): string => `      run.log[options.level]('${what}');\n`;
  switch (hook) {
    case 'beforeAgent':
      return `    hooks.beforeAgent.tap('${hook}', (run) => {\n${count}${log('a run begins')}    });\n`;
    case 'beforeModel':
      return `    hooks.beforeModel.tap('${hook}', (request, run) => {\n${count}${log('the model is about to be asked')}      return { ...request, instructions: request.instructions };\n    });\n`;
    case 'wrapModelCall':
      return `    hooks.wrapModelCall.tapPromise('${hook}', async (request, next, ${scope}) => {\n${countOnce}      const response = await next(request);\n${log('the model has answered')}      return response;\n    });\n`;
    case 'afterModel':
      return `    hooks.afterModel.tap('${hook}', (response, run) => {\n${count}${log('a step has an answer')}      return response;\n    });\n`;
    case 'wrapToolCall':
      return `    hooks.wrapToolCall.tapPromise('${hook}', async (call, next, ${scope}) => {\n${countOnce}      const result = await next(call);\n      run.log[options.level]({ tool: call.name }, 'a tool was called');\n      return result;\n    });\n`;
    case 'afterAgent': {
      // A run that waits for an answer also passes here, and again when it continues.
      const countAtEnd = count && `      if (result.outcome !== 'interrupted') ${count.trim()}\n`;
      return `    hooks.afterAgent.tap('${hook}', (result, run) => {\n${countAtEnd}      run.log[options.level]({ outcome: result.outcome }, 'a run is over');\n      return result;\n    });\n`;
    }
  }
}

/** Returns the plugin's tests, with a scripted model. */
export function pluginTest({ names, hooks, state }: PluginChoices): string {
  const { plugin, variable } = names;
  const calls = hooks.map((hook) => callsOf[hook]).reduce((sum, each) => sum + each, 0);
  return `import { createAgent, defineTool } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import { ${variable} } from './${plugin}.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'an onion',
});

it('stands in its hooks, and lets everything through', async () => {
  const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'I see an onion.' }]);
  await using agent = await createAgent({ model, tools: [look], plugins: [${variable}()], log: 'silent' });

  const result = await agent.run('What do you see?', { sessionId: 'tea' });
  expect(result).toMatchObject({ outcome: 'completed', text: 'I see an onion.' });
  expect(Object.entries(agent.layers()).flatMap(([hook, taps]) => (taps.length > 0 ? [hook] : []))).toEqual([
${hooks.map((hook) => `    '${hook}',\n`).join('')}  ]);
${state ? `  const { state } = (await agent.session('tea')) ?? {};\n  expect(state).toMatchObject({ ${quotedKey(plugin)}: { seen: { value: ${calls} } } });\n` : ''}  model.assertDone();
});

it('refuses an option that it does not have', async () => {
  const plugins = [${variable}({ ...{ levle: 'info' } })];
  await expect(createAgent({ model: scriptedModel([]), plugins })).rejects.toThrow('did you mean "level"?');
});
`;
}

/** The number of calls of each hook in the test: two steps, one with a tool call. */
const callsOf: Readonly<Record<HookName, number>> = {
  beforeAgent: 1,
  beforeModel: 2,
  wrapModelCall: 2,
  afterModel: 2,
  wrapToolCall: 1,
  afterAgent: 1,
};

function quotedKey(name: string): string {
  return /^[a-z]+$/.test(name) ? name : `'${name}'`;
}

export function conformanceTest({ names: { plugin, variable } }: PluginChoices): string {
  return `import { testPlugin } from '@shallot/testing';

import { ${variable} } from './${plugin}.ts';

// That it works beside others in any agent, and that the package is what its package.json says.
await testPlugin(${variable}, { manifest: new URL('../package.json', import.meta.url) });
`;
}

export function entrySource({ names: { plugin, variable } }: PluginChoices): string {
  return `export { ${variable}, ${variable} as default, type Options } from './${plugin}.ts';\n`;
}
