import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { isShallotError } from '../base/errors.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Plugin, PluginDefinition, PluginEntry } from '../contract/plugin.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

const stages = ['setup', 'start', 'ready'] as const;
const model = scriptedModel([]);

interface Told extends Partial<Pick<PluginDefinition, 'requires' | 'priority' | 'api'>> {
  readonly fails?: (typeof stages)[number];
}

/** Makes plugins that note their start and stop, have a tool, and fail where they are told to. */
function noting(lines: string[]) {
  return (name: string, { fails, ...rest }: Told = {}): Plugin => {
    const at = (stage: (typeof stages)[number]) => (): void => {
      if (stage === 'start') lines.push(`${name} start`);
      if (fails === stage) throw new Error(`${name} fails`);
    };
    const tool = defineTool({ name, description: name, input: { type: 'object' }, execute: () => name });
    return definePlugin({
      name,
      version: '1.0.0',
      ...rest,
      tools: [tool],
      setup({ onStart, onReady, onStop }) {
        onStart(at('start'));
        onReady(at('ready'));
        onStop(() => void lines.push(`${name} stop`));
        at('setup')();
      },
    })();
  };
}

const optional = (use: Plugin): PluginEntry => ({ use, optional: true });
const needs = (name: string): Pick<PluginDefinition, 'requires'> => ({ requires: { [name]: '^1.0.0' } });

describe.each(stages)('an optional plugin that fails at its %s', (fails) => {
  it('makes one that requires it fail, and nothing is left', async () => {
    const lines: string[] = [];
    const make = noting(lines);
    const plugins = [optional(make('memory', { fails })), make('skills', needs('memory')), make('other')];
    const error: unknown = await createAgent({ model, log: 'silent', plugins }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'PLUGIN_REQUIRES', plugin: 'skills' });
    expect(isShallotError(error) && error.message).toMatch(/memory.*skipped/);
    const started = lines.filter((line) => line.endsWith('start')).map((line) => line.split(' ')[0]);
    const stopped = lines.filter((line) => line.endsWith('stop')).map((line) => line.split(' ')[0]);
    expect(new Set(stopped)).toEqual(new Set(started));
    expect(stopped).toHaveLength(started.length);
  });

  it.each([
    ['outside', 90],
    ['inside', 10],
  ])('takes optional ones along that require it, %s of it', async (_, priority) => {
    const lines: string[] = [];
    const make = noting(lines);
    const plugins = [
      optional(make('memory', { fails, priority: 50 })),
      optional(make('skills', { ...needs('memory'), priority })),
      optional(make('lessons', { ...needs('skills'), priority })),
      make('other'),
    ];
    await using agent = await createAgent({ model, log: 'silent', plugins });
    expect(agent.plugins.map(({ id }) => id)).toEqual(['other']);
    expect(agent.tools.list().map(({ name }) => name)).toEqual(['other']);
    expect(agent.warnings.map(({ code, plugin }) => `${code} ${plugin}`)).toEqual([
      `${fails === 'setup' ? 'PLUGIN_SETUP_FAILED' : 'PLUGIN_START_FAILED'} memory`,
      'PLUGIN_REQUIRES skills',
      'PLUGIN_REQUIRES lessons',
    ]);
    for (const name of ['memory', 'skills', 'lessons']) {
      const own = lines.filter((line) => line.startsWith(name));
      expect([[], [`${name} start`, `${name} stop`]]).toContainEqual(own);
    }
  });

  it('is stopped once when a later one makes the start fail', async () => {
    const lines: string[] = [];
    const make = noting(lines);
    const plugins = [optional(make('memory', { fails })), make('last', { fails: 'ready' })];
    await expect(createAgent({ model, log: 'silent', plugins })).rejects.toMatchObject({ plugin: 'last' });
    expect(lines.filter((line) => line === 'memory stop').length).toBeLessThanOrEqual(1);
  });
});

describe('an optional plugin that does not fit', () => {
  it('makes one that requires it fail before anything is set up', async () => {
    const lines: string[] = [];
    const make = noting(lines);
    const plugins = [optional(make('memory', { api: '^9.0.0' })), make('skills', needs('memory'))];
    await expect(createAgent({ model, log: 'silent', plugins })).rejects.toMatchObject({
      code: 'PLUGIN_REQUIRES',
      plugin: 'skills',
    });
    expect(lines).toEqual([]);
  });
});

describe('removing a plugin', () => {
  it('is refused while another one requires it', async () => {
    const base = definePlugin({ name: 'base', version: '1.0.0', setup() {} })();
    const dependent = definePlugin({ name: 'dependent', requires: { base: '^1.0.0' }, setup() {} })();
    await using agent = await createAgent({ model: scriptedModel([]), plugins: [base, dependent] });
    await expect(agent.remove('base')).rejects.toMatchObject({
      code: 'PLUGIN_REQUIRES',
      plugin: 'dependent',
    });
    expect(agent.plugins.map(({ id }) => id)).toEqual(['base', 'dependent']);
    expect([await agent.remove('dependent'), await agent.remove('base')]).toEqual([true, true]);
  });
});

describe('a plugin that never settles', () => {
  const never = (): Promise<never> => new Promise(() => {});
  const start = (plugin: Plugin): ReturnType<typeof createAgent> =>
    createAgent({ model: scriptedModel([]), startTimeoutMs: 20, plugins: [plugin] });

  it.each([
    ['setup', 'PLUGIN_SETUP_FAILED', definePlugin({ name: 'stuck', setup: never })()],
    [
      'onStart',
      'PLUGIN_START_FAILED',
      definePlugin({ name: 'stuck', setup: ({ onStart }) => onStart(never) })(),
    ],
    [
      'onReady',
      'PLUGIN_START_FAILED',
      definePlugin({ name: 'stuck', setup: ({ onReady }) => onReady(never) })(),
    ],
  ])('in %s is a start-up error with its name', async (_, code, plugin) => {
    await expect(start(plugin)).rejects.toMatchObject({ code, plugin: 'stuck' });
  });

  it('in onStop does not keep the agent from closing', async () => {
    const agent = await start(definePlugin({ name: 'stuck', setup: ({ onStop }) => onStop(never) })());
    await expect(agent.close()).rejects.toMatchObject({ code: 'PLUGIN_STOP_FAILED', plugin: 'stuck' });
  });
});
