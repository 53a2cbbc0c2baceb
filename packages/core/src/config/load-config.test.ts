import { describe, expect, it } from 'vitest';

import { brief, errorOf, makeProject, type TestProject } from '../../test/test-project.ts';
import { loadConfig, parseConfigText } from './load-config.ts';

async function errorsOf(project: TestProject, env: Record<string, string> = {}): Promise<string[]> {
  return brief(project, await errorOf(loadConfig({ cwd: project.directory, env })));
}

async function yamlErrors(text: string, env: Record<string, string> = {}): Promise<string[]> {
  return errorsOf(makeProject({ 'shallot.config.yaml': text }), env);
}

async function yamlConfig(text: string, env: Record<string, string> = {}): Promise<unknown> {
  const project = makeProject({ 'shallot.config.yaml': text });
  return (await loadConfig({ cwd: project.directory, env })).config;
}

describe('loadConfig', () => {
  const expected = { name: 'bee', maxSteps: 5, tools: ['./tools/*.ts'], plugins: [{ use: 'memory' }] };
  const code = `{ name: 'bee', maxSteps: 5, tools: ['./tools/*.ts'], plugins: ['memory'] }`;

  it.each([
    ['shallot.config.yaml', 'name: bee\nmaxSteps: 5\ntools: [./tools/*.ts]\nplugins:\n  - memory\n'],
    ['.shallotrc', 'name: bee\nmaxSteps: 5\ntools: [./tools/*.ts]\nplugins:\n  - memory\n'],
    [
      'shallot.config.json',
      '{ "name": "bee", "maxSteps": 5, "tools": ["./tools/*.ts"], "plugins": ["memory"] }',
    ],
    [
      'package.json',
      '{ "shallot": { "name": "bee", "maxSteps": 5, "tools": ["./tools/*.ts"], "plugins": ["memory"] } }',
    ],
    ['shallot.config.mjs', `export default ${code}`],
    ['shallot.config.js', `export default ${code}`],
    ['shallot.config.ts', `const config: object = ${code};\nexport default config;`],
    ['shallot.config.mts', `export default ${code} satisfies object`],
  ])('reads %s', async (name, content) => {
    const project = makeProject({ [name]: content });
    const { config, path, directory, files } = await loadConfig({ cwd: project.directory });
    expect(config).toEqual(expected);
    expect({ path, directory, files }).toEqual({
      path: project.path(name),
      directory: project.directory,
      files: [project.path(name)],
    });
  });

  it('takes a path, from the working directory', async () => {
    const project = makeProject({ 'a/other.yaml': 'name: other', 'shallot.config.yaml': 'name: found' });
    const { config, directory } = await loadConfig({ cwd: project.directory, path: 'a/other.yaml' });
    expect({ config, directory }).toMatchObject({ config: { name: 'other' }, directory: project.path('a') });
  });

  it.each([
    [
      'nowhere.yaml',
      /^CONFIG_NOT_FOUND nowhere\.yaml There is no config file nowhere\.yaml\. Fix the path\.$/,
    ],
    ['a', /^CONFIG_NOT_FOUND a "a" is not a file\. Name the config file itself\.$/],
    [
      'a/config.toml',
      /^CONFIG_INVALID a\/config\.toml "\.toml" is not a supported config extension; use \.yaml, /,
    ],
    [
      'package.json',
      /^CONFIG_NOT_FOUND package\.json This package\.json contains no config: add one under the key "shallot"\.$/,
    ],
  ])('refuses the path %s', async (path, expected) => {
    const project = makeProject({ 'a/config.toml': '', 'package.json': '{}' });
    const errors = brief(project, await errorOf(loadConfig({ cwd: project.directory, path })));
    expect(errors).toEqual([expect.stringMatching(expected)]);
  });

  it('takes an empty file for an empty config', async () => {
    expect(await yamlConfig('# nothing yet\n')).toEqual({ tools: [], plugins: [] });
  });

  it.each(['undefined', 'null', 'Promise.resolve()'])('refuses a default export of %s', async (value) => {
    const project = makeProject({ 'shallot.config.mjs': `export default ${value};` });
    const [error] = brief(project, await errorOf(loadConfig({ cwd: project.directory })));
    expect(error).toMatch(
      /^CONFIG_INVALID shallot\.config\.mjs The default export of the config is (?:undefined|null)\. Write /,
    );
  });

  it.each([
    ['maxSteps: { $env: MAX }', { MAX: '12' }, 'MAX', 'a number'],
    ['maxStepsAnswer: { $env: LAST }', { LAST: 'true' }, 'LAST', 'a boolean'],
    [
      'model: { provider: openai, model: m, contextTokens: { $env: SIZE } }',
      { SIZE: '4096' },
      'SIZE',
      'a number',
    ],
  ])('says how a variable becomes what it is meant to be: %s', async (text, env, name, kind) => {
    const project = makeProject({ 'shallot.config.yaml': text });
    const error = await errorOf(loadConfig({ cwd: project.directory, env }));
    expect(error.message).toContain(`write { $env: ${name}, default: … } with ${kind}.`);
  });

  it('waits for a config that is a promise', async () => {
    const project = makeProject({ 'shallot.config.mjs': 'export default Promise.resolve({ name: "late" })' });
    expect((await loadConfig({ cwd: project.directory })).config.name).toBe('late');
  });
});

describe('wrong values', () => {
  it('are reported together, each with its place and what to write', async () => {
    const errors = await yamlErrors(`
modle: ./model.ts
maxSteps: many
toolErrors: reprot
tools: ./tools/*.ts
instructions: ./instructions.md
model: gpt-5
log: verbose
settings: { temprature: 1 }
files: work
plugins:
  - use: memory
    priority: 101
  - use: telemetry
    opitons: {}
    enabled: yes please
  - priority: 5
  - memory: {}
  - 7
`);
    expect(errors).toMatchInlineSnapshot(`
      [
        "CONFIG_INVALID shallot.config.yaml:2:1 There is no key "modle"; did you mean "model"?",
        "CONFIG_INVALID shallot.config.yaml:3:11 maxSteps is "many"; write a whole number of at least 1.",
        "CONFIG_INVALID shallot.config.yaml:4:13 toolErrors is "reprot"; did you mean "report"?",
        "CONFIG_INVALID shallot.config.yaml:5:8 tools is "./tools/*.ts"; write a list, each a path, a glob or a package.",
        "CONFIG_INVALID shallot.config.yaml:6:15 instructions is "./instructions.md"; write { file: ./instructions.md } to read that file.",
        "CONFIG_INVALID shallot.config.yaml:7:8 model is "gpt-5"; write \`provider/model\`, for example \`anthropic/claude-sonnet-5\`, or \`offline\`, or a path that starts with "./".",
        "CONFIG_INVALID shallot.config.yaml:8:6 log is "verbose"; write "trace", "debug", "info", "warn", "error", "fatal" or "silent".",
        "CONFIG_INVALID shallot.config.yaml:9:13 There is no key "temprature" in settings; did you mean "temperature"?",
        "CONFIG_INVALID shallot.config.yaml:10:8 files is "work"; write "./work" if it is a directory.",
        "PRIORITY_RANGE memory shallot.config.yaml:13:15 The priority of "plugins[0]" is 101; write a number from 0 (innermost) to 100 (outermost).",
        "CONFIG_INVALID telemetry shallot.config.yaml:15:5 There is no key "opitons" in plugins[1]; did you mean "options"?",
        "CONFIG_INVALID telemetry shallot.config.yaml:16:14 plugins[1].enabled is "yes please"; write true or false.",
        "CONFIG_INVALID shallot.config.yaml:17:5 plugins[2].use is missing; write the name of a plugin, a package or a path.",
        "CONFIG_INVALID shallot.config.yaml:18:5 There is no key "memory" in plugins[3]; known: use, id, options, priority, outside, inside, enabled, optional, onlyChildren.",
        "CONFIG_INVALID shallot.config.yaml:18:5 plugins[3].use is missing; write the name of a plugin, a package or a path.",
        "CONFIG_INVALID shallot.config.yaml:19:5 plugins[4] is 7; write the name of a plugin, a package or a path, or an object with use, id, options, priority, outside, inside, enabled, optional ….",
      ]
    `);
  });

  it('stand at their place in JSON too', async () => {
    const project = makeProject({ 'shallot.config.json': '{\n  "name": "a",\n  "maxSteps": 0\n}\n' });
    expect(await errorsOf(project)).toMatchInlineSnapshot(`
      [
        "CONFIG_INVALID shallot.config.json:3:15 maxSteps is 0; write a whole number of at least 1.",
      ]
    `);
  });

  it('stand at their place in package.json', async () => {
    const project = makeProject({
      'package.json': '{\n  "name": "a",\n  "shallot": {\n    "maxStep": 1\n  }\n}\n',
    });
    expect(await errorsOf(project)).toMatchInlineSnapshot(`
      [
        "CONFIG_INVALID package.json:4:5 There is no key "maxStep"; did you mean "maxSteps"?",
      ]
    `);
  });

  it('stand at the line of their key or entry in code', async () => {
    const project = makeProject({
      'shallot.config.ts': `const name = 'bee';
export default {
  name,
  maxSteps: 'many',
  plugins: [
    { use: 'memory', priority: 3 },
    { use: "limits",
      priority: -1 },
  ],
};
`,
    });
    expect(await errorsOf(project)).toMatchInlineSnapshot(`
      [
        "CONFIG_INVALID shallot.config.ts:4:3 maxSteps is "many"; write a whole number of at least 1.",
        "PRIORITY_RANGE limits shallot.config.ts:8:7 The priority of "plugins[1]" is -1; write a number from 0 (innermost) to 100 (outermost).",
      ]
    `);
  });

  it('stand at the nearest entry that is certain in code', async () => {
    const project = makeProject({
      'shallot.config.ts': `const priority = 200;
export default {
  name: 'bee',
  plugins: [
    { use: 'memory', id: '🐝', priority },
    { use: 'limits', priority: 20 },
    { use: 'skills', ...{ outside: 5 } },
    { use: 'limits', id: 'more', priority: 1000 },
    { use: 'limits', id: 'most', priority: 1000 },
  ],
};
`,
    });
    const errors = await errorsOf(project);
    expect(errors.map((error) => error.replace(/ (The priority|plugins).*/, ''))).toEqual([
      'PRIORITY_RANGE more shallot.config.ts:4:3',
      'PRIORITY_RANGE most shallot.config.ts:4:3',
      'PRIORITY_RANGE 🐝 shallot.config.ts:5:12',
      'CONFIG_INVALID skills shallot.config.ts:7:27',
    ]);
  });

  it('include a config that is no object', async () => {
    expect(await yamlErrors('- a\n')).toMatchInlineSnapshot(`
      [
        "CONFIG_INVALID shallot.config.yaml:1:1 The config is ["a"]; write an object with $schema, extends, name, model, instructions, tools, plugins, store ….",
      ]
    `);
  });

  it('include priorities by hook', async () => {
    const errors = await yamlErrors(
      'plugins:\n  - use: a\n    priority: { wrapModelCal: 5 }\n  - use: b\n    priority: { default: .nan }',
    );
    expect(errors).toMatchInlineSnapshot(`
      [
        "OPTION_INVALID a shallot.config.yaml:3:15 The priority of "plugins[0]" names the hook "wrapModelCal"; hooks are beforeAgent, beforeModel, wrapModelCall, afterModel, wrapToolCall, afterAgent.",
        "PRIORITY_RANGE b shallot.config.yaml:5:15 The priority of "plugins[1]" is NaN; write a number from 0 (innermost) to 100 (outermost).",
      ]
    `);
  });
});

describe('YAML', () => {
  it.each([
    ['broken', 'name: a\nplugins:\n  - use: [x\n'],
    ['with tabs', 'settings:\n\ttopP: 1\n'],
    ['with a key twice', 'name: a\nmaxSteps: 1\nname: b\n'],
    ['with __proto__', 'settings:\n  provider:\n    __proto__: { a: 1 }\n'],
    ['with an unknown tag', 'name: !secret a\n'],
    ['of several documents', 'name: a\n---\nname: b\n'],
    ['with a list as a key', '? [a]\n: 1\n'],
    ['with an alias inside of itself', 'plugins: &a\n  - use: x\n    options: { again: *a }\n'],
  ])('%s is refused with its place', async (_, text) => {
    expect(await yamlErrors(text)).toMatchSnapshot();
  });

  // The message of a refusal tells what came first: sizes and depths are checked before the parser runs, and keys are compared
  // here, because the parser compares each with each.
  it.each([
    ['deep lists', '['.repeat(100_000), 'it is nested more than 200 levels deep'],
    ['deep blocks', `${'- '.repeat(20_000)}a`, 'it is nested more than 200 levels deep'],
    [
      'a million characters',
      'a: b\n'.repeat(200_000),
      `it has 1000000 characters; the limit is ${256 * 1024}`,
    ],
    [
      'many keys',
      `settings:\n${Array.from({ length: 20_000 }, (_, index) => `  k${index}: 1`).join('\n')}\n  k0: 2`,
      'the key "k0" is a duplicate of line 2; remove one of them',
    ],
    [
      'aliases that multiply',
      `a: &a [x, x, x, x, x, x, x, x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h']
        .map(
          (key, index) =>
            `${key}: &${key} [${Array.from({ length: 8 }, () => `*${'abcdefgh'[index]}`).join(', ')}]`,
        )
        .join('\n')}`,
      'Excessive alias count indicates a resource exhaustion attack; write the values out instead of using aliases',
    ],
  ])('with %s is refused before it costs much', async (_, text, reason) => {
    const project = makeProject({ 'shallot.config.yaml': text });
    const error = await errorOf(loadConfig({ cwd: project.directory }));
    expect(error).toMatchObject({
      code: 'CONFIG_SYNTAX',
      at: { file: project.path('shallot.config.yaml') },
    });
    expect(error.message).toBe(`The config cannot be parsed: ${reason}.`);
  });

  it('may use anchors as everybody does', async () => {
    const config = await yamlConfig(
      'plugins:\n  - use: a\n    options: &o { x: 1 }\n  - use: b\n    options: *o\n',
    );
    expect(config).toMatchObject({ plugins: [{ options: { x: 1 } }, { options: { x: 1 } }] });
  });

  it('that is not UTF-8 is refused', async () => {
    const project = makeProject({});
    const { writeFileSync } = await import('node:fs');
    writeFileSync(project.path('shallot.config.yaml'), Buffer.from([0x6e, 0x3a, 0x20, 0xff, 0xfe]));
    expect(await errorsOf(project)).toEqual([
      'CONFIG_SYNTAX shallot.config.yaml The config is not UTF-8 text. Save it as UTF-8.',
    ]);
  });
});

describe('JSON', () => {
  it.each([
    ['a comment', '{\n  // the name\n  "name": "a"\n}'],
    ['a comma at the end', '{\n  "name": "a",\n}'],
    ['single quotes', `{ "name": 'a' }`],
    ['keys without quotes', '{ name: "a" }'],
    ['YAML', 'name: a\n'],
    ['a missing bracket', '{ "tools": ["a" }'],
    ['an end too early', '{ "name": "a"'],
    ['more than a value', '{} {}'],
    ['a key twice', '{ "name": "a", "name": "b" }'],
    ['a bad number', '{ "maxSteps": 01 }'],
  ])('with %s is refused with its place', async (_, text) => {
    expect(await errorsOf(makeProject({ 'shallot.config.json': text }))).toMatchSnapshot();
  });
});

describe('$env', () => {
  it('takes values from the environment, and defaults', async () => {
    const text = `
name: { $env: NAME }
maxSteps: { $env: STEPS, default: 10 }
maxStepsAnswer: { $env: ANSWER, default: false }
toolConcurrency: { $env: EMPTY, default: 3 }
plugins:
  - use: memory
    options: { key: { $env: KEY, default: null }, list: [{ $env: NAME }] }
`;
    expect(await yamlConfig(text, { NAME: 'bee', STEPS: '7', ANSWER: 'true', EMPTY: '' })).toEqual({
      name: 'bee',
      maxSteps: 7,
      maxStepsAnswer: true,
      toolConcurrency: 3,
      tools: [],
      plugins: [{ use: 'memory', options: { key: null, list: ['bee'] } }],
    });
  });

  it('reports what is missing, together with wrong values', async () => {
    const errors = await yamlErrors(
      'name: { $env: NAME }\nmaxSteps: { $env: STEPS, default: 1 }\nmaxStep: 1\nlog: { $env: 5 }\nfiles: { $env: A, defualt: b }\n',
      {
        STEPS: 'many',
      },
    );
    expect(errors).toMatchInlineSnapshot(`
      [
        "CONFIG_ENV shallot.config.yaml:1:7 name: the environment variable NAME is not set; set it, or add a default.",
        "CONFIG_ENV shallot.config.yaml:2:11 maxSteps: the environment variable STEPS is "many"; set it to a number, like its default.",
        "CONFIG_ENV shallot.config.yaml:4:6 log: $env is 5; write the name of an environment variable.",
        "CONFIG_INVALID shallot.config.yaml:5:19 files: "defualt" is not allowed next to $env; did you mean "default"?",
        "CONFIG_INVALID shallot.config.yaml:3:1 There is no key "maxStep"; did you mean "maxSteps"?",
      ]
    `);
  });

  it('works in code, and leaves objects alone that hold none', async () => {
    const project = makeProject({
      'shallot.config.mjs': `
const options = { handle: () => 1 };
options.self = options;
export default { name: { $env: 'NAME' }, plugins: [{ use: 'memory', options }] };`,
    });
    const { config } = await loadConfig({ cwd: project.directory, env: { NAME: 'bee' } });
    const [plugin] = config.plugins ?? [];
    expect(config.name).toBe('bee');
    expect(plugin).toMatchObject({ options: { handle: expect.any(Function) as unknown } });
  });
});

describe('extends', () => {
  it('lets the file that extends win, and adds up tools and plugins', async () => {
    const project = makeProject({
      'base/base.yaml': `
name: base
maxSteps: 5
settings: { temperature: 0, topP: 1 }
tools: [./tools.ts]
plugins:
  - use: memory
    priority: 49
    options: { a: 1, b: 2 }
  - use: ./audit.ts
  - limits
`,
      'shallot.config.yaml': `
extends: ./base/base.yaml
name: own
settings: { temperature: 1 }
tools: [./more.ts]
plugins:
  - use: "@shallot/plugin-memory"
    options: { a: 3 }
  - telemetry
  - use: limits
    enabled: false
`,
    });
    const { config, merged, files } = await loadConfig({ cwd: project.directory });
    expect(config).toEqual({
      name: 'own',
      maxSteps: 5,
      settings: { temperature: 1, topP: 1 },
      tools: ['./tools.ts', './more.ts'],
      plugins: [
        { use: 'memory', priority: 49, options: { a: 3 } },
        { use: './audit.ts' },
        { use: 'limits', enabled: false },
        { use: 'telemetry' },
      ],
    });
    expect(files).toEqual([project.path('base/base.yaml'), project.path('shallot.config.yaml')]);
    expect(merged.plugins.map(({ directory }) => directory.slice(project.directory.length))).toEqual([
      '/base',
      '/base',
      '/base',
      '',
    ]);
  });

  it('adds up the rules of permissions, so that what a base denies stays denied', async () => {
    const permissions = async (base: string, own: string): Promise<unknown> => {
      const project = makeProject({
        'base.yaml': `name: base\n${base}`,
        'shallot.config.yaml': `extends: ./base.yaml\n${own}`,
      });
      return (await loadConfig({ cwd: project.directory })).config.permissions;
    };
    const base = 'permissions: { allow: [read, look], deny: [shell], mode: ask, maxMode: edits }\n';
    expect(await permissions(base, 'permissions: { allow: [look, edit], mode: read-only }\n')).toEqual({
      allow: ['read', 'look', 'edit'],
      deny: ['shell'],
      mode: 'read-only',
      maxMode: 'edits',
    });
    expect(await permissions(base, '')).toMatchObject({ deny: ['shell'] });
    expect(await permissions('', 'permissions: { ask: [edit] }\n')).toEqual({ ask: ['edit'] });
    expect(await permissions('permissions: { mode: ask }\n', 'permissions: { ask: [edit] }\n')).toEqual({
      mode: 'ask',
      ask: ['edit'],
    });
    expect(await permissions('', '')).toBeUndefined();
  });

  it('replaces the entry whose id another plugin takes', async () => {
    const project = makeProject({
      'base.yaml': 'plugins:\n  - use: memory\n    id: notes\n    options: { a: 1 }\n  - limits\n',
      'shallot.config.yaml': 'extends: [./base.yaml]\nplugins:\n  - use: skills\n    id: notes\n',
    });
    const { config } = await loadConfig({ cwd: project.directory });
    expect(config.plugins).toEqual([{ use: 'skills', id: 'notes' }, { use: 'limits' }]);
  });

  it('takes packages, and several files of which the later wins', async () => {
    const project = makeProject({
      'node_modules/@acme/agents/package.json':
        '{ "name": "@acme/agents", "exports": { "./base.yaml": "./base.yaml", ".": { "import": "./index.mjs" } } }',
      'node_modules/@acme/agents/base.yaml': 'name: base\nmaxSteps: 3\n',
      'node_modules/@acme/agents/index.mjs': 'export default { name: "index", log: "error" }',
      'shallot.config.yaml': 'extends: ["@acme/agents/base.yaml", "@acme/agents"]\n',
    });
    const { config } = await loadConfig({ cwd: project.directory });
    expect(config).toMatchObject({ name: 'index', maxSteps: 3, log: 'error' });
  });

  it('reports wrong values of all files with the file that has them', async () => {
    const project = makeProject({
      'base.yaml': '\nmaxSteps: no\n',
      'shallot.config.yaml': 'extends: ./base.yaml\nlog: loud\n',
    });
    expect(await errorsOf(project)).toMatchInlineSnapshot(`
      [
        "CONFIG_INVALID shallot.config.yaml:2:6 log is "loud"; write "trace", "debug", "info", "warn", "error", "fatal" or "silent".",
        "CONFIG_INVALID base.yaml:2:11 maxSteps is "no"; write a whole number of at least 1.",
      ]
    `);
  });

  it.each([
    [
      'a cycle',
      { 'a.yaml': 'extends: ./shallot.config.yaml\n', 'shallot.config.yaml': 'name: x\nextends: ./a.yaml\n' },
    ],
    ['a missing file', { 'bas.yaml': '', 'shallot.config.yaml': 'extends: ./base.yaml\n' }],
    ['a missing package', { 'pnpm-lock.yaml': '', 'shallot.config.yaml': 'extends:\n  - "@acme/agents"\n' }],
  ])('refuses %s', async (_, files: Record<string, string>) => {
    expect(await errorsOf(makeProject(files))).toMatchSnapshot();
  });
});

describe('parseConfigText', () => {
  it('checks keys and values without looking for anything', async () => {
    const config = await parseConfigText(
      'model: ./nowhere.ts\nname: { $env: UNSET }\nplugins: [gone]\n',
      'docs/config.md',
    );
    expect(config).toMatchObject({ model: './nowhere.ts', plugins: ['gone'] });
    const error = await errorOf(parseConfigText('model: ./a.ts\nplugin: []\n', 'docs/config.md'));
    expect(error.at).toEqual({ file: 'docs/config.md', line: 2, column: 1 });
    expect(error.message).toBe('There is no key "plugin"; did you mean "plugins"?');
  });
});
