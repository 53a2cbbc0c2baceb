import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import {
  brief,
  makeProject,
  pluginModule,
  pluginPackage,
  toolModule,
  type TestProject,
} from '../../test/test-project.ts';
import type { ShallotError } from '../base/errors.ts';
import { diagnose, type Diagnosis } from './diagnose.ts';

/** A plugin whose `setup` gets everything as `plugin`. */
function pluginWith(name: string, setup: string): string {
  return pluginModule(name, setup).replace('{ hooks, files }', 'plugin');
}

async function diagnosisOf(project: TestProject) {
  const diagnosis = await diagnose({ cwd: project.directory, env: {} });
  return { ...diagnosis, ...inShort(project, diagnosis) };
}

function inShort(project: TestProject, { errors, warnings, plugins }: Diagnosis) {
  const listed = (all: readonly ShallotError[]): string[] => all.flatMap((error) => brief(project, error));
  const known = warnings.filter(({ code }) => code !== 'MODEL_OFFLINE');
  const stages = Object.fromEntries(plugins.map(({ name, stage }) => [name, stage]));
  return { errors: listed(errors), warnings: listed(known), stages };
}

describe('a diagnosis', () => {
  it('lists the plugins of all entries, disabled ones included', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: offline\nplugins: [./bee.mjs, { use: ./wasp.mjs, enabled: false }]\n',
      'bee.mjs': pluginModule('bee'),
    });
    const { listed, plugins } = await diagnosisOf(project);
    expect(listed).toEqual(['./bee.mjs', './wasp.mjs']);
    expect(plugins).toMatchObject([{ name: './bee.mjs', stage: 'ready' }]);
  });

  it('of a directory without a config says so', async () => {
    const { errors, path, listed } = await diagnosisOf(makeProject({}));
    expect(errors).toEqual([expect.stringMatching(/^CONFIG_NOT_FOUND /)]);
    expect({ path, listed }).toEqual({ path: undefined, listed: undefined });
  });

  it('names the stage that each plugin reaches, its package and the time of its start', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: offline\nplugins: [./gone.mjs, old, ./broken.mjs, ./fails.mjs, slow]\n',
      ...pluginPackage('shallot-plugin-old', { manifest: { shallot: { plugin: 'old', api: '^0.1.0' } } }),
      ...pluginPackage('shallot-plugin-slow'),
      'broken.mjs': 'throw new Error("no tea");',
      'fails.mjs': pluginModule('fails', 'throw new Error("no milk");'),
    });
    const { errors, plugins, stages } = await diagnosisOf(project);
    expect(stages).toEqual({
      './gone.mjs': 'resolve',
      old: 'compatible',
      './broken.mjs': 'import',
      './fails.mjs': 'start',
      slow: 'ready',
    });
    expect(errors).toEqual([
      expect.stringMatching(/^MODULE_NOT_FOUND .\/gone.mjs shallot.config.yaml:2:11 /),
      expect.stringMatching(/^PLUGIN_INCOMPATIBLE old shallot.config.yaml:2:23 /),
      expect.stringMatching(/^MODULE_FAILED .\/broken.mjs broken.mjs:1:7 /),
      expect.stringMatching(/^PLUGIN_SETUP_FAILED fails shallot.config.yaml:2:42 /),
    ]);
    expect(plugins.map(({ package: found }) => found?.name)).toEqual([
      undefined,
      'shallot-plugin-old',
      undefined,
      undefined,
      'shallot-plugin-slow',
    ]);
    const timed = plugins.map(({ startMs }) => startMs !== undefined && startMs >= 0 && startMs < 10_000);
    expect(timed).toEqual([false, false, false, true, true]);
  });

  it('reports faults of optional plugins as warnings, at each stage', async () => {
    const project = makeProject({
      'shallot.config.yaml':
        'model: offline\nplugins:\n  - { use: ./gone.mjs, optional: true }\n  - { use: ./fails.mjs, optional: true }\n',
      'fails.mjs': pluginModule('fails', 'throw new Error("no milk");'),
    });
    const { errors, warnings } = await diagnosisOf(project);
    expect(errors).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(/^MODULE_NOT_FOUND .\/gone.mjs /),
      expect.stringMatching(/^PLUGIN_SETUP_FAILED fails /),
    ]);
  });

  it('names everything else that does not work, and starts the plugins without it', async () => {
    const project = makeProject({
      'shallot.config.yaml': `model: ./model.mjs
plugins: [./bee.mjs]
tools: [./gone-tool.mjs, ./tool.mjs]
instructions: { file: ./gone.md }
store: ./gone-store.mjs
files: ./gone-files
queue: ./gone-queue.mjs
serve: { host: 0.0.0.0 }
settings: { toolChoice: { tool: fnid } }
`,
      'model.mjs': 'export default 5;',
      'bee.mjs': pluginModule('bee'),
      'tool.mjs': toolModule('find'),
    });
    const { errors, warnings, stages, tools } = await diagnosisOf(project);
    expect(errors).toEqual([
      expect.stringMatching(/^MODULE_NOT_FOUND shallot.config.yaml:3:9 /),
      expect.stringMatching(/^MODULE_NOT_FOUND shallot.config.yaml:4:23 /),
      expect.stringMatching(/^MODULE_NOT_FOUND shallot.config.yaml:5:8 /),
      expect.stringMatching(/^CONFIG_INVALID shallot.config.yaml:8:16 serve\.host/),
      expect.stringMatching(/^MODULE_INVALID shallot.config.yaml:1:8 /),
      expect.stringMatching(/^MODULE_NOT_FOUND shallot.config.yaml:7:8 /),
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(/^FILE_NOT_FOUND shallot.config.yaml:6:8 /),
      expect.stringMatching(/^CONFIG_UNUSED shallot.config.yaml:9:33 .* Did you mean "find"\?$/),
    ]);
    expect(stages).toEqual({ './bee.mjs': 'ready' });
    expect(tools).toMatchObject([{ tool: { name: 'find' } }]);
  });

  it('names the owner of each tool and the place of its entry', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: offline\ntools: [./tool.mjs]\nplugins: [./a.mjs, ./b.mjs]\n',
      'tool.mjs': toolModule('find'),
      'a.mjs': pluginModule('a'),
      'b.mjs': `${toolModule('seek').replace('export ', '')}${pluginWith('b', 'plugin.tools.add(seek);')}`,
    });
    const { errors, tools } = await diagnosisOf(project);
    expect(errors).toEqual([]);
    expect(tools.map(({ tool, plugin, at }) => [tool.name, plugin, at?.line, at?.column])).toEqual([
      ['find', undefined, 2, 9],
      ['seek', 'b', 3, 20],
    ]);
  });
});

describe('a diagnosis of an invalid config', () => {
  it('examines the plugins that it names', async () => {
    const project = makeProject({
      'shallot.config.yaml': `modle: offline
plugins:
  - 5
  - ./bee.mjs
  - { id: nameless }
  - { use: ./broken.mjs, enabled: true }
  - { use: ./wasp.mjs, enabled: false }
`,
      'bee.mjs': pluginModule('bee'),
      'broken.mjs': 'throw new Error("no tea");',
    });
    const { errors, stages, listed, tools } = await diagnosisOf(project);
    expect(errors.at(-1)).toMatch(/^MODULE_FAILED .\/broken.mjs broken.mjs:1:7 /);
    expect(errors.slice(0, -1)).not.toContain(expect.stringContaining('MODULE_'));
    expect(stages).toEqual({ './bee.mjs': 'start', './broken.mjs': 'import' });
    expect(listed).toEqual(['./bee.mjs', './broken.mjs', './wasp.mjs']);
    expect(tools).toEqual([]);
  });

  it('names the place of a plugin that cannot be found', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'modle: x\nplugins:\n  - 5\n  - use: ./gone.mjs\n',
    });
    const { errors } = await diagnosisOf(project);
    expect(errors.at(-1)).toMatch(/^MODULE_NOT_FOUND .\/gone.mjs shallot.config.yaml:4:10 /);
  });

  it.each([
    ['without a list of plugins has none', 'model: offline\nplugins: ./bee.mjs\n', []],
    ['that cannot be read has no list', 'model: [\n', undefined],
  ])('%s', async (_, text, expected) => {
    const { listed, plugins, errors } = await diagnosisOf(makeProject({ 'shallot.config.yaml': text }));
    expect({ listed, plugins, failed: errors.length }).toEqual({
      listed: expected,
      plugins: [],
      failed: 1,
    });
  });
});

describe('a diagnosis warns', () => {
  it('of a priority for a hook that the plugin does not tap', async () => {
    const priority = '{ beforeAgent: 40, beforeModel: 40 }';
    const project = makeProject({
      'shallot.config.yaml': `model: offline
plugins:
  - { use: ./bee.mjs, priority: ${priority} }
  - { use: ./bee.mjs, id: other, priority: 40 }
  - { use: ./fails.mjs, optional: true, priority: ${priority} }
`,
      'bee.mjs': pluginModule('bee', 'hooks.beforeAgent.tap({ name: "bee" }, () => {});'),
      'fails.mjs': pluginModule('fails', 'throw new Error("no milk");'),
    });
    const { warnings } = await diagnosisOf(project);
    expect(warnings.filter((warning) => warning.startsWith('CONFIG_UNUSED'))).toEqual([
      'CONFIG_UNUSED bee shallot.config.yaml:3:52 "priority.beforeModel" has no effect: bee does nothing in beforeModel. Remove it.',
    ]);
  });

  it('of rules that never decide, or that are wider than they look', async () => {
    const doubts = [
      { kind: 'unused', list: 'deny', rule: 'shell', why: 'there is no such tool' },
      { kind: 'wide', list: 'allow', rule: 'edit(**)', why: 'it fits all files' },
      { kind: 'wide', list: 'ask', rule: 'kept', why: 'it is kept' },
    ];
    const project = makeProject({
      'shallot.config.yaml':
        'model: offline\nplugins: [./judge.mjs]\npermissions:\n  allow: [read, edit(**)]\n  deny: [shell]\n',
      'judge.mjs': pluginWith(
        'judge',
        `plugin.provide({ name: 'shallot/permissions' }, { doubts: () => ${JSON.stringify(doubts)} });`,
      ),
    });
    const { errors, warnings } = await diagnosisOf(project);
    expect(errors).toEqual([]);
    expect(warnings).toEqual([
      'PERMISSION_UNUSED shallot.config.yaml:5:10 The rule "shell" in "deny" of the permissions never decides: there is no such tool.',
      'PERMISSION_WIDE shallot.config.yaml:4:17 The rule "edit(**)" in "allow" of the permissions allows more than it seems to: it fits all files.',
      'PERMISSION_WIDE The rule "kept" in "ask" of the permissions allows more than it seems to: it is kept.',
    ]);
  });

  it('of permissions that no plugin evaluates, as an error', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: offline\npermissions:\n  allow: [read]\n',
    });
    const { errors, tools } = await diagnosisOf(project);
    expect(errors).toEqual([expect.stringMatching(/^PERMISSIONS_UNHEEDED shallot.config.yaml:2:1 /)]);
    expect(tools).toEqual([]);
  });

  it('of what plugins log with a code of theirs, and of what they note', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: offline\nplugins: [./a.mjs, ./b.mjs]\n',
      'a.mjs': pluginModule('a'),
      'b.mjs': pluginWith(
        'b',
        `plugin.log.warn({ code: 'b/ODD' }, 'It is odd.');
plugin.log.info({ code: 'b/EVEN' }, 'It is even.');
plugin.log.warn('It has no code.');
plugin.provide({ name: 'shallot/plugin-status/b' }, { lines: () => [], notes: () => ['It is open.'] });`,
      ),
    });
    expect((await diagnosisOf(project)).warnings).toEqual([
      'b/ODD b shallot.config.yaml:2:20 It is odd.',
      'PLUGIN_NOTE b shallot.config.yaml:2:20 It is open.',
    ]);
  });
});

it('a diagnosis waits for what the start left in the background, and closes everything', async () => {
  const note = `import { appendFileSync } from 'node:fs';
const close = (name) => appendFileSync(new URL('./closed', import.meta.url), name + ' ');
const object = (name, ...methods) => ({
  ...Object.fromEntries(methods.map((method) => [method, async () => undefined])),
  close: async () => close(name),
});\n`;
  const project = makeProject({
    'shallot.config.yaml':
      'model: offline\nplugins: [./bee.mjs]\nstore: ./store.mjs\nfiles: { use: ./files.mjs }\nqueue: ./queue.mjs\n',
    'store.mjs': `${note}export default object('store', 'load', 'commit', 'renew', 'requestStop', 'list', 'delete');`,
    'files.mjs': `${note}export default object('files', 'list', 'stat', 'read', 'readText', 'write', 'append', 'remove');`,
    'queue.mjs': `${note}export default object('queue', 'wake', 'listen');`,
    'bee.mjs': `${note}${pluginWith(
      'bee',
      `plugin.onStop(() => close('plugin'));
plugin.provide({ name: 'shallot/plugin-status/bee' }, {
  lines: () => [], settled: async () => { throw new Error('no connection'); },
});`,
    )}`,
  });
  const { errors } = await diagnosisOf(project);
  expect(errors).toEqual([expect.stringContaining('no connection')]);
  expect(readFileSync(project.path('closed'), 'utf8').trim().split(' ').toSorted()).toEqual([
    'files',
    'plugin',
    'queue',
    'store',
  ]);
});
