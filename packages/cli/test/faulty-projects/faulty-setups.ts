import { listing } from './faulty-packages.ts';
import { config, pluginFile, toolFile, withPlugin, type RepairedProject } from './faulty-project.ts';

const yaml = 'shallot.config.yaml';
const fine = pluginFile('');
const at = `${yaml}:3:10`;

/** A plugin in a file of its own, by its name. */
function local(plugin: string, members = '', setup = ''): Readonly<Record<string, string>> {
  return { [`${plugin}.mjs`]: pluginFile(setup, `name: '${plugin}', ${members}`) };
}

function localConfig(...entries: readonly string[]): Readonly<Record<string, string>> {
  return config(`plugins:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`);
}

const healthy = withPlugin(fine);

export const faultySetups: readonly RepairedProject[] = [
  { fault: 'no config', files: {}, code: 'CONFIG_NOT_FOUND', fix: 'shallot init', repair: config('') },
  {
    fault: 'two configs',
    files: { ...config(''), 'shallot.config.json': '{}' },
    code: 'CONFIG_AMBIGUOUS',
    fix: 'Keep one',
    repair: { 'shallot.config.json': null },
  },
  {
    fault: 'a file that is nearly a config',
    files: { ...config(''), 'shallot.config.toml': '' },
    status: 1,
    code: 'CONFIG_SKIPPED',
    at: 'shallot.config.toml',
    fix: 'Rename it, or remove it',
    repair: { 'shallot.config.toml': null },
  },
  {
    fault: 'an unknown key',
    files: config('instrucions: Hi.\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:1`,
    fix: 'did you mean "instructions"?',
    repair: config('instructions: Hi.\n'),
  },
  {
    fault: 'a key that is written out',
    files: config('plugins:\n  - use: ./p.mjs\n    options: { apiKey: sk-0123456789abcdef }\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:4:24`,
    fix: '$env',
    repair: healthy,
  },
  {
    fault: 'an unknown key beside a plugin that is not there',
    files: config('modle: x\nplugins:\n  - use: ./gone.mjs\n'),
    code: 'MODULE_NOT_FOUND',
    plugin: './gone.mjs',
    at: `${yaml}:4:10`,
    fix: 'Fix the name, or install the package',
    repair: healthy,
  },
  {
    fault: 'YAML that cannot be parsed',
    files: config('plugins: [a\n'),
    code: 'CONFIG_SYNTAX',
    fix: 'Fix the text at this place',
    repair: config(''),
  },
  {
    fault: 'a variable that is not set',
    files: config('name: { $env: NAME_OF_AGENT }\n'),
    code: 'CONFIG_ENV',
    at: `${yaml}:2:7`,
    fix: 'set it',
    repair: { '.env': 'NAME_OF_AGENT=x\n' },
  },
  {
    fault: 'a priority out of range',
    files: { ...withPlugin(fine, ['priority: 170']) },
    code: 'PRIORITY_RANGE',
    at: `${yaml}:4:15`,
    fix: 'from 0',
    repair: healthy,
  },
  ...[
    ['a wrong option', 'level: high', `${yaml}:5:14`],
    ['a misspelt option', 'levle: 5', `${yaml}:5:7`],
  ].map(([fault = '', option = '', place = '']): RepairedProject => ({
    fault,
    files: withPlugin(pluginFile('', 'options: optionsSchema({ level: option.number() })'), [
      'options:',
      `  ${option}`,
    ]),
    code: 'PLUGIN_OPTIONS',
    plugin: 'p',
    at: place,
    fix: 'Fix the option at this place',
    repair: withPlugin(pluginFile('', 'options: optionsSchema({ level: option.number() })'), [
      'options: { level: 5 }',
    ]),
  })),
  {
    fault: 'options for a plugin that takes none',
    files: withPlugin(fine, ['options: { level: 5 }']),
    code: 'PLUGIN_OPTIONS',
    plugin: 'p',
    at: `${yaml}:4:16`,
    fix: 'Remove the options',
    repair: healthy,
  },
  {
    fault: 'a plugin that fails, and another that requires it',
    files: {
      ...localConfig('./a.mjs', './b.mjs'),
      ...local('a', '', 'throw new Error("no tea");'),
      ...local('b', "requires: { a: '*' }"),
    },
    code: 'PLUGIN_SETUP_FAILED',
    plugin: 'a',
    at: `${yaml}:3:5`,
    fix: 'no tea',
    repair: local('a'),
  },
  {
    fault: 'a plugin that requires one that is not listed',
    files: { ...localConfig('./b.mjs'), ...local('a'), ...local('b', "requires: { a: '*' }") },
    code: 'PLUGIN_REQUIRES',
    plugin: 'b',
    at: `${yaml}:3:5`,
    fix: 'Add a to the plugins',
    repair: localConfig('./a.mjs', './b.mjs'),
  },
  {
    fault: 'a plugin that requires another version',
    files: {
      ...localConfig('./a.mjs', './b.mjs'),
      ...local('a'),
      ...local('b', "requires: { a: '^2.0.0' }"),
    },
    code: 'PLUGIN_REQUIRES',
    plugin: 'b',
    at: `${yaml}:4:5`,
    fix: 'Install a matching version',
    repair: local('a', "version: '2.0.0'"),
  },
  {
    fault: 'plugins that exclude each other',
    files: { ...localConfig('./a.mjs', './b.mjs'), ...local('a'), ...local('b', "conflicts: ['a']") },
    code: 'PLUGIN_CONFLICT',
    plugin: 'b',
    at: `${yaml}:4:5`,
    fix: 'Remove one of them',
    repair: localConfig('./b.mjs'),
  },
  {
    fault: 'a plugin that is listed twice',
    files: { ...localConfig('./a.mjs', './a.mjs'), ...local('a') },
    code: 'PLUGIN_DUPLICATE',
    plugin: 'a',
    at: `${yaml}:4:5`,
    fix: 'another id',
    repair: localConfig('./a.mjs', '{ use: ./a.mjs, id: other }'),
  },
  {
    fault: 'edges that contradict each other',
    files: {
      ...localConfig('{ use: ./a.mjs, outside: [b] }', '{ use: ./b.mjs, outside: [a] }'),
      ...local('a'),
      ...local('b'),
    },
    code: 'ORDER_CYCLE',
    plugin: 'a',
    fix: 'Remove one of these',
    repair: localConfig('{ use: ./a.mjs, outside: [b] }', './b.mjs'),
  },
  {
    fault: 'an edge to nobody',
    files: { ...localConfig('{ use: ./a.mjs, outside: [bb] }', './b.mjs'), ...local('a'), ...local('b') },
    status: 1,
    code: 'ORDER_TARGET',
    plugin: './a.mjs',
    at: `${yaml}:3:31`,
    fix: 'Did you mean "b"?',
    repair: localConfig('{ use: ./a.mjs, outside: [b] }', './b.mjs'),
  },
  {
    fault: 'a priority for a hook that the plugin does not tap',
    files: {
      ...localConfig('{ use: ./a.mjs, priority: { default: 5, afterModel: 9 } }'),
      ...local('a', '', "hooks.beforeModel.tap('x', () => {});"),
    },
    status: 1,
    code: 'CONFIG_UNUSED',
    plugin: 'a',
    at: `${yaml}:3:45`,
    fix: 'Remove it',
    repair: localConfig('{ use: ./a.mjs, priority: 5 }'),
  },
  {
    fault: 'an optional plugin that fails',
    files: withPlugin(pluginFile('throw new Error("no tea");'), ['optional: true']),
    status: 1,
    code: 'PLUGIN_SETUP_FAILED',
    plugin: 'p',
    at,
    fix: 'no tea',
    repair: healthy,
  },
  {
    fault: 'a tool that writes, and that nobody approves',
    files: { ...config('tools: [./t.mjs]\n'), 't.mjs': toolFile('t') },
    status: 0,
    code: 'TOOL_UNAPPROVED',
    fix: '@shallot/plugin-hitl',
    repair: {
      ...listing('@shallot/plugin-hitl'),
      [yaml]:
        'model: ./model.mjs\ntools: [./t.mjs]\nplugins:\n  - use: hitl\n    options: { tools: { t: true } }\n',
    },
  },
  {
    fault: 'two tools of one name',
    files: {
      ...config('tools: [./t.mjs, ./u.mjs]\n'),
      't.mjs': toolFile('t', "() => 'x'", "effect: 'read'"),
      'u.mjs': toolFile('t', "() => 'x'", "effect: 'read'"),
    },
    code: 'TOOL_DUPLICATE',
    fix: 'Rename one, or leave one out',
    repair: { 'u.mjs': toolFile('u', "() => 'x'", "effect: 'read'") },
  },
  {
    fault: 'a pattern of tools that matches nothing',
    files: config('tools: [./tools/*.mjs]\n'),
    code: 'MODULE_NOT_FOUND',
    at: `${yaml}:2:9`,
    fix: 'Fix the pattern',
    repair: { 'tools/t.mjs': toolFile('t', "() => 'x'", "effect: 'read'") },
  },
  {
    fault: 'a model that is not there',
    files: { [yaml]: 'model: ./gone.mjs\n' },
    code: 'MODULE_NOT_FOUND',
    at: `${yaml}:1:8`,
    fix: 'Fix the name',
    repair: config(''),
  },
  {
    fault: 'a model that throws',
    files: { [yaml]: 'model: ./m.mjs\n', 'm.mjs': 'export default () => { throw new Error("no tea"); };' },
    code: 'MODULE_FAILED',
    fix: 'no tea',
    repair: config(''),
  },
  {
    fault: 'a store that is not there',
    files: config('store: redis\n'),
    code: 'MODULE_NOT_FOUND',
    at: `${yaml}:2:8`,
    fix: 'Fix the name',
    repair: config('store: memory\n'),
  },
  {
    fault: 'a path of a store that has none',
    files: config('store: { use: memory, path: ./x.db }\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:23`,
    fix: 'Remove it',
    repair: config('store: memory\n'),
  },
  {
    fault: 'instructions that are not there',
    files: config('instructions: { file: ./i.md }\n'),
    code: 'MODULE_NOT_FOUND',
    fix: 'Fix the name',
    repair: { 'i.md': 'Be kind.' },
  },
  {
    fault: 'a change that was killed',
    files: {
      ...config(''),
      '.shallot/change/change.json': '{ "command": "shallot add tickets", "pid": 2147483646, "files": [] }',
    },
    code: 'CHANGE_UNFINISHED',
    at: '.shallot/change/change.json',
    fix: 'Run the command again',
    repair: { '.shallot/change/change.json': null },
  },
];
