import { faultyOptions } from './faulty-options.ts';
import { config, pluginFile, toolFile, withPlugin, type FaultyProject } from './faulty-project.ts';

const yaml = 'shallot.config.yaml';
const entry = `${yaml}:3:10`;
const sound = { 'p.mjs': pluginFile('') };

/** Returns a project with a plugin definition that is refused as soon as its module is imported. */
function definition(fault: string, members: string, fix: string, code = 'PLUGIN_INVALID'): FaultyProject {
  const files = withPlugin(pluginFile('', members));
  return { fault, files, code, plugin: './p.mjs', at: 'p.mjs:4', fix, obey: { files: sound } };
}

const definitions: readonly FaultyProject[] = [
  definition('a name with capitals', "name: 'P'", 'use lower-case letters'),
  definition('a version that is none', "version: 'one'", 'write one such as "1.0.0"'),
  definition('a range that is none', "api: 'newest'", 'write a range such as "^1.0.0"'),
  definition('a list of what is required', "requires: ['ledger']", 'write an object of names and ranges'),
  definition('an empty list of what is required', 'requires: []', 'write an object of names and ranges'),
  definition('conflicts that are a text', "conflicts: 'hitl'", 'write a list of names'),
  definition('an edge that is a text', "outside: 'hitl'", 'write a list of ids or names'),
  definition('options that are no schema', "options: { limit: 'number' }", 'use a Standard Schema'),
  definition('nothing that it does', 'setup: undefined', 'add a hook'),
  definition(
    'options that nothing reads',
    "setup: undefined, options: { type: 'object' }",
    'read them in setup',
  ),
  definition('a misspelt hook', 'setup: undefined, wrapToolcall() {}', 'did you mean "wrapToolCall"?'),
  definition('a hook that is no function', "afterModel: 'x'", 'write a function'),
  definition('a tool that is none', "tools: [{ name: 't' }]", 'pass it to defineTool'),
  definition('a misspelt member', 'prority: 5', 'did you mean "priority"?'),
  definition('a priority out of range', 'priority: 200', 'write a number from 0', 'PRIORITY_RANGE'),
  {
    fault: "a name of the core's own",
    files: withPlugin(pluginFile('', "name: 'core'")),
    code: 'PLUGIN_INVALID',
    plugin: 'core',
    at: entry,
    fix: 'Rename it',
    obey: { files: sound },
  },
  {
    fault: 'a plugin that is required and missing',
    files: withPlugin(pluginFile('', "requires: { ledger: '^1.0.0' }")),
    code: 'PLUGIN_REQUIRES',
    plugin: 'p',
    at: entry,
    fix: 'Add ledger to the plugins',
    obey: {
      files: { ...config('plugins: [./p.mjs, ./l.mjs]\n'), 'l.mjs': pluginFile('', "name: 'ledger'") },
    },
  },
  {
    fault: 'a plugin that is required in another version',
    files: {
      ...config('plugins: [./p.mjs, ./q.mjs]\n'),
      'p.mjs': pluginFile('', "requires: { q: '^2.0.0' }"),
      'q.mjs': pluginFile('', "name: 'q'"),
    },
    code: 'PLUGIN_REQUIRES',
    plugin: 'p',
    at: `${yaml}:2:11`,
    fix: 'Install a matching version of q',
    obey: { files: { 'q.mjs': pluginFile('', "name: 'q', version: '2.0.0'") } },
  },
  {
    fault: 'a plugin that is excluded',
    files: {
      ...config('plugins: [./p.mjs, ./q.mjs]\n'),
      'p.mjs': pluginFile('', "conflicts: ['q']"),
      'q.mjs': pluginFile('', "name: 'q'"),
    },
    code: 'PLUGIN_CONFLICT',
    plugin: 'q',
    at: `${yaml}:2:20`,
    fix: 'Remove one of them',
    obey: { files: config('plugins: [./p.mjs]\n') },
  },
  {
    fault: 'a plugin twice',
    files: { ...config('plugins: [./p.mjs, ./p.mjs]\n'), 'p.mjs': pluginFile('') },
    code: 'PLUGIN_DUPLICATE',
    plugin: 'p',
    at: `${yaml}:2:20`,
    fix: 'Give one of them another id',
    obey: { write: '{ use: ./p.mjs, id: second }' },
  },
  {
    fault: 'an older plugin API in the definition',
    files: withPlugin(pluginFile('', "api: '^0.5.0'")),
    code: 'PLUGIN_INCOMPATIBLE',
    plugin: 'p',
    at: entry,
    fix: 'Install a newer version of p',
    obey: { files: sound },
  },
];

const two = (p: string, q: string): Readonly<Record<string, string>> => ({
  ...config('plugins:\n  - ./p.mjs\n  - ./q.mjs\n'),
  'p.mjs': p,
  'q.mjs': q,
});

const order: readonly FaultyProject[] = [
  {
    fault: 'a cycle',
    files: two(pluginFile('', "outside: ['q']"), pluginFile('', "name: 'q', outside: ['p']")),
    code: 'ORDER_CYCLE',
    plugin: 'p',
    at: `${yaml}:3:5`,
    fix: 'Remove one of these',
    obey: { files: two(pluginFile('', "outside: ['q']"), pluginFile('', "name: 'q'")) },
  },
  {
    fault: 'an edge to nobody',
    files: withPlugin(pluginFile(''), ['outside: [nope]']),
    status: 0,
    code: 'ORDER_TARGET',
    plugin: './p.mjs',
    at: `${yaml}:4:15`,
    fix: 'Fix it, or remove it',
    obey: 'remove',
  },
  {
    fault: 'an edge to itself',
    files: withPlugin(pluginFile(''), ['inside: [p]']),
    status: 0,
    code: 'ORDER_TARGET',
    plugin: './p.mjs',
    at: `${yaml}:4:14`,
    fix: 'the plugin itself',
    obey: 'remove',
  },
  {
    fault: 'an optional plugin that fails',
    files: withPlugin(pluginFile("throw new Error('no');"), ['optional: true']),
    status: 0,
    code: 'PLUGIN_SETUP_FAILED',
    plugin: 'p',
    at: entry,
    fix: 'setup failed: no',
    obey: { files: sound },
  },
];

function setup(fault: string, body: string, fix: string, code = 'PLUGIN_SETUP_FAILED'): FaultyProject {
  return {
    fault,
    files: withPlugin(pluginFile(body)),
    code,
    plugin: 'p',
    at: entry,
    fix,
    obey: { files: sound },
  };
}

const setUp: readonly FaultyProject[] = [
  setup('a setup that throws', "throw new Error('no tea');", 'setup failed: no tea'),
  setup('a setup that throws nothing', 'throw undefined;', 'undefined was thrown'),
  setup('a setup that rejects', "return Promise.reject(new Error('no tea'));", 'setup failed: no tea'),
  setup('a setup that returns hooks', 'return { wrapModelCall() {} };', 'return nothing, and register hooks'),
  setup(
    'a misspelt hook',
    "hooks.beforeModels.tap('x', () => {});",
    'Did you mean "beforeModel"?',
    'OPTION_INVALID',
  ),
  setup(
    'a misspelt way to tap',
    "hooks.beforeModel.tapPromis('x', () => {});",
    'Did you mean "tapPromise"?',
    'OPTION_INVALID',
  ),
  setup('a tap without a function', "hooks.beforeModel.tap('x');", 'instead of a function', 'OPTION_INVALID'),
  setup('a tap without a name', 'hooks.beforeModel.tap(() => {});', 'pass a name', 'OPTION_INVALID'),
  setup(
    'a tap with an unknown option',
    "hooks.beforeModel.tap({ name: 'x', stage: 1 }, () => {});",
    'it takes name, priority',
    'OPTION_INVALID',
  ),
  setup(
    'a tool that was only described',
    "tools.add({ name: 't', execute() {} });",
    'Pass its definition to defineTool',
    'TOOL_INVALID',
  ),
  setup(
    'a tool that does not describe its input',
    "tools.add(defineTool({ name: 't', description: 'A.', execute() {} }));",
    'input',
    'TOOL_INVALID',
  ),
  setup('state without a key', 'state({ initial: () => 0 });', 'without a key'),
  setup(
    'a start that throws',
    "onStart(() => { throw new Error('no tea'); });",
    'onStart failed: no tea',
    'PLUGIN_START_FAILED',
  ),
  setup(
    'a plugin that is not ready',
    "onReady(() => { throw new Error('no tea'); });",
    'onReady failed: no tea',
    'PLUGIN_START_FAILED',
  ),
  {
    ...setup(
      'a tool that the agent has already',
      "tools.add(defineTool({ name: 't', description: 'A.', input: { type: 'object' }, execute() {} }));",
      'Rename one',
      'TOOL_DUPLICATE',
    ),
    files: {
      ...withPlugin(
        pluginFile(
          "tools.add(defineTool({ name: 't', description: 'A.', input: { type: 'object' }, execute() {} }));",
        ),
        [],
      ),
      'shallot.config.yaml': 'model: ./model.mjs\nplugins:\n  - use: ./p.mjs\ntools: [./t.mjs]\n',
      't.mjs': toolFile('t'),
    },
  },
  {
    fault: 'a setup that never settles',
    files: {
      ...config('startTimeoutMs: 200\nplugins: [./p.mjs]\n'),
      'p.mjs': pluginFile('return new Promise((resolve) => setTimeout(resolve, 60_000));'),
    },
    code: 'PLUGIN_SETUP_FAILED',
    plugin: 'p',
    at: `${yaml}:3:11`,
    fix: 'raise startTimeoutMs',
    obey: { files: sound },
  },
];

export const faultyPlugins: readonly FaultyProject[] = [...definitions, ...faultyOptions, ...order, ...setUp];
