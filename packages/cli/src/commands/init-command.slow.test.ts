import { readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import { plain, makeProject, type Project } from '../test-project.ts';
import { managerFiles, publishPlugin, startRegistry } from '../test-registry.ts';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };

const files = ['.gitignore', 'model.ts', 'package.json', 'tools/word-count.ts'];

function filesOf({ folder }: Project): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !path.startsWith('node_modules') && /\.\w+$/.test(path) && path !== '.shallot',
  );
}

describe('shallot init', () => {
  it.each(['yaml', 'json', 'ts'])('writes an agent that answers without a key (%s)', async (language) => {
    const project = makeProject({});
    const made = await project.here(['init', '--language', language]);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(filesOf(project).toSorted()).toEqual(
      [...files, `shallot.config.${language}`, '.shallot/config.schema.json'].toSorted(),
    );
    expect(await project.here(['run', '-q', 'How many words has this question?'])).toMatchObject({
      status: 0,
      stdout: 'Your message has 6 words. (This is the offline model.)\n',
    });
  });

  it('links the schema for editors, with the options of the plugins', async () => {
    const project = makeProject({ 'package.json': '{ "dependencies": { "@shallot/plugin-hitl": "*" } }' });
    expect(await project.here(['init', '--plugin', 'hitl'])).toMatchObject({ status: 0 });
    const [link] = readFileSync(join(project.folder, 'shallot.config.yaml'), 'utf8').split('\n');
    expect(link).toBe('# yaml-language-server: $schema=.shallot/config.schema.json');
    const schema = readFileSync(join(project.folder, '.shallot/config.schema.json'), 'utf8');
    expect(schema).toContain('"askTimeoutMs"');
    expect(await project.here(['inspect'])).toMatchObject({ status: 0 });
  });

  it('uses the provider as soon as there is its key', async () => {
    const project = makeProject({});
    const adapter = join(import.meta.dirname, '../../../model-ai-sdk');
    symlinkSync(adapter, join(project.folder, 'node_modules/@shallot/model-ai-sdk'), 'dir');
    const provider = realpathSync(join(adapter, 'node_modules/@ai-sdk/anthropic'));
    project.write({ 'node_modules/@ai-sdk/.keep': '' });
    symlinkSync(provider, join(project.folder, 'node_modules/@ai-sdk/anthropic'), 'dir');
    const made = await project.run(['init', '--model', 'anthropic/claude-sonnet-5']);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(made.stdout).toContain('set ANTHROPIC_API_KEY, or write it into .env');
    const modelWith = async (key: string): Promise<string> =>
      (await project.run(['inspect'], { env: { ANTHROPIC_API_KEY: key } })).stdout;
    expect(await modelWith('')).toContain('model    offline/words');
    expect(await modelWith('sk-ant-test')).toContain('model    anthropic/claude-sonnet-5');
  });

  it.each(['model.ts', 'tools/word-count.ts', 'shallot.config.json', '.shallotrc'])(
    'overwrites nothing: with %s there, it writes no file',
    async (path) => {
      const project = makeProject({ [path]: 'mine' });
      const before = filesOf(project);
      const { status, stderr } = await project.here(['init']);
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(path) as string });
      expect(filesOf(project)).toEqual(before);
      expect(readFileSync(join(project.folder, path), 'utf8')).toBe('mine');
    },
  );

  it('leaves a .gitignore as it is, and says what belongs into it', async () => {
    const project = makeProject({ '.gitignore': 'node_modules\n' });
    expect((await project.here(['init'])).stderr).toBe('Add to .gitignore: .shallot/ .env\n');
    expect(readFileSync(join(project.folder, '.gitignore'), 'utf8')).toBe('node_modules\n');
  });

  it('installs the plugins that it lists', async () => {
    const registry = await startRegistry();
    publishPlugin(registry, 'shallot-plugin-tickets', '1.0.0');
    const project = makeProject({ ...managerFiles(registry), 'package.json': '{ "type": "module" }' });
    expect(await project.here(['init', '--plugin', 'tickets', '--dry-run'], { env })).toMatchObject({
      status: 0,
    });
    expect(filesOf(project)).not.toContain('shallot.config.yaml');
    const made = await project.here(['init', '--plugin', 'tickets'], { env });
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(readFileSync(join(project.folder, 'package.json'), 'utf8'))).toMatchObject({
      dependencies: { 'shallot-plugin-tickets': '^1.0.0' },
    });
  });

  it('leaves nothing behind when the install fails', async () => {
    const registry = await startRegistry();
    publishPlugin(registry, 'shallot-plugin-tickets', '1.0.0');
    registry.answer = (path, response) => path.endsWith('.tgz') && Boolean(response.writeHead(503).end());
    const project = makeProject({ ...managerFiles(registry), 'package.json': '{ "type": "module" }' });
    const before = filesOf(project);
    expect(await project.here(['init', '--plugin', 'tickets'], { env })).toMatchObject({ status: 1 });
    expect(filesOf(project)).toEqual(before);
  });

  it.each([
    [['--model', 'gpt'], 'is not the name of a model'],
    [['--language', 'toml'], 'write yaml, json, ts'],
  ])('refuses %j', async (args, why) => {
    const { status, stderr } = await makeProject({}).here(['init', ...args]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(why) as string });
  });

  it('asks on a terminal what no flag says', async () => {
    const project = makeProject({});
    const screen = project.onTerminal(['init', '--language', 'yaml']);
    await screen.seen('Which model?');
    screen.type('\r');
    await screen.seen('Which plugins?');
    screen.type('\r');
    await screen.seen('Make this change?');
    screen.type('\r');
    const ended = await screen.ended;
    expect({ status: ended.status, files: filesOf(project) }).toMatchObject({
      status: 0,
      files: expect.arrayContaining(['shallot.config.yaml']) as string[],
    });
    expect(plain(ended.screen)).toContain('Try it:  shallot run');
  });

  it('writes nothing when a question is left', async () => {
    const project = makeProject({});
    const screen = project.onTerminal(['init']);
    await screen.seen('Which model?');
    screen.type('\u0003');
    expect((await screen.ended).status).not.toBe(0);
    expect(filesOf(project)).toEqual(['package.json']);
  });
});
