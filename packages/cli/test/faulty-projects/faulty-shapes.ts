import {
  config,
  pluginFile,
  pluginPackage,
  withPlugin,
  modelFile,
  type FaultyProject,
  type Obedience,
} from './faulty-project.ts';

const yaml = 'shallot.config.yaml';

const named = (files: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...config('plugins: [spending]\n'),
  ...files,
});

/** Returns a project whose package in `node_modules` has the wrong shape. */
function shape(
  fault: string,
  manifest: object,
  fix: string,
  {
    code = 'MODULE_NOT_FOUND',
    module = pluginFile(''),
    more = {},
  }: Partial<{ code: string; module: string; more: Record<string, string> }> = {},
): FaultyProject {
  const files = named({ ...pluginPackage('shallot-plugin-spending', { manifest, module }), ...more });
  const obey = { files: pluginPackage('shallot-plugin-spending') };
  return { fault, files, code, plugin: 'spending', at: `${yaml}:2:11`, fix, obey };
}

/** Projects whose package.json makes declarations that do not fit its plugin. */
const nonsense: readonly FaultyProject[] = [
  ...Object.entries({
    'a range in words': 'newest',
    'an empty range': '',
    'a range that is a number': 1,
    'a range that is null': null,
    'a range that is a list': ['^1.0.0'],
    'a range of half nonsense': '^1.0.0 || soon',
    'a range with a colour': '\u001b[31m^1.0.0',
    'a very long range': '^1.0.0 ||'.repeat(2000),
  }).map(([fault, api]) => described(fault, { plugin: 'p', api }, 'write a range such as "^')),
  ...Object.entries({
    'a name with capitals': 'Spending',
    'a name that is a path': '../p',
    'a name that is an object': {},
  }).map(([fault, plugin]) =>
    described(fault, { plugin, api: '^1.0.0' }, 'write its name, of lower-case letters'),
  ),
  described('a text where the plugin is described', 'p', 'write { "plugin": NAME, "api": RANGE }'),
  described('a list where the plugin is described', ['p'], 'write { "plugin": NAME, "api": RANGE }'),
];

function described(fault: string, shallot: unknown, fix: string): FaultyProject {
  return shape(`${fault}, in a package.json`, { shallot }, fix, { code: 'PLUGIN_INVALID' });
}

const incompatible: readonly FaultyProject[] = [
  ['an empty intersection of ranges', '>=1.0.0 <1.0.0', 'Install an older version'],
  ['a range of the past', '0.x', 'Install a newer version of it'],
  ['a range of the far future', '>=9999.0.0', 'npm install @shallot/core@latest'],
  ['a range of prereleases', '1.0.0-alpha.1', 'Install a newer version of it'],
].map(([fault = '', api, fix = '']) =>
  shape(`${fault} of the plugin API`, { shallot: { plugin: 'p', api } }, fix, {
    code: 'PLUGIN_INCOMPATIBLE',
  }),
);

const shapes: readonly FaultyProject[] = [
  shape(
    'a package for require alone',
    { exports: { '.': { require: './index.js' } } },
    'neither "import" nor "default"',
  ),
  shape('a package that exports nothing', { exports: {} }, 'Reinstall it'),
  {
    ...shape('a package.json of a package that cannot be parsed', {}, 'package.json cannot be parsed (', {
      more: { 'node_modules/shallot-plugin-spending/package.json': '{ "name": ' },
    }),
  },
  {
    ...shape('TypeScript in an installed package', { exports: './index.ts' }, 'node_modules', {
      code: 'MODULE_FAILED',
      more: { 'node_modules/shallot-plugin-spending/index.ts': 'export const a: number = 1;' },
    }),
    at: 'node_modules/shallot-plugin-spending/index.ts',
  },
  {
    ...shape('a dependency of a plugin that is missing', {}, "Cannot find package 'gone'", {
      code: 'MODULE_FAILED',
      module: "import 'gone';\nexport default 1;",
    }),
    at: 'node_modules/shallot-plugin-spending/index.js:1:8',
  },
];

const sound = { 'p.mjs': pluginFile('') };

/** Returns a project with a module whose default export only looks like a plugin. */
function hostile(
  fault: string,
  module: string,
  fix: string,
  code = 'MODULE_INVALID',
  plugin = './p.mjs',
): FaultyProject {
  return { fault, files: withPlugin(module), code, plugin, at: `${yaml}:3:10`, fix, obey: { files: sound } };
}

const brand = "[Symbol.for('shallot.plugin')]: true";
const definition = "{ name: 'p', version: '1.0.0', api: '^1.0.0', setup() {} }";

const hostilePlugins: readonly FaultyProject[] = [
  hostile(
    'a factory without a definition',
    'export default Object.assign(() => {}, { definition: null });',
    'definePlugin',
  ),
  hostile('a plugin without a definition', `export default { ${brand} };`, 'definePlugin'),
  hostile(
    'a factory that makes no plugin',
    `export default Object.assign(() => 5, { definition: ${definition} });`,
    'definePlugin',
  ),
  hostile(
    'a factory that makes nothing',
    `export default Object.assign(() => undefined, { definition: ${definition} });`,
    'definePlugin',
  ),
  hostile(
    'a factory that throws',
    `export default Object.assign(() => { throw new Error('no tea'); }, { definition: ${definition} });`,
    'no tea',
    'MODULE_FAILED',
  ),
  hostile(
    'a default export that throws when it is looked at',
    "export default new Proxy(() => {}, { get() { throw new Error('no tea'); }, has() { throw new Error('no tea'); } });",
    'no tea',
    'MODULE_FAILED',
  ),
  hostile(
    'a definition whose members throw',
    `export default Object.assign(() => {}, { definition: { get name() { throw new Error('no tea'); } } });`,
    'no tea',
    'MODULE_FAILED',
  ),
  {
    fault: 'a start that never settles',
    files: {
      ...config('startTimeoutMs: 200\nplugins: [./p.mjs]\n'),
      'p.mjs': pluginFile('onStart(() => new Promise((resolve) => setTimeout(resolve, 60_000)));'),
    },
    code: 'PLUGIN_START_FAILED',
    plugin: 'p',
    at: `${yaml}:3:11`,
    fix: 'raise startTimeoutMs',
    obey: { files: sound },
  },
  {
    fault: 'a plugin that is not ready in time',
    files: {
      ...config('startTimeoutMs: 200\nplugins: [./p.mjs]\n'),
      'p.mjs': pluginFile('onReady(() => new Promise((resolve) => setTimeout(resolve, 60_000)));'),
    },
    code: 'PLUGIN_START_FAILED',
    plugin: 'p',
    at: `${yaml}:3:11`,
    fix: 'raise startTimeoutMs',
    obey: { files: sound },
  },
];

const orderOf = (
  fault: string,
  lines: string,
  at: string,
  fix: string,
  code: string,
  plugin: string,
  obey: Obedience,
): FaultyProject => ({
  fault,
  files: {
    ...config(`plugins:\n${lines}`),
    'p.mjs': pluginFile(''),
    'q.mjs': pluginFile('', "name: 'q'"),
    'r.mjs': pluginFile('', "name: 'r'"),
  },
  code,
  plugin,
  at: `${yaml}:${at}`,
  fix,
  obey,
});

const tapping = withPlugin(pluginFile("hooks.beforeModel.tap('x', () => {});"), ['priority: 5']);

const order: readonly FaultyProject[] = [
  orderOf(
    'a cycle of three edges',
    '  - { use: ./p.mjs, outside: [q] }\n  - { use: ./q.mjs, outside: [r] }\n  - { use: ./r.mjs, outside: [p] }\n',
    '3:',
    'Remove one of these',
    'ORDER_CYCLE',
    'p',
    { files: config('plugins: [./p.mjs, ./q.mjs, ./r.mjs]\n') },
  ),
  orderOf(
    'a plugin outside and inside of one other',
    '  - { use: ./p.mjs, outside: [q], inside: [q] }\n  - ./q.mjs\n',
    '3:',
    'Remove one of these',
    'ORDER_CYCLE',
    'p',
    { files: config('plugins: [./p.mjs, ./q.mjs, ./r.mjs]\n') },
  ),
  ...[
    ['a priority below 0', '-1'],
    ['a priority above 100', '100.1'],
    ['a priority in words', 'high'],
    ['a priority that is infinite', '.inf'],
    ['a priority that is no number', '.nan'],
    ['a priority that is a list', '[1]'],
  ].map(([fault = '', value]) =>
    orderOf(
      fault,
      `  - use: ./p.mjs\n    priority: ${value}\n`,
      '4:15',
      'write a number from 0',
      'PRIORITY_RANGE',
      './p.mjs',
      { files: tapping },
    ),
  ),
  orderOf(
    'a priority for a hook that is none',
    '  - use: ./p.mjs\n    priority: { wrapTools: 5 }\n',
    '4:',
    'hooks are beforeAgent',
    'OPTION_INVALID',
    './p.mjs',
    { files: tapping },
  ),
];

const healthyCode = {
  'model.mjs': modelFile,
  'shallot.config.mjs': "export default { model: './model.mjs' };",
};

/** Projects whose config is code that exports the wrong thing. */
const exported: readonly FaultyProject[] = [
  {
    fault: 'a config that exports a function',
    files: { 'shallot.config.mjs': "export default () => ({ model: './model.mjs' });" },
    code: 'CONFIG_INVALID',
    at: 'shallot.config.mjs',
    fix: 'Call it there, and export what it returns',
    obey: { files: healthyCode },
  },
  {
    fault: 'a config whose promise rejects',
    files: { 'shallot.config.mjs': "export default Promise.reject(new Error('no tea'));" },
    code: 'CONFIG_FAILED',
    at: 'shallot.config.mjs:1:31',
    fix: 'no tea',
    obey: { files: healthyCode },
  },
  {
    fault: 'a config that reads a file that is missing',
    files: {
      'shallot.config.mjs':
        "import { readFileSync } from 'node:fs';\nexport default { name: readFileSync('gone.md', 'utf8') };",
    },
    code: 'CONFIG_FAILED',
    at: 'shallot.config.mjs:2:24',
    fix: "open 'gone.md'",
    obey: { files: healthyCode },
  },
];

export const faultyShapes: readonly FaultyProject[] = [
  ...nonsense,
  ...incompatible,
  ...shapes,
  ...hostilePlugins,
  ...order,
  ...exported,
];
