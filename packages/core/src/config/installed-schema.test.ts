import { Validator, type Schema } from '@cfworker/json-schema';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

import { makeProject, pluginModule, pluginPackage, type TestProject } from '../../test/test-project.ts';
import { installedSchema } from './installed-schema.ts';

/** A plugin's module with options: a level, and a model that the environment may give. */
const counting = `
const brand = Symbol.for('shallot.plugin');
const json = { type: 'object', properties: { level: { $ref: '#/$defs/level' } }, $defs: { level: { type: 'number' } }, additionalProperties: false };
const options = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }), jsonSchema: { input: () => json, output: () => json } } };
const definition = { name: 'counting', version: '1.0.0', api: '^1.0.0', options, setup() {} };
export default Object.assign((given) => Object.freeze({ [brand]: true, definition, options: given }), { definition });
`;

const counter = {
  ...pluginPackage('shallot-plugin-counting', {
    manifest: { shallot: { plugin: 'counting', api: '^1.0.0' } },
  }),
  'node_modules/shallot-plugin-counting/index.js': counting,
};

const listing = '{ "type": "module", "dependencies": { "shallot-plugin-counting": "^1.0.0" } }';

async function faultsIn(project: TestProject, config: string): Promise<string[]> {
  const { schema } = await installedSchema({ cwd: project.directory, env: {} });
  // The generated schema is what the validator takes.
  const validator = new Validator(JSON.parse(JSON.stringify(schema)) as Schema, '7', false);
  return validator.validate(parse(config)).errors.map(({ instanceLocation }) => instanceLocation);
}

it('describes the options of a plugin that is installed, by each of its names', async () => {
  const project = makeProject({ 'shallot.config.yaml': 'model: a/b\n', 'package.json': listing, ...counter });
  for (const name of ['counting', 'shallot-plugin-counting']) {
    const entry = (options: string): string => `plugins:\n  - use: ${name}\n    options: ${options}\n`;
    expect(await faultsIn(project, entry('{ level: 5 }'))).toEqual([]);
    expect(await faultsIn(project, entry('{ $env: LEVEL }'))).toEqual([]);
    expect(await faultsIn(project, entry('{ level: { $env: LEVEL, default: 5 } }'))).toEqual([]);
    expect(await faultsIn(project, entry('{ level: high }'))).toContain('#/plugins/0/options/level');
    expect(await faultsIn(project, entry('{ levle: 5 }'))).toContain('#/plugins/0/options/levle');
  }
});

it('proposes its names, and takes any other as before', async () => {
  const project = makeProject({ 'shallot.config.yaml': '', 'package.json': listing, ...counter });
  const { schema } = await installedSchema({ cwd: project.directory });
  expect(JSON.stringify(schema)).toContain('{"enum":["shallot-plugin-counting","counting"]}');
  expect(
    await faultsIn(project, 'plugins:\n  - quux\n  - use: ./local.ts\n    options: { anything: 1 }\n'),
  ).toEqual([]);
  expect(await faultsIn(project, 'plugins:\n  - use: counting\n    prioriti: 5\n')).not.toEqual([]);
});

it('describes the plugins that the config names by path, without what they take from the environment', async () => {
  const project = makeProject({
    'shallot.config.yaml': 'plugins:\n  - use: ./counting.mjs\n    options: { level: { $env: NOT_SET } }\n',
    'counting.mjs': counting,
  });
  const { warnings } = await installedSchema({ cwd: project.directory, env: {} });
  expect(warnings).toEqual([]);
  expect(
    await faultsIn(project, 'plugins:\n  - use: ./counting.mjs\n    options: { levle: 1 }\n'),
  ).not.toEqual([]);
});

it('reads no file of a disabled plugin', async () => {
  const project = makeProject({
    'shallot.config.yaml': 'plugins:\n  - use: counting\n    enabled: false\n',
    'package.json': listing,
    ...counter,
    'node_modules/shallot-plugin-counting/index.js': 'throw new Error("imported");',
  });
  expect((await installedSchema({ cwd: project.directory })).warnings).toEqual([]);
});

it('takes the path of the config from the working directory, and refuses one without a file', async () => {
  const project = makeProject({ 'a/agent.yaml': 'model: a/b\n' });
  const named = (path: string) => installedSchema({ cwd: project.directory, path, env: {} });
  expect((await named('a/agent.yaml')).path).toBe(project.path('a/agent.yaml'));
  for (const path of ['a', 'b/agent.yaml'])
    await expect(named(path)).rejects.toMatchObject({ code: 'CONFIG_NOT_FOUND' });
});

it('works with a config that is not valid and with plugins that are not, and says so', async () => {
  const project = makeProject({
    'shallot.config.yaml': 'modle: a/b\n',
    'package.json': listing,
    ...counter,
    'node_modules/shallot-plugin-counting/index.js': 'throw new Error("no tea");',
  });
  const { warnings, schema } = await installedSchema({ cwd: project.directory });
  expect(warnings.map(({ code }) => code)).toEqual(['CONFIG_INVALID', 'MODULE_FAILED']);
  expect(schema).toHaveProperty('properties.model');
});

it('takes no options for a plugin that has none, and names a module that is no plugin', async () => {
  const project = makeProject({
    'shallot.config.yaml': 'plugins: [./plain.mjs, ./other.mjs]\n',
    'plain.mjs': pluginModule('plain'),
    'other.mjs': 'export default 5;',
  });
  const { warnings } = await installedSchema({ cwd: project.directory, env: {} });
  expect(warnings.map(({ code, message }) => `${code} ${message}`)).toEqual([
    expect.stringMatching(
      /^MODULE_INVALID .*other\.mjs: It is not a plugin: it exports default \(a number\)\./,
    ),
  ]);
  const plain = (options: string): string => `plugins:\n  - use: ./plain.mjs\n    options: ${options}\n`;
  expect(await faultsIn(project, plain('{}'))).toEqual([]);
  expect(await faultsIn(project, plain('{ level: 5 }'))).not.toEqual([]);
});
