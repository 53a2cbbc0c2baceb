import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';

const plugin = (name: string, version: string, setup: string): string => `
  import { definePlugin } from '@shallot/core';
  export default definePlugin({ name: '${name}', version: '${version}', api: '^1.0.0', setup({ hooks }) { ${setup} } });`;

const around = (hook: string, options: string): string =>
  `hooks.${hook}.tapPromise(${options}, (value, next) => next(value));`;

const onion = {
  'shallot.config.yaml': [
    'name: onion',
    'model: ./model.ts',
    'plugins:',
    '  - ./low.ts',
    '  - use: ./high.ts',
    '    priority: { default: 90, afterModel: 5 }',
    '  - use: ./guard.ts',
    '    id: doorman',
    '',
  ].join('\n'),
  'model.ts': `
    import { scriptedModel } from '@shallot/testing';
    export default scriptedModel([]);`,
  'low.ts': plugin(
    'low',
    '1.0.0',
    `${around('wrapModelCall', `'ask'`)} hooks.afterModel.tap('look', () => {}); hooks.afterAgent.tap('end', () => {});`,
  ),
  'high.ts': plugin(
    'high',
    '2.1.0',
    `${around('wrapModelCall', `{ name: 'watch', internal: true }`)} ${around('wrapToolCall', `'watch'`)} hooks.afterModel.tap('watch', () => {}); hooks.afterAgent.tap('end', () => {});`,
  ),
  'guard.ts': plugin('guard', '0.3.0', around('wrapToolCall', `{ name: 'ask', gate: true }`)),
};

describe('shallot inspect', () => {
  it('shows for each hook the layers in the order in which they run, with where they came from', async () => {
    const { status, stdout, stderr } = await makeProject(onion).here(['inspect']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatchInlineSnapshot(`
      "onion  shallot.config.yaml
      model    test/scripted
      tools    none
      plugins  high 2.1.0, low 1.0.0, doorman 0.3.0

      beforeAgent  no layers
      beforeModel  no layers

      wrapModelCall  around the model: outside in, then back out
         1  high 2.1.0          90  watch  by its entry  high.ts (shallot.config.yaml:5:10)
         2  low 1.0.0           25  ask    by default    low.ts (shallot.config.yaml:4:5)

      afterModel  each step, inside out
         1  high 2.1.0           5  watch  by its entry  high.ts (shallot.config.yaml:5:10)
         2  low 1.0.0           25  look   by default    low.ts (shallot.config.yaml:4:5)

      wrapToolCall  around each tool call: outside in, then back out
         1  high 2.1.0          90  watch  by its entry  high.ts (shallot.config.yaml:5:10)
         2  doorman 0.3.0  25 gate  ask    by default    guard.ts (shallot.config.yaml:7:10)

      afterAgent  once per run, inside out
         1  low 1.0.0           25  end    by default    low.ts (shallot.config.yaml:4:5)
         2  high 2.1.0          90  end    by its entry  high.ts (shallot.config.yaml:5:10)
      "
    `);
  });

  it('names each part of the instructions in the column of the others, and the place of its entry', async () => {
    const project = makeProject({
      'shallot.config.yaml':
        'extends: ./base/shallot.yaml\nmodel: offline\ninstructions:\n  - { file: ./style.md }\n  - { text: Answer in French. }\n',
      'base/shallot.yaml': 'instructions: { file: ./general.md }\n',
      'base/general.md': 'Be kind.',
      'style.md': 'Be brief.',
    });
    const { stdout } = await project.here(['inspect']);
    expect(stdout.split('\n').slice(1, 6)).toEqual([
      'model         offline',
      'instructions  style.md (shallot.config.yaml:4:5)',
      'instructions  written in the config (shallot.config.yaml:5:5)',
      'tools         none',
      'plugins       none',
    ]);
    const { instructions } = JSON.parse((await project.here(['inspect', '--json'])).stdout) as {
      instructions: unknown;
    };
    expect(instructions).toEqual([
      { file: join(project.folder, 'style.md'), at: `${join(project.folder, 'shallot.config.yaml')}:4:5` },
      { at: `${join(project.folder, 'shallot.config.yaml')}:5:5` },
    ]);
    project.write({ 'shallot.config.yaml': 'extends: ./base/shallot.yaml\nmodel: offline\n' });
    expect((await project.here(['inspect'])).stdout).toContain(
      'instructions  base/general.md (base/shallot.yaml:1:15)',
    );
  });

  it('gives the same to programs with --json', async () => {
    const { stdout } = await makeProject(onion).here(['inspect', '--json']);
    const { hooks, plugins, ...rest } = JSON.parse(stdout) as {
      hooks: Record<string, { plugin: string; priority: number; gate: boolean; at?: string }[]>;
      plugins: { id: string }[];
    };
    const order = Object.fromEntries(
      Object.entries(hooks).map(([hook, layers]) => [hook, layers.map((layer) => layer.plugin)]),
    );
    expect(order).toEqual({
      beforeAgent: [],
      beforeModel: [],
      wrapModelCall: ['high', 'low'],
      afterModel: ['high', 'low'],
      wrapToolCall: ['high', 'doorman'],
      afterAgent: ['low', 'high'],
    });
    expect(hooks.wrapToolCall?.map(({ gate }) => gate)).toEqual([false, true]);
    expect(hooks.wrapToolCall?.[1]?.at).toMatch(/shallot\.config\.yaml:7:\d+$/);
    expect(plugins.map(({ id }) => id)).toEqual(['high', 'low', 'doorman']);
    expect(rest).toMatchObject({ agent: 'onion', tools: [] });
  });

  it.each([['inspect'], ['sessions'], ['pending'], ['skills', 'list']])(
    'tells programs of a broken config on stdout, too: %s',
    async (...command) => {
      const project = makeProject({ 'shallot.config.yaml': 'modle: ./model.ts\nstroe: memory\n' });
      const { status, stdout, stderr } = await project.here([...command, '--json']);
      const { type, error } = JSON.parse(stdout) as {
        readonly type: string;
        readonly error: { readonly code: string; readonly errors: readonly { readonly place: string }[] };
      };
      expect({ status, type, code: error.code }).toEqual({ status: 2, type: 'error', code: 'SETUP_FAILED' });
      expect(error.errors.map(({ place }) => place.replace(/^.*\//, ''))).toEqual([
        'shallot.config.yaml:1:1',
        'shallot.config.yaml:2:1',
      ]);
      expect(stderr).toContain('did you mean "model"?');
    },
  );

  it('colours what is no terminal when FORCE_COLOR says so, and NO_COLOR does not say no', async () => {
    const coloured = async (env: Readonly<Record<string, string>>): Promise<boolean> =>
      (await makeProject(onion).here(['inspect'], { env })).stdout.includes('\u001b[1m');
    expect(await coloured({ FORCE_COLOR: '1' })).toBe(true);
    expect(await coloured({ FORCE_COLOR: '0' })).toBe(false);
    expect(await coloured({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
  });

  it('colours a terminal only', async () => {
    const { screen } = await makeProject(onion).onTerminal(['inspect']).ended;
    expect(screen).toContain('\u001b[1mwrapModelCall\u001b[22m');
  });

  it('makes no database', async () => {
    const project = makeProject(onion);
    await project.here(['inspect']);
    expect(existsSync(join(project.folder, '.shallot'))).toBe(false);
  });
});
