import { advised, rewritten, type AdvisedProject } from './advised-project.ts';
import { pluginFile, toolFile } from './faulty-project.ts';

const yaml = 'shallot.config.yaml';
const entry = `${yaml}:3:5`;
const listing = 'plugins:\n  - ./p.mjs\n';
const fine = { 'p.mjs': pluginFile('') };

/** Returns a project with one local plugin whose code has a mistake. */
function mistaken(
  fault: string,
  module: string,
  told: Partial<AdvisedProject> & { readonly fix: string },
): AdvisedProject {
  return advised(fault, listing, {
    files: { 'p.mjs': module },
    code: 'PLUGIN_SETUP_FAILED',
    at: entry,
    obey: { files: fine },
    ...told,
  });
}

const plugins: readonly AdvisedProject[] = [
  mistaken(
    'a misspelt import',
    "import { defineplugin } from '@shallot/core';\nexport default defineplugin({ name: 'p' });\n",
    {
      code: 'MODULE_FAILED',
      at: 'p.mjs:1:',
      fix: 'definePlugin',
    },
  ),
  mistaken('a hook that is misspelt', pluginFile("hooks.beforModel.tap('x', () => {});"), {
    code: 'OPTION_INVALID',
    plugin: 'p',
    fix: 'Did you mean "beforeModel"?',
  }),
  mistaken('a hook that is misspelt as a member', pluginFile('', 'beforModel() {}'), {
    code: 'PLUGIN_INVALID',
    fix: 'did you mean "beforeModel"?',
    at: 'p.mjs:',
  }),
  mistaken('an edge by its old name', pluginFile('', "before: ['memory']"), {
    code: 'PLUGIN_INVALID',
    fix: 'did you mean "outside"?',
    at: 'p.mjs:',
  }),
  mistaken('a tap without a name', pluginFile('hooks.beforeModel.tap(() => {});'), {
    code: 'OPTION_INVALID',
    plugin: 'p',
    fix: 'pass a name',
  }),
  advised('a tool without a description', 'tools: [./t.mjs]\n', {
    files: {
      't.mjs':
        "import { defineTool } from '@shallot/core';\nexport const t = defineTool({ name: 't', input: { type: 'object' }, execute: () => 'x' });\n",
    },
    code: 'TOOL_INVALID',
    at: 't.mjs:2:',
    fix: 'description',
    obey: { files: { 't.mjs': toolFile('t', "() => 'x'", "effect: 'read'") } },
  }),
  advised('an input of a tool that is no schema', 'tools: [./t.mjs]\n', {
    files: { 't.mjs': toolFile('t', "() => 'x'", "effect: 'read', input: { city: 'string' }") },
    code: 'TOOL_INVALID',
    at: 't.mjs:2:',
    fix: 'it must be "object"',
    obey: { files: { 't.mjs': toolFile('t', "() => 'x'", "effect: 'read'") } },
  }),
  advised('a package.json that cannot be parsed', 'tools: [./t.js]\n', {
    files: { 'package.json': '{ "type": "module", }', 't.js': toolFile('t', "() => 'x'", "effect: 'read'") },
    code: 'MODULE_FAILED',
    at: 'package.json:1:',
    fix: 'a comma after the last element',
    obey: { files: { 'package.json': '{ "type": "module" }' } },
  }),
  advised('an edge that is a word', 'plugins:\n  - use: ./p.mjs\n    outside: «q\n  - ./q.mjs\n', {
    files: { ...fine, 'q.mjs': pluginFile('', "name: 'q'") },
    code: 'CONFIG_INVALID',
    plugin: './p.mjs',
    fix: 'write a list',
    obey: { write: '[q]' },
  }),
  advised('an edge to itself', 'plugins:\n  - use: ./p.mjs\n    inside: [«p]\n', {
    files: fine,
    status: 1,
    code: 'ORDER_TARGET',
    plugin: './p.mjs',
    fix: 'remove it',
    obey: rewritten(listing),
  }),
  advised('a priority in words', 'plugins:\n  - use: ./p.mjs\n    priority: «high\n', {
    files: fine,
    code: 'PRIORITY_RANGE',
    plugin: './p.mjs',
    fix: 'number',
    obey: { write: '70' },
  }),
];

/** Returns a project for a test of `/reload` in a chat: its plugin spoils files as soon as the agent is ready. */
function reloaded(
  fault: string,
  spoil: Readonly<Record<string, string>>,
  told: Partial<AdvisedProject> & { readonly code: string; readonly fix: string },
): AdvisedProject {
  const writes = Object.entries(spoil).map(
    ([path, content]) =>
      `writeFileSync(new URL(${JSON.stringify(path)}, import.meta.url), ${JSON.stringify(content)});`,
  );
  const spoiler = `import { writeFileSync } from 'node:fs';\n${pluginFile(`onReady(() => { ${writes.join(' ')} });`)}`;
  return advised(`reload: ${fault}`, listing, {
    files: { 'p.mjs': spoiler, 'q.mjs': pluginFile('', "name: 'q'") },
    args: ['chat'],
    stdin: '/reload\nhi\n',
    status: 0,
    ...told,
  });
}

const reloads: readonly AdvisedProject[] = [
  reloaded(
    'a config that cannot be parsed',
    { [yaml]: 'model: [' },
    {
      code: 'CONFIG_SYNTAX',
      at: `${yaml}:1:`,
      fix: 'not reloaded',
      obey: rewritten(''),
    },
  ),
  reloaded(
    'a plugin that is not there',
    { [yaml]: 'model: offline\nplugins: [./gone.mjs]\n' },
    {
      code: 'MODULE_NOT_FOUND',
      plugin: './gone.mjs',
      at: `${yaml}:2:11`,
      fix: 'not reloaded',
      obey: rewritten(''),
    },
  ),
  reloaded(
    'a plugin that fails',
    {
      'q.mjs': pluginFile("throw new Error('no tea');", "name: 'q'"),
      [yaml]: 'model: offline\nplugins: [./q.mjs]\n',
    },
    {
      code: 'PLUGIN_SETUP_FAILED',
      plugin: 'q',
      at: `${yaml}:2:11`,
      fix: 'no tea',
      // `p.mjs` would spoil `q.mjs` again, so it is replaced as well.
      obey: { files: { 'q.mjs': pluginFile('', "name: 'q'"), 'p.mjs': pluginFile('') } },
    },
  ),
  reloaded(
    'a misspelt key',
    { [yaml]: 'model: offline\nmaxStep: 5\n' },
    {
      code: 'CONFIG_INVALID',
      at: `${yaml}:2:1`,
      fix: 'did you mean "maxSteps"?',
      obey: rewritten('maxSteps: 5\n'),
    },
  ),
  reloaded(
    'a variable that is not set',
    { [yaml]: 'model: offline\nname: { $env: GONE }\n' },
    {
      code: 'CONFIG_ENV',
      at: `${yaml}:2:7`,
      fix: 'GONE',
      obey: rewritten('name: shop\n'),
    },
  ),
  reloaded(
    'a tool that cannot be parsed',
    { 't.mjs': 'export const = 1;\n', [yaml]: 'model: offline\ntools: [./t.mjs]\n' },
    {
      code: 'MODULE_FAILED',
      at: 't.mjs:1:14',
      fix: 'Unexpected token',
      obey: rewritten(''),
    },
  ),
];

const changes: readonly AdvisedProject[] = [
  advised('an addition to a config that cannot be parsed', 'plugins: [a\n', {
    args: ['add', 'memory'],
    code: 'CONFIG_SYNTAX',
    at: `${yaml}:`,
    fix: 'is not closed',
    obey: rewritten(''),
  }),
  advised('a package manager that is none', '', {
    files: { 'package.json': '{ "type": "module", "packageManager": "foo@1.0.0" }' },
    args: ['add', 'memory'],
    code: 'USAGE_INVALID',
    at: 'package.json',
    fix: 'npm, pnpm, yarn or bun',
    obey: { files: { 'package.json': '{ "type": "module" }' } },
  }),
];

export const advisedCode: readonly AdvisedProject[] = [...plugins, ...reloads, ...changes];
