import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { startRegistry, type LoopbackRegistry } from './loopback-registry.ts';
import { readMarkdown } from './markdown.ts';
import { mustPass } from './must-pass.ts';
import { publishWorkspace } from './publish-workspace.ts';
import { runToEnd, type Ended } from './run-to-end.ts';
import { readPackage, root } from './workspace.ts';

let registry: LoopbackRegistry;

beforeAll(async () => {
  registry = await publishWorkspace(startRegistry, [
    readPackage(join(root, 'examples', 'plugin-word-count')),
  ]);
}, 10 * 60_000);
afterAll(() => registry.close());

/** A package manager: how it is called, how it adds packages, and what has to stand in files before. */
interface Manager {
  readonly command: readonly [program: string, ...args: string[]];
  readonly add: string;
  readonly files?: (url: string) => Readonly<Record<string, string>>;
}

const managers: Readonly<Record<string, Manager>> = {
  npm: { command: ['npm'], add: 'install' },
  pnpm: { command: ['pnpm'], add: 'add' },
  'yarn 1': { command: ['npx', '-y', 'yarn@1.22.22'], add: 'add' },
  'yarn 4': {
    command: ['npx', '-y', '@yarnpkg/cli-dist@4.18.1'],
    add: 'add',
    files: (url) => ({
      'yarn.lock': '',
      '.yarnrc.yml': [
        'nodeLinker: node-modules',
        `npmRegistryServer: ${url}`,
        'unsafeHttpWhitelist: [127.0.0.1]',
        'enableTelemetry: false',
        'enableImmutableInstalls: false',
        'npmMinimalAgeGate: 0',
        '',
      ].join('\n'),
    }),
  },
  bun: { command: ['npx', '-y', 'bun@1.4.5'], add: 'add' },
};

/** A fresh folder outside of the repository. */
function makeFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-installed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** The config of a user who installs the packages. */
const config = {
  'package.json': '{ "name": "mine", "private": true, "type": "module" }',
  'shallot.config.yaml': 'model: ./model.ts\nplugins: [word-count, ./shout.ts]\n',
  'model.ts': `import { scriptedModel } from '@shallot/testing';
export default scriptedModel([{ text: 'As you like it.' }]);`,
  'shout.ts': `import { definePlugin, type Plugin, type PluginFactory } from '@shallot/core';
const factory: PluginFactory<undefined> = definePlugin({
  name: 'shout',
  setup({ hooks }) {
    hooks.beforeModel.tap('loud', (request) => ({ ...request, instructions: 'SHOUT' }));
  },
});
export default factory;
export type Shouting = Plugin;`,
};

/** Nothing of the machine's own settings, nor of the tool that runs the tests, decides what a package manager does. */
function environment(cwd: string, url: string): Record<string, string | undefined> {
  const foreign = Object.keys(process.env).filter((name) => /^(?:npm|pnpm|yarn|bun)_/i.test(name));
  return {
    ...Object.fromEntries(foreign.map((name) => [name, undefined])),
    CI: 'true',
    npm_config_registry: url,
    npm_config_userconfig: join(cwd, '.npmrc'),
    YARN_REGISTRY: url,
    // Each test publishes another package under the same version.
    YARN_CACHE_FOLDER: join(cwd, '.cache', 'yarn'),
    YARN_GLOBAL_FOLDER: join(cwd, '.cache', 'yarn-global'),
    BUN_INSTALL_CACHE_DIR: join(cwd, '.cache', 'bun'),
  };
}

describe.each(Object.entries(managers))('with %s', (_, { command, add, files = () => ({}) }) => {
  const started = async (): Promise<{
    readonly folder: string;
    readonly manage: (...args: string[]) => Promise<Ended>;
  }> => {
    const { url } = registry;
    const folder = makeFolder({
      ...config,
      ...files(url),
      '.npmrc': `registry=${url}/\n`,
    });
    const [program, ...first] = command;
    const manage = (...args: string[]): Promise<Ended> =>
      runToEnd(program, [...first, ...args], { cwd: folder, env: environment(folder, url) });
    return { folder, manage };
  };

  it('is installed without a question, brings no plugin, and runs', async () => {
    const { folder, manage } = await started();
    const added = await manage(
      add,
      'shallot',
      '@shallot/core',
      '@shallot/testing',
      'shallot-plugin-word-count',
    );
    const again = await manage('install');
    for (const ended of [added, again]) {
      expect(ended).toMatchObject({ status: 0 });
      expect(ended.output).not.toMatch(/build script|install script|approve|allowScripts|trusted/i);
    }
    const ours = readdirSync(join(folder, 'node_modules', '@shallot'));
    expect(ours.filter((name) => !name.startsWith('.'))).toEqual(['core', 'testing']);
    expect(
      globSync('node_modules/{,.pnpm/node_modules/}{esbuild,@shallot/plugin-*}', { cwd: folder }),
    ).toEqual([]);

    const command = join(folder, 'node_modules', '.bin', 'shallot');
    const ended = await runToEnd(command, ['run', '--quiet', 'How?'], { cwd: folder });
    expect(ended).toMatchObject({ status: 0, stdout: 'As you like it.\n', output: 'As you like it.\n' });
    const inspected = await runToEnd(command, ['inspect'], { cwd: folder });
    expect(inspected).toMatchObject({ status: 0 });
    expect(inspected.output).not.toMatch(/warning/i);
    const traced = await runToEnd(command, ['trace', 'none.jsonl'], { cwd: folder });
    expect(traced).toMatchObject({ status: 2 });
    expect(traced.output).toMatch(/is installed\. Run: \w+ (?:install|add) @shallot\/plugin-telemetry\n/);
  });
});

interface Project {
  readonly folder: string;
  /** Runs a program there, which must pass. */
  run(program: string, ...args: readonly string[]): Promise<Ended>;
}

/** A fresh folder whose npm installs from the registry on this machine. */
function makeProject(files: Readonly<Record<string, string>>): Project {
  const cwd = makeFolder(files);
  const env = environment(cwd, registry.url);
  return { folder: cwd, run: (program, ...args) => mustPass(program, args, { cwd, env }) };
}

/** The files that a guide shows, by the names in their first lines or beside their language; of two the later. */
function filesOf(guide: string): Record<string, string> {
  const { fences } = readMarkdown(readFileSync(join(root, 'docs', 'guides', guide), 'utf8'));
  return Object.fromEntries(
    fences.flatMap(({ language, info, code }) => {
      const [, name = info.slice(language.length + 1)] = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(code) ?? [];
      return name !== '' && /\.\w+$/.test(name) ? [[name, code]] : [];
    }),
  );
}

const model = `import { scriptedModel } from '@shallot/testing';
export default scriptedModel([
  { toolCalls: [{ name: 'buy', args: { price: 60 } }] },
  { text: 'It is bought.' },
]);`;

const buy = `import { defineTool } from '@shallot/core';
export default defineTool({ name: 'buy', description: 'Buys.', input: { type: 'object' }, execute: () => 'bought' });`;

/** Writes how many files of each package were loaded. */
const counter = `import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const files = new Set();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (resolved.url.startsWith('file:')) files.add(resolved.url);
    return resolved;
  },
});
process.on('exit', () => {
  const names = [...files].flatMap((url) => /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1] ?? []);
  const counts = Map.groupBy(names, (name) => name);
  writeFileSync('loaded.json', JSON.stringify(Object.fromEntries([...counts].map(([name, all]) => [name, all.length]))));
});`;

it('the command reads few files when it starts, and none of packages that it does not use', async () => {
  const { folder, run } = makeProject({
    ...config,
    'shallot.config.yaml': 'model: ./model.js\nplugins: [word-count]\n',
    'model.js': `export default {
  id: 'a/b',
  generate: async () => ({ message: { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] }, finish: 'stop' }),
};`,
    'count.mjs': counter,
  });
  await run('npm', 'install', 'shallot', '@shallot/core', 'shallot-plugin-word-count');
  const loadedFor = async (...args: readonly string[]): Promise<Record<string, number>> => {
    await run('node', '--import', './count.mjs', 'node_modules/shallot/dist/main.js', ...args);
    return JSON.parse(readFileSync(join(folder, 'loaded.json'), 'utf8')) as Record<string, number>;
  };
  expect(await loadedFor('--version')).toEqual({ shallot: 2 });
  expect(await loadedFor('--help')).toEqual({ shallot: 4 });
  // The plugin's options are described with valibot.
  const inspected = { shallot: 7, '@shallot/core': 9, 'shallot-plugin-word-count': 1, valibot: 1 };
  expect(await loadedFor('inspect')).toEqual(inspected);
  expect(await loadedFor('run', 'Hi')).toEqual({ ...inspected, '@shallot/core': 10 });
});

it('a mistake that a program does not catch shows its own line, and little else', async () => {
  const mistakes = {
    'agent.mjs': "import { createAgent } from '@shallot/core';\n\nawait createAgent({ model: './m' });\n",
    'run.mjs':
      "import { createAgent } from '@shallot/core';\nimport { scriptedModel } from '@shallot/testing';\nconst agent = await createAgent({ model: scriptedModel([]) });\nawait agent.run('Hi', { session: 'a' });\n",
    'plugin.mjs':
      "import { definePlugin } from '@shallot/core';\n\nexport default definePlugin({ nam: 'x', setup() {} });\n",
    'tool.mjs': "import { defineTool } from '@shallot/core';\n\ndefineTool({ name: 'x y' });\n",
  };
  const { folder, run } = makeProject({ ...config, ...mistakes });
  await run('npm', 'install', '@shallot/core', '@shallot/testing');
  for (const [file, code] of Object.entries(mistakes)) {
    const { status, output } = await runToEnd('node', [file], { cwd: folder });
    const lines = code.trimEnd().split('\n');
    expect({ file, status, output }).toEqual({
      file,
      status: 1,
      output: expect.stringContaining(`${file}:${lines.length}\n${lines.at(-1)}\n`) as string,
    });
    expect({ file, isShort: output.length <= 1024 }).toEqual({ file, isShort: true });
  }
});

it('the package of "Write a plugin" is tested, packed, installed and loaded as it stands', async () => {
  const { 'shallot.config.yaml': config = '', ...files } = filesOf('write-a-plugin.md');
  const author = makeProject(files);
  await author.run('npm', 'install');
  expect((await author.run('npm', 'test')).output).toMatch(/has no side effects when it is imported|passed/);
  rmSync(join(author.folder, 'dist'), { recursive: true });
  await author.run('npm', 'pack');
  const [tarball = ''] = globSync('*.tgz', { cwd: author.folder });
  await registry.publish(join(author.folder, tarball));

  const user = makeProject({
    'package.json': '{ "private": true, "type": "module" }',
    'shallot.config.yaml': `${config}tools: [./buy.ts]\n`,
    'model.ts': model,
    'buy.ts': buy,
  });
  await user.run('npm', 'install', 'shallot', '@shallot/core', '@shallot/testing', 'shallot-plugin-spending');
  const inspected = await user.run('npx', 'shallot', 'inspect');
  expect(inspected.stdout).toContain('plugins  spending 0.1.0');
  expect(inspected.output).not.toMatch(/warning/i);
  await expect(user.run('npx', 'shallot', 'run', '--no-ask', 'Buy it.')).rejects.toThrow('exit status 3');
});

it('three commands make an assistant for a repository, which answers and is healthy', async () => {
  const { folder, run } = makeProject({});
  await run('npm', 'init', '--yes');
  await run('npm', 'install', 'shallot', '@shallot/core');
  const made = await run('npx', 'shallot', 'init', '--yes', '--template', 'repository');
  expect(made.stdout).toContain("Try it:  npx shallot run 'call grep");
  expect(globSync('*.{ts,js,mjs}', { cwd: folder })).toEqual([]);
  expect((await run('npx', 'shallot', 'doctor')).stdout).toMatch(/Nothing is wrong\.\n$/);
  writeFileSync(join(folder, 'a.md'), 'TODO: sell honey.\n');
  const found = await run('npx', 'shallot', 'run', '--no-ask', 'call grep {"pattern":"TODO"}');
  expect(found.stdout).toContain('sell honey');
  // Asks before a file is changed.
  const write = 'call write_file {"path":"/b.md","content":"x"}';
  await expect(run('npx', 'shallot', 'run', '--no-ask', write)).rejects.toThrow('exit status 3');
});

it('the agent of "Your first agent" is checked, and runs as the guide says', async () => {
  const { run } = makeProject(filesOf('first-agent.md'));
  await run('npm', 'init', '--yes');
  await run('npm', 'pkg', 'set', 'type=module');
  await run('npm', 'install', 'shallot', '@shallot/core', 'zod');
  await run('npm', 'install', '--save-dev', 'typescript', '@types/node');
  await run('npx', 'tsc');
  expect((await run('npx', 'shallot', 'run', 'What is 19 and 23?')).stdout).toBe('It is 42.\n');
  expect((await run('node', 'embedded.ts')).output).toBe('It is 42.\n');
  expect((await run('node', 'main.ts')).stdout).toContain('It is 42.');
});
