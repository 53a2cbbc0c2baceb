import {
  conformanceTest,
  entrySource,
  pluginSource,
  pluginTest,
  type PluginChoices,
} from './plugin-source.ts';

/** Returns the files of a plugin repository, by path. */
export function pluginFiles(choices: PluginChoices): Readonly<Record<string, string>> {
  const { plugin } = choices.names;
  return {
    'package.json': json(manifestOf(choices)),
    'tsconfig.json': json(tsconfig),
    'src/index.ts': entrySource(choices),
    [`src/${plugin}.ts`]: pluginSource(choices),
    [`src/${plugin}.test.ts`]: pluginTest(choices),
    'src/conformance.test.ts': conformanceTest(choices),
    'README.md': readme(choices),
    LICENSE: license(choices),
    '.gitignore': 'node_modules/\ndist/\n*.tgz\n',
    '.changeset/config.json': json(changesetConfig),
    '.changeset/README.md': changesetReadme,
    '.github/workflows/ci.yml': workflow(choices),
    // pnpm asks about each package with an install script; none of these needs to run.
    ...(choices.manager === 'pnpm' ? { 'pnpm-workspace.yaml': 'allowBuilds:\n  esbuild: false\n' } : {}),
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function manifestOf({ names, description, author, core, api }: PluginChoices): object {
  return {
    name: names.packageName,
    version: '0.1.0',
    description,
    keywords: ['shallot', 'shallot-plugin'],
    license: 'MIT',
    ...(author === '' ? {} : { author }),
    type: 'module',
    sideEffects: false,
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    files: ['dist'],
    ...(names.packageName.startsWith('@') ? { publishConfig: { access: 'public' } } : {}),
    engines: { node: '^22.18 || >=24' },
    scripts: {
      build: 'tsc',
      test: 'tsc && vitest run',
      change: 'changeset',
      prepack: 'tsc',
    },
    peerDependencies: { '@shallot/core': `>=${core}` },
    devDependencies: {
      '@changesets/cli': '^3.0.0',
      '@shallot/core': `>=${core}`,
      '@shallot/testing': `>=${core}`,
      typescript: '^7.0.0',
      vitest: '^5.0.0',
    },
    shallot: { plugin: names.plugin, api: `^${api}`, entry: { options: { level: 'info' } } },
  };
}

const tsconfig = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: [],
    rootDir: 'src',
    outDir: 'dist',
    declaration: true,
    strict: true,
    skipLibCheck: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    rewriteRelativeImportExtensions: true,
  },
  include: ['src'],
  exclude: ['src/**/*.test.ts'],
};

const changesetConfig = {
  $schema: 'https://unpkg.com/@changesets/config@4.0.1/schema.json',
  changelog: '@changesets/cli/changelog',
  commit: false,
  access: 'public',
  baseBranch: 'main',
};

const changesetReadme = `# Changes that are not released yet

A file for each, written by \`npm run change\`: what a user notices, in a sentence. \`npx changeset version\` makes the next version and
the changelog of them, and \`npx changeset publish\` publishes it.
`;

function hookTable(hooks: PluginChoices['hooks']): string {
  const does = 'logs that it was called; passes everything through';
  const names = ['hook', ...hooks.map((hook) => `\`${hook}\``)];
  const width = Math.max(...names.map((name) => name.length));
  const line = (name: string, what: string): string =>
    `| ${name.padEnd(width)} | ${what.padEnd(does.length)} |`;
  const [head = '', ...body] = names;
  const rule = line('-'.repeat(width), '-'.repeat(does.length));
  return [line(head, 'what it does'), rule, ...body.map((name) => line(name, does))].join('\n');
}

function readme({ names, description, hooks, manager }: PluginChoices): string {
  return `# ${names.packageName}

${description}

## Install

\`\`\`sh
${manager === 'npm' ? 'npm install' : 'pnpm add'} ${names.packageName}
\`\`\`

Or, in a project with a \`shallot.config.yaml\`: \`npx shallot add ${names.use}\`.

## Config entry

\`\`\`yaml
plugins:
  - use: ${names.use.startsWith('@') ? `'${names.use}'` : names.use}
    options: { level: info }
\`\`\`

## Options

| option  | default | meaning                    |
| ------- | ------- | -------------------------- |
| \`level\` | \`debug\` | the level of its log lines |

## Hooks and priority

${hookTable(hooks)}

It stands at the default priority, 25.

## Example

\`\`\`ts
import { createAgent } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import ${names.variable} from '${names.packageName}';

const agent = await createAgent({
  model: scriptedModel([{ text: 'Hello.' }]),
  plugins: [${names.variable}({ level: 'info' })],
});
await agent.run('Hello?');
await agent.close();
\`\`\`

## Limits

It does nothing yet.
`;
}

function workflow({ manager }: PluginChoices): string {
  const setup =
    manager === 'pnpm' ? '      - uses: pnpm/action-setup@v4\n        with: { version: 12 }\n' : '';
  const install = manager === 'pnpm' ? 'pnpm install --frozen-lockfile' : 'npm ci';
  return `name: CI
on:
  push: { branches: [main] }
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix: { node: [22, 24] }
    steps:
      - uses: actions/checkout@v4
${setup}      - uses: actions/setup-node@v4
        with: { node-version: '\${{ matrix.node }}', cache: ${manager} }
      - run: ${install}
      - run: ${manager} test
`;
}

function license({ author, year }: PluginChoices): string {
  return `MIT License

Copyright (c) ${year} ${author === '' ? 'the authors' : author}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;
}
