import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';

import {
  brief,
  makeProject,
  modelModule,
  pluginModule,
  pluginPackage,
  toolModule,
} from '../../test/test-project.ts';
import { isShallotError } from '../base/errors.ts';
import { loadAgent } from './load-agent.ts';

/** A project as people have them, and what becomes of it. */
interface Row {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  /** Links to put there: path → target, both in the project. */
  readonly links?: Readonly<Record<string, string>>;
  /** Where the search begins; default: the project's directory. */
  readonly from?: string;
  /** A directory without write permission. */
  readonly readOnly?: string;
  /** The ids of the plugins, then `+` the names of the tools; or the errors, in brief. Warnings follow, each with `!`. */
  readonly gives: readonly string[];
}

const model = { 'model.mjs': modelModule };
const yaml = (plugins: string): Readonly<Record<string, string>> => ({
  ...model,
  'shallot.config.yaml': `model: ./model.mjs\nplugins: [${plugins}]\n`,
});
const code = (text: string, name = 'shallot.config.ts'): Readonly<Record<string, string>> => ({
  ...model,
  [name]: text,
});
const commonJsPlugin = (name: string): string =>
  pluginModule(name).replace('export default', 'module.exports =');
const sub = (folder: string, files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));

const configFiles: readonly Row[] = [
  {
    what: 'TypeScript with an enum and a parameter property',
    files: {
      ...code(`enum Steps { Few = 3 }
class Named { constructor(readonly name: string) {} }
export default { model: './model.mjs', name: new Named('bee').name, maxSteps: Steps.Few, plugins: ['./p.ts'] };`),
      'p.ts': `enum Place { High = 80 }\n${pluginModule('p')}\nexport const place = Place.High;`,
    },
    gives: ['p'],
  },
  {
    what: 'imports without an extension',
    files: {
      ...code(`import { plugins } from './list';\nexport default { model: './model.mjs', plugins };`),
      'list.ts': `export const plugins: string[] = ['./p.ts'];`,
      'p.ts': `import { name } from './name';\n${pluginModule('p').replace("name: 'p'", 'name')}`,
      'name.ts': `export const name: string = 'p';`,
    },
    gives: ['p'],
  },
  {
    what: 'TypeScript in a folder with "type": "commonjs"',
    files: {
      ...code(`export default { model: './model.mjs', tools: ['./t.ts'], plugins: ['./p.ts'] };`),
      'package.json': '{ "type": "commonjs" }',
      'p.ts': pluginModule('p'),
      't.ts': toolModule('t'),
    },
    gives: ['p', '+t'],
  },
  {
    what: 'a config that is CommonJS',
    files: {
      ...code(`module.exports = { model: './model.mjs', plugins: ['./p.cjs'] };`, 'shallot.config.js'),
      'package.json': '{ "type": "commonjs" }',
      'p.cjs': commonJsPlugin('p'),
    },
    gives: ['p'],
  },
  {
    what: 'a config that exports a promise',
    files: {
      ...code(`export default (async () => ({ model: './model.mjs', plugins: ['./p.mjs'] }))();`),
      'p.mjs': pluginModule('p'),
    },
    gives: ['p'],
  },
  {
    what: 'a config that exports a function',
    files: code(`export default () => ({ model: './model.mjs' });`),
    gives: [
      'CONFIG_INVALID shallot.config.ts The default export of the config is a function. Call it there, and export what it returns.',
    ],
  },
  {
    what: 'a config that exports a function under a name',
    files: code(`export const config = { model: './model.mjs' };`),
    gives: [
      'CONFIG_INVALID shallot.config.ts The config exports config (an object). Write "export default defineConfig({ … })".',
    ],
  },
  {
    what: 'a config that throws',
    files: code(`const key: string | undefined = undefined;\nthrow new Error('no key');\nexport default {};`),
    gives: [
      'CONFIG_FAILED shallot.config.ts:2:7 The code of the config failed: no key (thrown when the module was imported).',
    ],
  },
  {
    what: 'a config whose promise rejects',
    files: code(`export default Promise.reject(new Error('no key'));`),
    gives: ['CONFIG_FAILED shallot.config.ts:1:31 The code of the config failed: no key.'],
  },
  {
    what: 'a config that reads a file that is missing',
    files: code(
      `import { readFileSync } from 'node:fs';\nexport default { model: './model.mjs', instructions: readFileSync(new URL('./gone.md', import.meta.url), 'utf8') };`,
    ),
    gives: [
      "CONFIG_FAILED shallot.config.ts:2:54 The code of the config failed: ENOENT: no such file or directory, open 'gone.md' (thrown when the module was imported).",
    ],
  },
  {
    what: 'YAML with anchors',
    files: {
      ...model,
      'shallot.config.yaml':
        'model: ./model.mjs\nplugins:\n  - use: &file ./p.mjs\n    priority: &high 80\n  - { use: *file, id: q, priority: *high }\n',
      'p.mjs': pluginModule('p'),
    },
    gives: ['p', 'q'],
  },
  {
    what: 'YAML with a merge key',
    files: { ...model, 'shallot.config.yaml': 'model: &m ./model.mjs\nsettings:\n  <<: { seed: 1 }\n' },
    gives: [
      'CONFIG_SYNTAX shallot.config.yaml:3:3 The config cannot be parsed: merge keys ("<<") are not supported; write the keys out.',
    ],
  },
  {
    what: 'JSON with comments',
    files: { ...model, 'shallot.config.json': '{\n  // the model\n  "model": "./model.mjs"\n}\n' },
    gives: [
      `CONFIG_SYNTAX shallot.config.json:2:3 The config is not JSON: Expected property name or '}'. JSON does not allow comments: remove them.`,
    ],
  },
  {
    what: 'extends from a path',
    files: {
      ...model,
      'shallot.config.yaml': 'extends: ./base/agent.yaml\nplugins: [./mine.mjs]\n',
      'base/agent.yaml': 'model: ../model.mjs\nplugins: [./theirs.mjs]\ntools: [./t.mjs]\n',
      'base/theirs.mjs': pluginModule('theirs'),
      'base/t.mjs': toolModule('t'),
      'mine.mjs': pluginModule('mine'),
    },
    gives: ['theirs', 'mine', '+t'],
  },
  {
    what: 'extends from a package that brings plugins of its own',
    files: {
      ...model,
      'shallot.config.yaml': 'extends: "@acme/agent"\nmodel: ./model.mjs\nplugins: [./mine.mjs]\n',
      'mine.mjs': pluginModule('mine'),
      'node_modules/@acme/agent/package.json': '{ "name": "@acme/agent", "exports": "./agent.yaml" }',
      'node_modules/@acme/agent/agent.yaml': 'plugins: [audit]\n',
      ...sub('node_modules/@acme/agent', pluginPackage('shallot-plugin-audit')),
    },
    gives: ['audit', 'mine', '!PLUGIN_UNLISTED'],
  },
  {
    what: 'a monorepo with a config at its root, from the root',
    files: {
      ...yaml('root'),
      ...pluginPackage('shallot-plugin-root'),
      ...sub('packages/app', { ...yaml('app'), ...pluginPackage('shallot-plugin-app') }),
    },
    gives: ['root'],
  },
  {
    what: 'a monorepo with a config in a package, from that package: the root config is not merged',
    files: {
      ...yaml('root'),
      ...pluginPackage('shallot-plugin-root'),
      ...sub('packages/app', { ...yaml('app, root'), ...pluginPackage('shallot-plugin-app') }),
      'packages/app/src/index.ts': '',
    },
    from: 'packages/app/src',
    gives: ['app', 'root'],
  },
  {
    what: 'a monorepo, from a package without a config',
    files: { ...yaml('root'), ...pluginPackage('shallot-plugin-root'), 'packages/other/index.ts': '' },
    from: 'packages/other',
    gives: ['root'],
  },
  {
    what: 'a read-only directory',
    files: { ...sub('app', yaml('./p.ts')), 'app/p.ts': pluginModule('p') },
    from: 'app',
    readOnly: 'app',
    gives: ['p'],
  },
];

/** A package whose entry has another text, or another name. */
function packageWith(
  name: string,
  manifest: object,
  files: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const folder = `node_modules/${name}`;
  return {
    [`${folder}/package.json`]: JSON.stringify({ name, version: '1.0.0', ...manifest }),
    ...sub(folder, files),
  };
}

const packages: readonly Row[] = [
  {
    what: 'ES modules by "exports"',
    files: {
      ...yaml('p'),
      ...packageWith(
        'shallot-plugin-p',
        { type: 'module', exports: './index.js' },
        { 'index.js': pluginModule('p') },
      ),
    },
    gives: ['p'],
  },
  {
    what: '"exports" with the condition "import" alone',
    files: { ...yaml('p'), ...pluginPackage('shallot-plugin-p') },
    gives: ['p'],
  },
  {
    what: '"exports" with nested conditions and types',
    files: {
      ...yaml('p'),
      ...packageWith(
        'shallot-plugin-p',
        {
          exports: {
            '.': {
              types: './index.d.ts',
              node: { import: './a.mjs', require: './a.cjs' },
              default: './gone.js',
            },
          },
        },
        { 'a.mjs': pluginModule('p') },
      ),
    },
    gives: ['p'],
  },
  {
    what: '"exports" with the condition "require" alone',
    files: {
      ...yaml('p'),
      ...packageWith(
        'shallot-plugin-p',
        { exports: { '.': { require: './a.cjs' } } },
        { 'a.cjs': commonJsPlugin('p') },
      ),
    },
    gives: [
      'MODULE_NOT_FOUND p shallot.config.yaml:2:11 The package shallot-plugin-p is installed in node_modules/shallot-plugin-p, but the "exports" of its package.json have neither "import" nor "default" for ".". Reinstall it, or fix the name.',
    ],
  },
  {
    what: 'CommonJS by "main"',
    files: {
      ...yaml('p'),
      ...packageWith('shallot-plugin-p', { main: './lib/index.js' }, { 'lib/index.js': commonJsPlugin('p') }),
    },
    gives: ['p'],
  },
  {
    what: 'CommonJS in a directory of a package without "exports"',
    files: {
      ...yaml('shallot-plugin-p/lib, shallot-plugin-p/more.js'),
      ...packageWith(
        'shallot-plugin-p',
        {},
        { 'lib/index.js': commonJsPlugin('p'), 'more.js': commonJsPlugin('q') },
      ),
    },
    gives: ['p', 'q'],
  },
  {
    what: 'CommonJS without "main"',
    files: { ...yaml('p'), ...packageWith('shallot-plugin-p', {}, { 'index.js': commonJsPlugin('p') }) },
    gives: ['p'],
  },
  {
    what: 'CommonJS made from ES modules, whose default export is one level down',
    files: {
      ...yaml('p'),
      ...packageWith(
        'shallot-plugin-p',
        {},
        {
          'index.js': `exports.__esModule = true;\n${commonJsPlugin('p').replace('module.exports', 'exports.default')}`,
        },
      ),
    },
    gives: ['p'],
  },
  {
    what: 'ES modules around such CommonJS, whose default export is two levels down',
    files: {
      ...yaml('p'),
      ...packageWith(
        'shallot-plugin-p',
        { exports: './index.mjs' },
        {
          'index.mjs': `export { default } from './inner.cjs';`,
          'inner.cjs': `exports.__esModule = true;\n${commonJsPlugin('p').replace('module.exports', 'exports.default')}`,
        },
      ),
    },
    gives: ['p'],
  },
  {
    what: 'a default and named exports',
    files: {
      ...yaml('p'),
      ...packageWith(
        'shallot-plugin-p',
        { exports: './index.mjs' },
        {
          'index.mjs': `${pluginModule('p')}\nexport const helper = 1;\nexport { default as p } from './index.mjs';`,
        },
      ),
    },
    gives: ['p'],
  },
  {
    what: 'named exports alone',
    files: {
      ...yaml('p'),
      ...packageWith(
        'shallot-plugin-p',
        { exports: './index.mjs' },
        {
          'index.mjs': pluginModule('p').replace('export default', 'export const p ='),
        },
      ),
    },
    gives: [
      'MODULE_INVALID p shallot.config.yaml:2:11 shallot-plugin-p: It is not a plugin: it exports p (a function). Make p its default export.',
    ],
  },
  {
    what: 'an entry that was not built',
    files: { ...yaml('p'), ...packageWith('shallot-plugin-p', { exports: './dist/index.js' }, {}) },
    gives: [
      'MODULE_NOT_FOUND p shallot.config.yaml:2:11 The package shallot-plugin-p is installed in node_modules/shallot-plugin-p, but its package.json names ./dist/index.js, which does not exist (was it built?). Reinstall it, or fix the name.',
    ],
  },
  {
    what: 'TypeScript in an installed package',
    files: {
      ...yaml('p'),
      ...packageWith('shallot-plugin-p', { exports: './index.ts' }, { 'index.ts': pluginModule('p') }),
    },
    gives: [expect.stringMatching(/^MODULE_FAILED p .*node_modules/)],
  },
  {
    what: 'TypeScript in a package that is linked from a workspace',
    files: {
      ...sub('app', yaml('p')),
      'libs/p/package.json': '{ "name": "shallot-plugin-p", "type": "module", "exports": "./index.ts" }',
      'libs/p/index.ts': `enum Place { High = 80 }\n${pluginModule('p')}`,
    },
    links: { 'app/node_modules/shallot-plugin-p': 'libs/p' },
    from: 'app',
    gives: ['p'],
  },
  {
    what: 'a plugin that requires a package which only it can see, in the layout of pnpm',
    files: {
      ...yaml('p'),
      ...sub('node_modules/.pnpm/shallot-plugin-p@1.0.0', {
        ...packageWith(
          'shallot-plugin-p',
          { exports: './index.mjs' },
          {
            'index.mjs': `import 'only-mine';\n${pluginModule('p')}`,
          },
        ),
      }),
      ...sub(
        'node_modules/.pnpm/only-mine@1.0.0',
        packageWith('only-mine', { exports: './index.mjs' }, { 'index.mjs': '' }),
      ),
    },
    links: {
      'node_modules/shallot-plugin-p':
        'node_modules/.pnpm/shallot-plugin-p@1.0.0/node_modules/shallot-plugin-p',
      'node_modules/.pnpm/shallot-plugin-p@1.0.0/node_modules/only-mine':
        'node_modules/.pnpm/only-mine@1.0.0/node_modules/only-mine',
    },
    gives: ['p'],
  },
  {
    what: 'a base package that brings plugins of its own, in the layout of pnpm',
    files: {
      ...model,
      'shallot.config.yaml': 'extends: "@acme/agent"\nmodel: ./model.mjs\n',
      ...sub(
        'node_modules/.pnpm/@acme+agent@1.0.0',
        packageWith('@acme/agent', { exports: './agent.yaml' }, { 'agent.yaml': 'plugins: [p]\n' }),
      ),
      ...sub('node_modules/.pnpm/shallot-plugin-p@1.0.0', pluginPackage('shallot-plugin-p')),
    },
    links: {
      'node_modules/@acme/agent': 'node_modules/.pnpm/@acme+agent@1.0.0/node_modules/@acme/agent',
      'node_modules/.pnpm/@acme+agent@1.0.0/node_modules/shallot-plugin-p':
        'node_modules/.pnpm/shallot-plugin-p@1.0.0/node_modules/shallot-plugin-p',
    },
    gives: ['p', '!PLUGIN_UNLISTED'],
  },
  {
    what: 'a plugin that another package brought, in the layout of pnpm, is not seen',
    files: {
      ...yaml('p'),
      ...sub('node_modules/.pnpm/shallot-plugin-p@1.0.0', pluginPackage('shallot-plugin-p')),
    },
    gives: [
      expect.stringContaining(
        'MODULE_NOT_FOUND p shallot.config.yaml:2:11 No package for "p" is installed (tried p, @shallot/plugin-p, shallot-plugin-p).',
      ),
    ],
  },
  {
    what: 'a project that is reached through a link',
    files: { ...sub('real', yaml('./p.mjs')), 'real/p.mjs': pluginModule('p') },
    links: { linked: 'real' },
    from: 'linked',
    gives: ['p'],
  },
  {
    what: 'a plugin file that is a link',
    files: { ...yaml('./p.mjs'), 'elsewhere/p.mjs': pluginModule('p') },
    links: { 'p.mjs': 'elsewhere/p.mjs' },
    gives: ['p'],
  },
  {
    what: 'a link that leads nowhere',
    files: yaml('p'),
    links: { 'node_modules/shallot-plugin-p': 'libs/gone' },
    gives: [expect.stringContaining('MODULE_NOT_FOUND p shallot.config.yaml:2:11 No package for "p"')],
  },
  {
    what: 'another entry of a package',
    files: {
      ...yaml('shallot-plugin-p/extra'),
      ...packageWith(
        'shallot-plugin-p',
        { exports: { '.': './index.mjs', './extra': './extra.mjs' } },
        { 'extra.mjs': pluginModule('extra') },
      ),
    },
    gives: ['extra'],
  },
  {
    what: 'two packages for one short name',
    files: { ...yaml('p'), ...pluginPackage('@shallot/plugin-p'), ...pluginPackage('shallot-plugin-p') },
    gives: [
      'MODULE_AMBIGUOUS p shallot.config.yaml:2:11 "p" can mean @shallot/plugin-p (node_modules/@shallot/plugin-p) and shallot-plugin-p (node_modules/shallot-plugin-p). Write the full name of the one you mean.',
    ],
  },
  {
    what: 'a package without a package.json',
    files: { ...yaml('p'), 'node_modules/shallot-plugin-p/index.js': pluginModule('p') },
    gives: [expect.stringContaining('MODULE_NOT_FOUND p shallot.config.yaml:2:11 No package for "p"')],
  },
  {
    what: 'a package whose package.json cannot be parsed',
    files: {
      ...yaml('p'),
      'node_modules/shallot-plugin-p/package.json': '{ "name": ',
      'node_modules/shallot-plugin-p/index.js': commonJsPlugin('p'),
    },
    gives: [
      'MODULE_NOT_FOUND p shallot.config.yaml:2:11 The package shallot-plugin-p is installed in node_modules/shallot-plugin-p, but its package.json cannot be parsed (node_modules/shallot-plugin-p/package.json:1:11). Reinstall it, or fix the name.',
    ],
  },
  {
    what: 'one plugin twice without ids',
    files: { ...yaml('p, p'), ...pluginPackage('shallot-plugin-p') },
    gives: [
      'PLUGIN_DUPLICATE p shallot.config.yaml:2:14 Two plugins have the id "p": from shallot-plugin-p (shallot.config.yaml:2:11) and from shallot-plugin-p (shallot.config.yaml:2:14). Give one of them another id.',
    ],
  },
  {
    what: 'a tool from two sources',
    files: {
      ...model,
      'shallot.config.yaml': 'model: ./model.mjs\ntools: [./a.mjs, ./b.mjs]\n',
      'a.mjs': toolModule('t'),
      'b.mjs': toolModule('t'),
    },
    gives: [
      'TOOL_DUPLICATE shallot.config.yaml:2:18 The tool "t" of b.mjs is also provided by a.mjs (shallot.config.yaml:2:9). Rename one, or remove one.',
    ],
  },
];

describe('a package', () => {
  it.each(packages)('$what', async (row) => expect(await outcomeOf(row)).toEqual(row.gives));
});

describe('two versions of one plugin in the tree', () => {
  const versioned = (version: string): Record<string, string> => ({
    ...pluginPackage('shallot-plugin-p', { manifest: { version, shallot: { plugin: 'p' } } }),
    'node_modules/shallot-plugin-p/index.js': pluginModule('p').replace(
      "version: '1.0.0'",
      `version: '${version}'`,
    ),
  });
  const tree = (own: string): Record<string, string> => ({
    ...model,
    ...versioned('1.0.0'),
    'shallot.config.yaml': `extends: "@acme/agent"\nmodel: ./model.mjs\nplugins: [${own}]\n`,
    'node_modules/@acme/agent/package.json': '{ "name": "@acme/agent", "exports": "./agent.yaml" }',
    'node_modules/@acme/agent/agent.yaml': 'plugins: [{ use: p, priority: 40 }]\n',
    ...sub('node_modules/@acme/agent', versioned('2.0.0')),
  });
  it('stand side by side, each as it is installed for the file that lists it', async () => {
    const { agent } = await loadAgent({ cwd: makeProject(tree('{ use: p, id: mine }')).directory });
    expect(agent.plugins.map(({ id, version }) => `${id} ${version}`)).toEqual(['p 2.0.0', 'mine 1.0.0']);
    await agent.close();
  });

  it('are one where both files list the plugin: that of the file which listed it first', async () => {
    const { agent } = await loadAgent({ cwd: makeProject(tree('{ use: p, priority: 60 }')).directory });
    expect(agent.plugins).toMatchObject([{ id: 'p', version: '2.0.0', priority: { beforeModel: 60 } }]);
    await agent.close();
  });
});

describe('a plugin that brings its own copy of the core', () => {
  const entry = `import { definePlugin } from '@shallot/core';
export default definePlugin({ name: 'p', beforeModel: (_, run) => run.end('from the plugin') });`;
  const folder = 'node_modules/shallot-plugin-p';

  /** The part of the core that a plugin needs, as a file of JavaScript. */
  async function coreAsText(contents: string): Promise<string> {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
      alias: { '@shallot/core': join(import.meta.dirname, '..', 'index.ts') },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      packages: 'bundle',
      external: ['pino'],
      logLevel: 'error',
    });
    return outputFiles[0]?.text ?? '';
  }

  async function loadedWith(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const project = makeProject({
      ...yaml('p'),
      ...packageWith('shallot-plugin-p', { exports: './index.mjs' }, {}),
      ...files,
    });
    const { agent, warnings } = await loadAgent({ cwd: project.directory });
    const { text } = await agent.run('Hello?');
    await agent.close();
    return [text, ...warnings.flatMap((warning) => brief(project, warning))];
  }

  it('in its node_modules works, and is reported with both places', async () => {
    const core = await coreAsText("export { definePlugin } from '@shallot/core';");
    const files = {
      [`${folder}/index.mjs`]: entry,
      [`${folder}/node_modules/@shallot/core/package.json`]:
        '{ "name": "@shallot/core", "version": "0.0.9", "exports": "./index.mjs" }',
      [`${folder}/node_modules/@shallot/core/index.mjs`]: core,
    };
    const [text, ...warnings] = await loadedWith(files);
    expect(text).toBe('from the plugin');
    expect(warnings).toEqual([
      expect.stringMatching(
        /^CORE_DUPLICATE p shallot\.config\.yaml:2:11 p uses @shallot\/core 0\.0\.9 in node_modules\/shallot-plugin-p\/node_modules\/@shallot\/core, and the agent @shallot\/core \d.*loaded twice\. Install a version of p that accepts/,
      ),
    ]);
  });

  it('in its own bundle works, and is reported with what its author should do', async () => {
    const [text, ...warnings] = await loadedWith({ [`${folder}/index.mjs`]: await coreAsText(entry) });
    expect(text).toBe('from the plugin');
    expect(warnings).toEqual([
      'CORE_DUPLICATE p shallot.config.yaml:2:11 p contains a copy of @shallot/core, bundled into node_modules/shallot-plugin-p. It works, but the core is loaded twice. Its author should list the core under peerDependencies, and leave it out of the bundle.',
    ]);
  });

  it('is none if the project has that copy, and the agent another: a command that is installed elsewhere', async () => {
    const core = await coreAsText("export { definePlugin } from '@shallot/core';");
    const files = {
      [`${folder}/index.mjs`]: entry,
      'node_modules/@shallot/core/package.json':
        '{ "name": "@shallot/core", "version": "0.0.9", "exports": "./index.mjs" }',
      'node_modules/@shallot/core/index.mjs': core,
    };
    expect(await loadedWith(files)).toEqual(['from the plugin']);
  });
});

describe('a config file', () => {
  it.each(configFiles)('$what', async (row) => expect(await outcomeOf(row)).toEqual(row.gives));
});

async function outcomeOf({ files, links = {}, from = '.', readOnly }: Row): Promise<string[]> {
  const project = makeProject(files);
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(project.path(path)), { recursive: true });
    symlinkSync(project.path(target), project.path(path));
  }
  if (readOnly !== undefined) {
    chmodSync(project.path(readOnly), 0o555);
    onTestFinished(() => chmodSync(project.path(readOnly), 0o755));
  }
  try {
    const { agent, warnings } = await loadAgent({ cwd: project.path(from) });
    const found = [
      ...agent.plugins.map(({ id }) => id),
      ...agent.tools.list().map(({ name }) => `+${name}`),
      ...warnings.map((warning) => `!${warning.code}`),
    ];
    await agent.close();
    return found;
  } catch (error) {
    if (!isShallotError(error)) throw error;
    return brief(project, error);
  }
}
