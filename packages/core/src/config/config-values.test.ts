import { describe, expect, it } from 'vitest';

import { makeProject } from '../../test/test-project.ts';
import { formatLocation } from '../base/errors.ts';
import { configValues } from './config-values.ts';
import { loadConfig } from './load-config.ts';
import { formatPath } from './modules/locate.ts';
import type { ValueOrigin } from './value-origin.ts';

/** Each value with its origin, a line each: `path = value  file:line:column`. Defaults only where asked for. */
async function linesOf(
  files: Readonly<Record<string, string>>,
  { env = {}, withDefaults = false }: { env?: Record<string, string>; withDefaults?: boolean } = {},
): Promise<string[]> {
  const project = makeProject(files);
  const loaded = await loadConfig({ cwd: project.directory, env });
  return configValues(loaded)
    .filter(({ origin }) => withDefaults || origin.from !== 'default')
    .map(({ path, value, origin }) =>
      `${formatPath(path)} = ${String(value)}  ${describeOrigin(origin)}`.replaceAll(
        `${project.directory}/`,
        '',
      ),
    );
}

function describeOrigin(origin: ValueOrigin): string {
  switch (origin.from) {
    case 'default':
      return 'default';
    case 'file':
      return formatLocation(origin.at);
    case 'environment':
      return `${origin.variable} in ${origin.envFile ?? 'the environment'}, by ${formatLocation(origin.at)}`;
  }
}

describe('the values of a config', () => {
  it('know their file, line and column, the variable of the environment, or that they are defaults', async () => {
    const lines = await linesOf(
      {
        'shallot.config.yaml': [
          'name: bee',
          'maxSteps: { $env: STEPS, default: 5 }',
          'toolConcurrency: { $env: UNSET, default: 3 }',
          'settings:',
          '  temperature: 0',
          'tools: [./a.ts, ./b.ts]',
          'unlock: [.git]',
          'plugins:',
          '  - memory',
          '  - use: tickets',
          '    options:',
          '      url: { $env: URL }',
          '      tags: [x, { $env: TAG }]',
          '      none: {}',
        ].join('\n'),
        '.env': 'TAG=from-file\nURL=shadowed\n',
      },
      { env: { STEPS: '7', URL: 'http://here' } },
    );
    expect(lines).toEqual([
      'name = bee  shallot.config.yaml:1:7',
      'tools[0] = ./a.ts  shallot.config.yaml:6:9',
      'tools[1] = ./b.ts  shallot.config.yaml:6:17',
      'plugins[0].use = memory  shallot.config.yaml:9:5',
      'plugins[1].use = tickets  shallot.config.yaml:10:10',
      'plugins[1].options.url = http://here  URL in the environment, by shallot.config.yaml:12:12',
      'plugins[1].options.tags[0] = x  shallot.config.yaml:13:14',
      'plugins[1].options.tags[1] = from-file  TAG in .env, by shallot.config.yaml:13:17',
      'plugins[1].options.none = [object Object]  shallot.config.yaml:14:13',
      'unlock[0] = .git  shallot.config.yaml:7:10',
      'maxSteps = 7  STEPS in the environment, by shallot.config.yaml:2:11',
      'toolConcurrency = 3  shallot.config.yaml:3:18',
      'settings.temperature = 0  shallot.config.yaml:5:16',
    ]);
  });

  it('know which of several files wrote them, each key of an entry and of settings by itself', async () => {
    const lines = await linesOf(
      {
        'base/shallot.config.yaml':
          'model: ./m.ts\nmaxSteps: 3\nsettings: { seed: 1, topK: 2 }\nplugins:\n  - { use: memory, priority: 40, optional: true }\n',
        'shallot.config.yaml':
          'extends: ./base/shallot.config.yaml\nsettings: { seed: 9 }\nplugins:\n  - { use: memory, priority: { $env: PLACE, default: 1 } }\n  - tickets\n',
      },
      { env: { PLACE: '45' } },
    );
    expect(lines).toEqual([
      'model = ./m.ts  base/shallot.config.yaml:1:8',
      'plugins[0].use = memory  shallot.config.yaml:4:12',
      'plugins[0].priority = 45  PLACE in the environment, by shallot.config.yaml:4:30',
      'plugins[0].optional = true  base/shallot.config.yaml:5:44',
      'plugins[1].use = tickets  shallot.config.yaml:5:5',
      'maxSteps = 3  base/shallot.config.yaml:2:11',
      'settings.seed = 9  shallot.config.yaml:2:19',
      'settings.topK = 2  base/shallot.config.yaml:3:28',
    ]);
  });

  it('have the defaults of keys that nobody wrote', async () => {
    const lines = await linesOf({ 'shallot.config.json': '{ "maxSteps": 50 }' }, { withDefaults: true });
    expect(lines).toContain('maxSteps = 50  shallot.config.json:1:15');
    expect(lines).toContain('toolConcurrency = 8  default');
    expect(lines).toContain('log = warn  default');
  });

  it('are placed in a config that is code as far as its text shows, also the objects in it', async () => {
    const lines = await linesOf({
      'shallot.config.mjs':
        "import { model } from './model.mjs';\nexport default {\n  maxSteps: 7,\n  model,\n  plugins: ['memory'],\n  settings: Object.assign(Object.create(null), { seed: 1 }),\n};\n",
      'model.mjs': "export const model = { id: 'a/b', generate() {} };",
    });
    expect(lines).toEqual([
      'model = [object Object]  shallot.config.mjs',
      'plugins[0].use = memory  shallot.config.mjs:5:13',
      'maxSteps = 7  shallot.config.mjs:3:3',
      'settings.seed = 1  shallot.config.mjs:6:50',
    ]);
  });

  it('have no origin where nobody wrote anything', async () => {
    const project = makeProject({ 'shallot.config.yaml': 'plugins: [memory]\n' });
    const { origin } = await loadConfig({ cwd: project.directory });
    for (const path of [[], ['store'], ['plugins', 5], ['plugins', 0, 'priority'], ['settings', 'topK']]) {
      expect(origin(path)).toEqual({ from: 'default' });
    }
  });
});
