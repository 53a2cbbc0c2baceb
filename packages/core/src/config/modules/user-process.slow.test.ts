import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { makeProject, type TestProject } from '../../../test/test-project.ts';

const run = promisify(execFile);

/** Runs a script in a process of its own, and gives what it prints. */
async function runScript(project: TestProject, script: string, ...flags: readonly string[]): Promise<string> {
  return runIn(process.env, project, script, flags);
}

/** The same without the compile cache of the tests, as a user's program is run. */
async function runUncached(
  project: TestProject,
  script: string,
  ...flags: readonly string[]
): Promise<string> {
  return runIn({ ...process.env, NODE_COMPILE_CACHE: undefined }, project, script, flags);
}

async function runIn(
  env: NodeJS.ProcessEnv,
  project: TestProject,
  script: string,
  flags: readonly string[],
): Promise<string> {
  const config = JSON.stringify(join(import.meta.dirname, '..', 'index.ts'));
  project.write({ 'script.mjs': `import { loadConfig } from ${config};\n${script}` });
  const { stdout } = await run(process.execPath, [...flags, project.path('script.mjs')], {
    cwd: project.directory,
    env,
  });
  return stdout.replaceAll(project.directory, '');
}

/** A module that hides a package from the process, as if it were not installed. */
function hiding(name: string): string {
  return `
import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== '${name}') return next(specifier, context);
    throw Object.assign(new Error("Cannot find package '${name}'"), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});`;
}

/** A script that prints the config for each of these options of `loadConfig`, or its error, on a line. */
function show(...all: readonly string[]): string {
  return (all.length === 0 ? ['{}'] : all)
    .map(
      (options) => `
try {
  console.log(JSON.stringify((await loadConfig(${options})).config));
} catch ({ code, at, message }) {
  console.log(JSON.stringify({ code, at, message }));
}`,
    )
    .join('\n');
}

describe('esbuild', () => {
  const types = { 'types.ts': 'export interface Named { name: string }' };

  it('is asked for with the command of the package manager when it is not installed', async () => {
    const cases = [
      [
        'an enum',
        'enum A { a }\nexport default { name: "bee" }',
        '1:1 TypeScript enum is not supported in strip-only mode; esbuild, which compiles such files, is not installed.',
      ],
      [
        'a namespace',
        'export default { name: "bee" };\nnamespace A { export const a = 1 }',
        '2:1 TypeScript namespace declaration is not supported in strip-only mode; esbuild, which compiles such files, is not installed.',
      ],
      [
        'an import without its ending',
        `import type {} from './types.ts';\nimport './types';\nexport default {}`,
        '2:8 Node cannot find "./types", which is imported here; esbuild, which compiles such files, is not installed.',
      ],
      [
        'a path of the tsconfig.json',
        `import '@/types.ts';\nexport default {}`,
        '1:8 Node cannot find "@/types.ts", which is imported here; esbuild, which compiles such files, is not installed.',
      ],
      [
        'an import that is a type',
        `import { Named } from './types.ts';\nconst config: Named = { name: 'bee' };\nexport default config;`,
        `1:undefined The code of the config failed: The requested module './types.ts' does not provide an export named 'Named'. If a type is imported, write "import type". esbuild compiles other syntax that Node cannot run.`,
      ],
    ];
    const project = makeProject({ 'hide.mjs': hiding('esbuild') });
    for (const [index, [, code]] of cases.entries()) {
      const files = {
        'package.json': '{ "packageManager": "pnpm@12.0.0" }',
        'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }',
        'shallot.config.ts': code ?? '',
        ...types,
      };
      for (const [path, text] of Object.entries(files)) project.write({ [`${index}/${path}`]: text });
    }
    const script = show(...cases.map((_, index) => `{ cwd: '${index}' }`));
    const printed = (await runScript(project, script, '--import', './hide.mjs')).trim().split('\n');
    const shown = printed.map((line, index) => {
      const { at, message } = JSON.parse(line) as {
        at: { line: number; column?: number };
        message: string;
      };
      return [cases[index]?.[0], `${at.line}:${at.column} ${message}`];
    });
    expect(shown).toEqual(cases.map(([what, , message]) => [what, `${message} Run: pnpm add esbuild`]));
  });

  it('is not asked for when a file is missing, or what is written is no TypeScript', async () => {
    const project = makeProject({ 'hide.mjs': hiding('esbuild') });
    const codes = [`import './none.ts';`, `import 'none';`, 'const a = ;'];
    codes.forEach((code, index) => project.write({ [`${index}/shallot.config.ts`]: code }));
    const script = show(...codes.map((_, index) => `{ cwd: '${index}' }`));
    const shown = await runScript(project, script, '--import', './hide.mjs');
    expect(shown).not.toContain('esbuild');
    expect(shown).toMatch(/Cannot find module[^]*Cannot find package[^]*Expression expected/);
  });

  it('is taken from the project when it is not installed beside the core', async () => {
    const project = makeProject({
      'hide.mjs': hiding('esbuild'),
      'node_modules/esbuild/package.json': '{ "name": "esbuild", "main": "./main.js" }',
      'node_modules/esbuild/main.js':
        'exports.buildSync = () => { throw Object.assign(new Error("of the project"), { errors: [{ text: "of the project" }] }); };',
      'shallot.config.ts': 'enum A { a }\nexport default {}',
    });
    expect(await runScript(project, show(), '--import', './hide.mjs')).toContain('of the project');
  });

  it('is not loaded for TypeScript that Node runs, and no warning is shown', async () => {
    const project = makeProject({
      'hide.mjs': hiding('esbuild'),
      'shallot.config.ts': `import type { Named } from './types.ts';\nexport default { name: 'bee' } satisfies Named;`,
      ...types,
    });
    project.write({ 'script.mjs': '' });
    expect(await runUncached(project, show(), '--import', './hide.mjs', '--throw-deprecation')).toContain(
      '"bee"',
    );
  });

  it('and the YAML parser are not loaded for what does not need them', async () => {
    const project = makeProject({
      'list.mjs': `
import { registerHooks } from 'node:module';
globalThis.loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });`,
      'a.yaml': 'name: bee',
      'b.mjs': 'export default {}',
    });
    const loadedBy = async (path: string): Promise<string> =>
      runScript(
        project,
        `await loadConfig({ path: '${path}' }); console.log(loaded.join('\\n'));`,
        '--import',
        './list.mjs',
      );
    const yaml = await loadedBy('a.yaml');
    const code = await loadedBy('b.mjs');
    expect({
      yaml: {
        esbuild: yaml.includes('/esbuild/'),
        yaml: yaml.includes('/yaml/'),
        cosmiconfig: yaml.includes('/cosmiconfig/'),
      },
      code: {
        esbuild: code.includes('/esbuild/'),
        yaml: code.includes('/yaml/'),
        cosmiconfig: code.includes('/cosmiconfig/'),
      },
    }).toEqual({
      yaml: { esbuild: false, yaml: true, cosmiconfig: false },
      code: { esbuild: false, yaml: false, cosmiconfig: false },
    });
  });
});

describe('an error that is thrown later in a TypeScript file', () => {
  it('has the lines of that file in its stack', async () => {
    const project = makeProject({
      'shallot.config.ts': `interface Unused {
  a: string;
}
export default { tools: [], name: 'bee', plugins: [{ use: 'a', options: { fail: (): never => { throw new Error('late'); } } }] };`,
    });
    const script = `
const { config } = await loadConfig();
try { config.plugins[0].options.fail(); } catch (error) { console.log(error.stack); }`;
    expect(await runUncached(project, script)).toMatch(
      /^Error: late\n {4}at (?:Object\.)?fail \((?:file:\/\/)?\/shallot\.config\.ts:4:\d+\)/,
    );
  });
});

describe('settings of cosmiconfig itself', () => {
  it.each([
    [
      '.config/config.cjs',
      'throw new Error("no tea");',
      'The search for a config would load .config/config.cjs',
    ],
    ['.config/config.yaml', 'a: [', 'The search for a config failed: YAML Error in /.config/config.yaml'],
  ])(
    '%s do no harm, and are no obstacle to a config that is beside them or named',
    async (name, content, message) => {
      const project = makeProject({
        [name]: content,
        'shallot.config.yaml': 'name: bee',
        'inner/notes.md': '',
      });
      const script = show(`{ cwd: 'inner' }`, '{}', `{ path: 'shallot.config.yaml' }`);
      const [above = '', beside = '', named = ''] = (await runScript(project, script)).split('\n');
      expect(JSON.parse(above)).toMatchObject({
        code: 'CONFIG_NOT_FOUND',
        message: expect.stringContaining(message) as unknown,
      });
      expect(JSON.parse(beside)).toMatchObject({ name: 'bee' });
      expect(JSON.parse(named)).toMatchObject({ name: 'bee' });
    },
  );
});

describe('TypeScript in a process with a compile cache', () => {
  const enable = `
import module from 'node:module';
module.enableCompileCache(import.meta.dirname + '/cache');`;
  const config = (name: string): string =>
    `interface Named { readonly name: string }\nconst named: Named = { name: '${name}' };\nexport default named;`;

  it('is stripped once for each content, and again after damage', async () => {
    const project = makeProject({ 'enable.mjs': enable, 'shallot.config.ts': config('bee') });
    const named = async (): Promise<string | undefined> => {
      const printed = await runUncached(project, show(), '--import', project.path('enable.mjs'));
      return /"name":"(\w+)"/.exec(printed)?.[1];
    };
    const keptFile = (): string =>
      join(
        'cache',
        readdirSync(project.path('cache'), { recursive: true, encoding: 'utf8' }).find((name) =>
          name.endsWith('config.ts.stripped.json'),
        ) ?? '',
      );
    expect(await named()).toBe('bee');
    const kept = JSON.parse(readFileSync(project.path(keptFile()), 'utf8')) as { readonly code: string };
    project.write({ [keptFile()]: JSON.stringify({ ...kept, code: kept.code.replace('bee', 'kept') }) });
    expect(await named()).toBe('kept');
    project.write({ 'shallot.config.ts': config('ant') });
    expect(await named()).toBe('ant');
    project.write({ [keptFile()]: '{' });
    expect(await named()).toBe('ant');
    expect(JSON.parse(readFileSync(project.path(keptFile()), 'utf8'))).toMatchObject({
      source: config('ant'),
    });
  });
});

describe('zod', () => {
  it('loads a language only if it is used, and then as ever', async () => {
    const project = makeProject({
      'count.mjs': `
import { registerHooks } from 'node:module';
let count = 0;
registerHooks({ load(url, context, next) { if (url.includes('/zod/v4/locales/')) count += 1; return next(url, context); } });
process.on('exit', () => console.log(count));`,
      'shallot.config.mjs': `
import * as z from 'zod';
const said = () => z.string().safeParse(1).error.issues[0].message;
const english = said();
z.config(z.locales.de());
export default { name: english + ' / ' + said() };`,
    });
    mkdirSync(project.path('node_modules'));
    symlinkSync(
      dirname(createRequire(import.meta.url).resolve('zod/package.json')),
      project.path('node_modules/zod'),
      'dir',
    );
    const [config, count] = (await runScript(project, show(), '--import', project.path('count.mjs'))).split(
      '\n',
    );
    expect(config).toMatch(/Invalid input: expected string.* \/ Ungültige Eingabe/);
    expect(Number(count)).toBeLessThan(5);
  });
});
