import { listing } from './faulty-packages.ts';
import { config, pluginFile, toolFile, withPlugin, type FaultyProject } from './faulty-project.ts';

const yaml = 'shallot.config.yaml';
const fine = pluginFile('');
const at = `${yaml}:3:10`;

/** Returns the file of a local plugin with this name. */
function local(plugin: string, members = '', setup = ''): Readonly<Record<string, string>> {
  return { [`${plugin}.mjs`]: pluginFile(setup, `name: '${plugin}', ${members}`) };
}

function localConfig(...entries: readonly string[]): Readonly<Record<string, string>> {
  return config(`plugins:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`);
}

const healthy = withPlugin(fine);
const made = { files: config('') };

export const faultySetups: readonly FaultyProject[] = [
  { fault: 'no config', files: {}, code: 'CONFIG_NOT_FOUND', fix: 'shallot init', obey: made },
  {
    fault: 'two configs',
    files: { ...config(''), 'shallot.config.json': '{}' },
    code: 'CONFIG_AMBIGUOUS',
    at: 'shallot.config.yaml: ',
    fix: 'Keep one',
    obey: { files: { 'shallot.config.json': null } },
  },
  {
    fault: 'a file that is nearly a config',
    files: { ...config(''), 'shallot.config.toml': '' },
    status: 1,
    code: 'CONFIG_SKIPPED',
    at: 'shallot.config.toml',
    fix: 'Rename it, or remove it',
    obey: { files: { 'shallot.config.toml': null } },
  },
  {
    fault: 'an unknown key',
    files: config('instrucions: Hi.\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:1`,
    fix: 'did you mean "instructions"?',
    obey: { files: config('instructions: Hi.\n') },
  },
  {
    fault: 'a key that is written out',
    files: config('plugins:\n  - use: ./p.mjs\n    options: { apiKey: sk-0123456789abcdef }\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:4:24`,
    fix: '$env',
    obey: { files: healthy },
  },
  {
    fault: 'an unknown key beside a plugin that is not there',
    files: config('modle: x\nplugins:\n  - use: ./gone.mjs\n'),
    code: 'MODULE_NOT_FOUND',
    plugin: './gone.mjs',
    at: `${yaml}:4:10`,
    fix: 'Fix the path, or create the file',
    obey: { files: healthy },
  },
  {
    fault: 'YAML that cannot be parsed',
    files: config('plugins: [a\n'),
    code: 'CONFIG_SYNTAX',
    at: `${yaml}:3:1`,
    fix: 'Fix the text at this place',
    obey: made,
  },
  {
    fault: 'a variable that is not set',
    files: config('name: { $env: NAME_OF_AGENT }\n'),
    code: 'CONFIG_ENV',
    at: `${yaml}:2:7`,
    fix: 'set it',
    obey: { files: { '.env': 'NAME_OF_AGENT=x\n' } },
  },
  {
    fault: 'a priority out of range',
    files: { ...withPlugin(fine, ['priority: 170']) },
    code: 'PRIORITY_RANGE',
    at: `${yaml}:4:15`,
    fix: 'from 0',
    obey: { files: healthy },
  },
  ...[
    ['a wrong option', 'level: high', `${yaml}:5:14`],
    ['a misspelt option', 'levle: 5', `${yaml}:5:7`],
  ].map(([fault = '', option = '', place = '']): FaultyProject => ({
    fault,
    files: withPlugin(pluginFile('', 'options: optionsSchema({ level: option.number() })'), [
      'options:',
      `  ${option}`,
    ]),
    code: 'PLUGIN_OPTIONS',
    plugin: 'p',
    at: place,
    fix: 'Fix the option at this place',
    obey: {
      files: withPlugin(pluginFile('', 'options: optionsSchema({ level: option.number() })'), [
        'options: { level: 5 }',
      ]),
    },
  })),
  {
    fault: 'options for a plugin that takes none',
    files: withPlugin(fine, ['options: { level: 5 }']),
    code: 'PLUGIN_OPTIONS',
    plugin: 'p',
    at: `${yaml}:4:16`,
    fix: 'Remove the options',
    obey: { files: healthy },
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
    obey: { files: local('a') },
  },
  {
    fault: 'a plugin that requires one that is not listed',
    files: { ...localConfig('./b.mjs'), ...local('a'), ...local('b', "requires: { a: '*' }") },
    code: 'PLUGIN_REQUIRES',
    plugin: 'b',
    at: `${yaml}:3:5`,
    fix: 'Add a to the plugins',
    obey: { files: localConfig('./a.mjs', './b.mjs') },
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
    obey: { files: local('a', "version: '2.0.0'") },
  },
  {
    fault: 'plugins that exclude each other',
    files: { ...localConfig('./a.mjs', './b.mjs'), ...local('a'), ...local('b', "conflicts: ['a']") },
    code: 'PLUGIN_CONFLICT',
    plugin: 'b',
    at: `${yaml}:4:5`,
    fix: 'Remove one of them',
    obey: { files: localConfig('./b.mjs') },
  },
  {
    fault: 'a plugin that is listed twice',
    files: { ...localConfig('./a.mjs', './a.mjs'), ...local('a') },
    code: 'PLUGIN_DUPLICATE',
    plugin: 'a',
    at: `${yaml}:4:5`,
    fix: 'another id',
    obey: { files: localConfig('./a.mjs', '{ use: ./a.mjs, id: other }') },
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
    at: `${yaml}:3:12`,
    fix: 'Remove one of these',
    obey: { files: localConfig('{ use: ./a.mjs, outside: [b] }', './b.mjs') },
  },
  {
    fault: 'an edge to nobody',
    files: { ...localConfig('{ use: ./a.mjs, outside: [bb] }', './b.mjs'), ...local('a'), ...local('b') },
    status: 1,
    code: 'ORDER_TARGET',
    plugin: './a.mjs',
    at: `${yaml}:3:31`,
    fix: 'Did you mean "b"?',
    obey: { files: localConfig('{ use: ./a.mjs, outside: [b] }', './b.mjs') },
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
    obey: { files: localConfig('{ use: ./a.mjs, priority: 5 }') },
  },
  {
    fault: 'an optional plugin that fails',
    files: withPlugin(pluginFile('throw new Error("no tea");'), ['optional: true']),
    status: 1,
    code: 'PLUGIN_SETUP_FAILED',
    plugin: 'p',
    at,
    fix: 'no tea',
    obey: { files: healthy },
  },
  {
    fault: 'a tool that writes, and that nobody approves',
    files: { ...config('tools: [./t.mjs]\n'), 't.mjs': toolFile('t') },
    status: 0,
    code: 'TOOL_UNAPPROVED',
    at: `${yaml}:2:9`,
    fix: '@shallot/plugin-hitl',
    answers: false,
    obey: {
      files: {
        ...listing('@shallot/plugin-hitl'),
        [yaml]:
          'model: ./model.mjs\ntools: [./t.mjs]\nplugins:\n  - use: hitl\n    options: { tools: { t: true } }\n',
      },
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
    at: `${yaml}:2:18`,
    fix: 'Rename one, or remove one',
    obey: { files: { 'u.mjs': toolFile('u', "() => 'x'", "effect: 'read'") } },
  },
  {
    fault: 'a pattern of tools that matches nothing',
    files: config('tools: [./tools/*.mjs]\n'),
    code: 'MODULE_NOT_FOUND',
    at: `${yaml}:2:9`,
    fix: 'Fix the pattern',
    obey: { files: { 'tools/t.mjs': toolFile('t', "() => 'x'", "effect: 'read'") } },
  },
  {
    fault: 'a model that is not there',
    files: { [yaml]: 'model: ./gone.mjs\n' },
    code: 'MODULE_NOT_FOUND',
    at: `${yaml}:1:8`,
    fix: 'create the file',
    obey: made,
  },
  {
    fault: 'a model that throws',
    files: { [yaml]: 'model: ./m.mjs\n', 'm.mjs': 'export default () => { throw new Error("no tea"); };' },
    code: 'MODULE_FAILED',
    at: 'm.mjs:1:30',
    fix: 'no tea',
    obey: made,
  },
  {
    fault: 'a store that is not there',
    files: config('store: redis\n'),
    code: 'MODULE_NOT_FOUND',
    at: `${yaml}:2:8`,
    fix: 'Fix the name',
    obey: { files: config('store: memory\n') },
  },
  {
    fault: 'a path of a store that has none',
    files: config('store: { use: memory, path: ./x.db }\n'),
    code: 'CONFIG_INVALID',
    at: `${yaml}:2:23`,
    fix: 'Remove it',
    obey: { files: config('store: memory\n') },
  },
  {
    fault: 'instructions that are not there',
    files: config('instructions: { file: ./i.md }\n'),
    code: 'MODULE_NOT_FOUND',
    at: `${yaml}:2:23`,
    fix: 'create the file',
    obey: { files: { 'i.md': 'Be kind.' } },
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
    obey: { files: { '.shallot/change/change.json': null } },
  },
];
