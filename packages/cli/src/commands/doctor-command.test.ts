import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { config, pluginFile, toolFile } from '../../test/faulty-projects/faulty-project.ts';
import { makeProject } from '../../test/project.ts';

interface Printed {
  readonly config: string | null;
  readonly plugins: readonly { readonly name: string; readonly stage: string; readonly startMs?: number }[];
  readonly findings: readonly Readonly<Record<string, string>>[];
}

describe('shallot doctor', () => {
  it('looks at each plugin by itself, and lists what can cause the rest first', async () => {
    const project = makeProject({
      ...config(
        'instructions: { file: ./gone.md }\nplugins:\n  - ./a.mjs\n  - ./b.mjs\n  - ./gone.mjs\n  - ./c.mjs\n',
      ),
      'a.mjs': pluginFile('throw new Error("no tea");', "name: 'a'"),
      'b.mjs': pluginFile('', "name: 'b', requires: { a: '*' }"),
      'c.mjs': pluginFile('onStart(() => new Promise((done) => setTimeout(done, 30)));', "name: 'c'"),
    });
    const { status, stdout } = await project.here(['doctor', '--json']);
    const { plugins, findings } = JSON.parse(stdout) as Printed;
    expect(status).toBe(2);
    expect(findings.map(({ code, plugin }) => [code, plugin])).toEqual([
      ['MODULE_NOT_FOUND', './gone.mjs'],
      ['MODULE_NOT_FOUND', undefined],
      ['PLUGIN_SETUP_FAILED', 'a'],
      ['PLUGIN_REQUIRES', 'b'],
    ]);
    expect(plugins.map(({ name, stage }) => [name, stage])).toEqual([
      ['./a.mjs', 'start'],
      ['./b.mjs', 'start'],
      ['./gone.mjs', 'resolve'],
      ['./c.mjs', 'ready'],
    ]);
    expect(plugins[3]?.startMs).toBeGreaterThanOrEqual(29);
  });

  it('looks at the plugins of a config that is not valid, too', async () => {
    const project = makeProject({
      ...config(
        'modle: x\nplugins:\n  - use: ./a.mjs\n    prioriti: 5\n  - { use: ./b.mjs, enabled: false }\n',
      ),
      'a.mjs': 'throw new Error("no tea");',
      'b.mjs': 'throw new Error("disabled, and imported");',
    });
    const { findings } = JSON.parse((await project.here(['doctor', '--json'])).stdout) as Printed;
    expect(
      findings.map(({ code, place = '' }) => `${code} ${place.replace(`${project.folder}/`, '')}`),
    ).toEqual([
      'CONFIG_INVALID shallot.config.yaml:2:1',
      'CONFIG_INVALID shallot.config.yaml:5:5',
      'MODULE_FAILED a.mjs:1:7',
    ]);
  });

  it('opens no store, runs no tool, and leaves nothing behind', async () => {
    const project = makeProject({
      ...config('tools: [./t.mjs]\nstore: { use: sqlite, path: ./s.db }\n'),
      't.mjs': toolFile('t', "() => 'x'", "effect: 'read'"),
    });
    expect(await project.here(['doctor'])).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(join(project.folder, 's.db'))).toBe(false);
    expect(existsSync(join(project.folder, '.shallot'))).toBe(false);
  });

  it('shows what subagents are granted, and what their files ask for in vain', async () => {
    const project = makeProject({
      ...config(
        'tools: [./t.mjs]\nplugins:\n  - use: subagents\n    options:\n      agents: [{ name: writer, description: Writes., grants: [t] }]\n',
      ),
      't.mjs': toolFile('t', "() => 'x'", "effect: 'read'"),
      'agents/reader.md': '---\nname: reader\ndescription: Reads.\ntools: [raed]\n---\nRead.\n',
      'agents/odd.md': '---\nname: odd\ndescription: Is odd.\nmodel: nobody/nothing\n---\nBe odd.\n',
    });
    const { stdout } = await project.here(['doctor', '--json']);
    const { findings } = JSON.parse(stdout) as Printed;
    const notes = findings.filter(({ code }) => code === 'PLUGIN_NOTE');
    expect(notes.map(({ level, plugin }) => [level, plugin])).toEqual(
      Array.from({ length: 3 }, () => ['note', 'subagents']),
    );
    const messages = notes.map(({ reason, fix = '' }) => `${reason} ${fix}`).join('\n');
    expect(messages).toContain('The agent "writer" may call t, also where its parent is not offered it.');
    expect(messages).toContain('The agent "reader" of a file goes without a tool: ');
    expect(messages).toContain('The agent "odd" of a file is left out: ');
  });

  it('keeps stdout to itself, and secrets out of it', async () => {
    const project = makeProject({
      ...config('plugins:\n  - use: ./p.mjs\n    options: { key: { $env: TICKETS_KEY } }\n'),
      'p.mjs': pluginFile(
        'console.log("noise"); throw new Error(`refused ${options.key}`);',
        'options: optionsSchema({ key: option.text() })',
      ),
    });
    const env = { TICKETS_KEY: 'tk-0123456789abcdef' };
    const { status, stdout } = await project.run(['doctor', '--json'], { env });
    expect(status).toBe(2);
    expect((JSON.parse(stdout) as Printed).findings[0]?.code).toBe('PLUGIN_SETUP_FAILED');
    expect(stdout).not.toContain(env.TICKETS_KEY);
  });
});
