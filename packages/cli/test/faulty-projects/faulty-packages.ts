import { config, pluginFile, pluginPackage, withPlugin, type FaultyProject } from './faulty-project.ts';

const yaml = 'shallot.config.yaml';
const name = 'shallot-plugin-p';

/** Returns the files of a project with an installed package, which the manifest and the config list as a plugin. */
function withPackage(
  manifest: object,
  { module = pluginFile(''), entry = '' }: { readonly module?: string; readonly entry?: string } = {},
): Readonly<Record<string, string>> {
  return {
    ...config(`plugins:\n  - use: p\n${entry}`),
    ...listing(name),
    ...pluginPackage(name, { manifest, module }),
  };
}

/** Returns a package.json that lists packages as dependencies. */
export function listing(...names: readonly string[]): Readonly<Record<string, string>> {
  const dependencies = Object.fromEntries(names.map((each) => [each, '^1.0.0']));
  return { 'package.json': JSON.stringify({ type: 'module', dependencies }) };
}

const good = { shallot: { plugin: 'p', api: '^1.0.0' } };
const at = `${yaml}:3:10`;

const healthy = withPlugin(pluginFile(''));

export const faultyPackages: readonly FaultyProject[] = [
  {
    fault: 'a plugin that is not installed',
    files: { ...config('plugins:\n  - use: p\n'), ...listing(name) },
    code: 'MODULE_NOT_FOUND',
    plugin: 'p',
    at,
    fix: 'npm install',
    obey: { files: withPackage(good) },
  },
  {
    fault: 'a plugin that was not built',
    files: withPackage({ ...good, exports: './dist/index.js' }),
    code: 'MODULE_NOT_FOUND',
    plugin: 'p',
    at,
    fix: 'was it built?',
    obey: { files: withPackage(good) },
  },
  {
    fault: 'a name that two packages have',
    files: { ...withPackage(good), ...pluginPackage('p', { manifest: good }) },
    code: 'MODULE_AMBIGUOUS',
    plugin: 'p',
    at,
    fix: 'Write the full name',
    obey: { files: { [yaml]: `model: ./model.mjs\nplugins: [${name}]\n` } },
  },
  ...['^2.0.0', '~0.9.0', '>=1.5.0 <2.0.0', '1.0.1 - 1.9.9', '0.x || 2.x'].map((api): FaultyProject => ({
    fault: `a plugin API range ${api}`,
    files: withPackage({ shallot: { plugin: 'p', api } }, { module: pluginFile('', `api: '${api}'`) }),
    code: 'PLUGIN_INCOMPATIBLE',
    plugin: 'p',
    at,
    fix: 'shallot upgrade',
    obey: { files: withPackage(good) },
  })),
  ...['*', '>=1.0.0', 'x', '>=0.5'].map((api): FaultyProject => ({
    fault: `a plugin API range without an end, ${api}`,
    files: withPackage({ shallot: { plugin: 'p', api } }, { module: pluginFile('', `api: '${api}'`) }),
    status: 1,
    code: 'PLUGIN_API_OPEN',
    plugin: 'p',
    at: `node_modules/${name}/package.json`,
    fix: '^1.0.0',
    obey: { files: withPackage(good) },
  })),
  ...[
    { shallot: { plugin: 'other', api: '^1.0.0' } },
    { ...good, version: '2.0.0' },
    { shallot: { plugin: 'p', api: '^1.0.1 || ^1.0.0' } },
  ].map((manifest): FaultyProject => ({
    fault: `a manifest that contradicts the definition: ${JSON.stringify(manifest)}`,
    files: withPackage(manifest),
    code: 'PLUGIN_INVALID',
    plugin: 'p',
    at,
    fix: 'Make them equal',
    obey: { files: withPackage(good) },
  })),
  {
    fault: 'a plugin API range that is none',
    files: withPackage({ shallot: { plugin: 'p', api: 'soon' } }),
    code: 'PLUGIN_INVALID',
    plugin: 'p',
    at,
    fix: 'write a range',
    obey: { files: withPackage(good) },
  },
  {
    fault: 'a plugin that brings a core of its own',
    files: {
      ...withPackage(good),
      [`node_modules/${name}/node_modules/@shallot/core/package.json`]: JSON.stringify({
        name: '@shallot/core',
        version: '0.0.9',
        type: 'module',
        exports: './index.js',
      }),
      [`node_modules/${name}/node_modules/@shallot/core/index.js`]: '',
      [`node_modules/${name}/index.js`]: `
const definition = { name: 'p', version: '1.0.0', api: '^1.0.0', setup() {} };
export default Object.assign((options) => ({ [Symbol.for('shallot.plugin')]: true, definition, options }), { definition });`,
    },
    status: 1,
    code: 'CORE_DUPLICATE',
    plugin: 'p',
    at: `node_modules/${name}/node_modules/@shallot/core/package.json: `,
    fix: 'with the core as a peer',
    obey: { files: { [`node_modules/${name}/node_modules/@shallot/core/package.json`]: null } },
  },
  {
    fault: 'a plugin that is installed and not listed',
    files: { ...config(''), ...listing(name), ...pluginPackage(name, { manifest: good }) },
    status: 0,
    code: 'PLUGIN_UNUSED',
    plugin: 'p',
    at: 'package.json',
    fix: 'shallot add p',
    obey: { files: withPackage(good) },
  },
  {
    fault: 'a plugin that only another package brings',
    files: { ...withPackage(good), 'package.json': '{ "type": "module" }' },
    status: 1,
    code: 'PLUGIN_UNLISTED',
    plugin: 'p',
    at,
    fix: `npm install ${name}`,
    obey: { files: listing(name) },
  },
  {
    fault: 'a peer that is not there',
    files: withPackage({ ...good, peerDependencies: { 'left-pad': '^1.0.0' } }),
    status: 1,
    code: 'PLUGIN_PEER',
    plugin: 'p',
    at,
    fix: 'left-pad',
    obey: {
      files: {
        'node_modules/left-pad/package.json': '{ "name": "left-pad", "version": "1.3.0" }',
      },
    },
  },
  {
    fault: 'a peer in another version',
    files: withPackage({ ...good, peerDependencies: { '@shallot/core': '^99.0.0' } }),
    status: 1,
    code: 'PLUGIN_PEER',
    plugin: 'p',
    at,
    fix: 'Install a version in the range',
    obey: { files: withPackage(good) },
  },
  {
    fault: 'a package that throws when it is imported',
    files: withPackage(good, { module: 'throw new Error("no tea");' }),
    code: 'MODULE_FAILED',
    plugin: 'p',
    at: `node_modules/${name}/index.js`,
    fix: 'install another version',
    obey: { files: withPackage(good) },
  },
  {
    fault: 'a package that never settles',
    files: {
      ...withPackage(good, { module: 'setInterval(() => {}, 1000);\nawait new Promise(() => {});\n' }),
      [yaml]: 'model: ./model.mjs\nstartTimeoutMs: 300\nplugins: [p]\n',
    },
    code: 'MODULE_FAILED',
    plugin: 'p',
    at: `${yaml}:3:11`,
    fix: 'startTimeoutMs',
    obey: { files: withPackage(good) },
  },
  {
    fault: 'a package that is no plugin',
    files: withPackage(good, { module: 'export const x = 1;' }),
    code: 'MODULE_INVALID',
    plugin: 'p',
    at,
    fix: 'definePlugin',
    obey: { files: withPackage(good) },
  },
  {
    fault: 'a set-up that throws',
    files: withPlugin(pluginFile('throw new Error("no tea");')),
    code: 'PLUGIN_SETUP_FAILED',
    plugin: 'p',
    at,
    fix: 'no tea',
    obey: { files: healthy },
  },
  {
    fault: 'a set-up that never settles',
    files: {
      ...withPlugin(pluginFile('return new Promise(() => {});')),
      [yaml]: 'model: ./model.mjs\nstartTimeoutMs: 300\nplugins: [./p.mjs]\n',
    },
    code: 'PLUGIN_SETUP_FAILED',
    plugin: 'p',
    at: `${yaml}:3:11`,
    fix: 'startTimeoutMs',
    obey: { files: healthy },
  },
  ...['onStart', 'onReady'].map((hook): FaultyProject => ({
    fault: `an ${hook} that throws`,
    files: withPlugin(pluginFile(`${hook}(() => { throw new Error("no tea"); });`)),
    code: 'PLUGIN_START_FAILED',
    plugin: 'p',
    at,
    fix: 'no tea',
    obey: { files: healthy },
  })),
];
