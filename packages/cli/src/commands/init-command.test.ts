import { chmodSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { filesOf, makeFullProject } from '../../test/init.ts';
import { embedded, makeProject } from '../../test/project.ts';

const files = ['.gitignore', 'package.json'];

describe('shallot init', () => {
  it.each(['yaml', 'json', 'ts'])('writes an agent that answers without a key (%s)', async (language) => {
    const project = makeProject({});
    const made = await project.here(['init', '--language', language]);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(filesOf(project).toSorted()).toEqual(
      [...files, `shallot.config.${language}`, '.shallot/config.schema.json'].toSorted(),
    );
    expect(await project.here(['run', '-q', 'Good morning'])).toMatchObject({
      status: 0,
      stdout: 'Good morning (offline model: no provider is asked)\n',
    });
  });

  it('names the packages of a template instead of installing them', async () => {
    const project = makeProject({});
    const { status, stderr } = await project.here(['init', '--template', 'chat', '--no-install']);
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        /npm install .*@shallot\/plugin-summarization @shallot\/plugin-resilience\n$/,
      ) as string,
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

  it('writes the model of a provider, and says which key it needs', async () => {
    const project = makeProject({});
    const adapter = join(import.meta.dirname, '../../../model-ai-sdk');
    const provider = realpathSync(join(adapter, 'node_modules/@ai-sdk/anthropic'));
    project.write({ 'node_modules/@ai-sdk/.keep': '' });
    symlinkSync(provider, join(project.folder, 'node_modules/@ai-sdk/anthropic'), 'dir');
    const made = await project.here(['init', '--model', 'anthropic/claude-sonnet-5']);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(made.stdout).toContain('Set ANTHROPIC_API_KEY, or write it into .env');
    const withKey = await project.here(['inspect'], { env: { ANTHROPIC_API_KEY: 'sk-ant-test' } });
    expect(withKey.stdout).toContain('model         anthropic/claude-sonnet-5');
    const without = await project.here(['run', 'hi'], { env: { ANTHROPIC_API_KEY: '' } });
    expect(without).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('ANTHROPIC_API_KEY') as string,
    });
  });

  it.each(['shallot.config.yaml', 'shallot.config.json', '.shallotrc'])(
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

  it('does not write a second config beside that of package.json', async () => {
    const manifest = '{ "name": "a", "shallot": { "model": "offline" } }';
    const project = makeProject({ 'package.json': manifest });
    const { status, stderr } = await project.here(['init']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining(
        'The "shallot" of package.json exists; init overwrites nothing',
      ) as string,
    });
    expect(filesOf(project)).toEqual(['package.json']);
    expect(await project.here(['run', '-q', 'hi'])).toMatchObject({ status: 0 });
  });

  it.each(['{ "a": ', '', '{ "a": 1, }'])('refuses a package.json that is %j', async (manifest) => {
    const project = makeProject({ 'package.json': manifest });
    const { status, stderr } = await project.here(['init']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/^error PACKAGE_SYNTAX package\.json:1:\d+: /) as string,
    });
    expect(filesOf(project)).toEqual(['package.json']);
    project.write({ 'shallot.config.yaml': 'model: offline\n' });
    const checked = await project.here(['doctor']);
    expect(checked.status).toBe(1);
    expect(checked.stdout).toMatch(/warning PACKAGE_SYNTAX package\.json:1:\d+: /);
    expect(checked.stdout.match(/Fix its JSON/g)).toHaveLength(1);
    for (const command of ['add', 'remove', 'upgrade']) {
      expect(await project.here([command, 'memory'])).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('error PACKAGE_SYNTAX') as string,
      });
    }
  });

  it('leaves a .gitignore as it is, and says what belongs into it', async () => {
    const project = makeProject({ '.gitignore': 'node_modules\n' });
    expect((await project.here(['init'])).stderr).toBe('Add to .gitignore: .shallot/ .env\n');
    expect(readFileSync(join(project.folder, '.gitignore'), 'utf8')).toBe('node_modules\n');
  });

  it('names a plugin of others by its package instead of installing it', async () => {
    const project = makeProject({});
    const { status, stderr } = await project.here([
      'init',
      '--plugin',
      'shallot-plugin-tickets',
      '--no-install',
    ]);
    expect(stderr).toMatch(/npm install .*shallot-plugin-tickets\n/);
    expect(status).toBe(0);
    expect(readFileSync(join(project.folder, 'shallot.config.yaml'), 'utf8')).toContain('- tickets\n');
  });

  it('writes into the package of a monorepo in which it is called, and not around it', async () => {
    const root = '{ "private": true, "workspaces": ["packages/*"], "shallot": { "model": "offline" } }';
    const project = makeProject({ 'package.json': root, 'packages/a/package.json': '{ "name": "a" }' });
    const folder = join(project.folder, 'packages/a');
    const { status, stdout } = await embedded(['init', '--no-install', '--template', 'empty'], {
      cwd: folder,
    });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining('shallot.config.yaml  (new)') as string,
    });
    expect(readdirSync(folder).toSorted()).toEqual(
      ['.gitignore', '.shallot', 'package.json', 'shallot.config.yaml'].toSorted(),
    );
    expect(readFileSync(join(project.folder, 'package.json'), 'utf8')).toBe(root);
    expect((await embedded(['run', '-q', 'hi'], { cwd: folder })).stdout).toContain('hi (offline model');
  });

  it.each([
    [['--model', 'gpt'], 'is not the name of a model'],
    [['--model', 'nonsense/foo'], 'The provider "nonsense" is not known. Write one of anthropic, openai,'],
    [
      ['--template', 'shop'],
      'There is no template "shop". Write one of chat, files, repository, support, empty.',
    ],
    [['--language', 'toml'], 'write yaml, json, ts'],
    [['--template', 'chat', '--template', 'files'], 'It is given twice; write it once.'],
    [['--base-url', 'http://localhost:1'], 'The offline model has no address.'],
    [['--model', 'openai-compatible/a', '--base-url', 'localhost:1'], '"localhost:1" is not an address.'],
    [['--model', 'openai/a', '--base-url', 'http://a:b@c'], 'a user name or a password'],
    [['--plugin', 'nosuch', '--no-install'], 'No plugin "nosuch" is installed.'],
    [['--plugin', 'memmory', '--no-install'], 'Did you mean "memory"?'],
  ])('refuses %j', async (args, why) => {
    const { status, stderr } = await makeProject({}).here(['init', ...args]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(why) as string });
  });

  it('writes nothing when a question is left', async () => {
    const project = makeProject({});
    const screen = project.onTerminal(['init']);
    await screen.seen('What is the agent for?');
    screen.type('\u0003');
    expect((await screen.ended).status).not.toBe(0);
    expect(filesOf(project)).toEqual(['package.json']);
  });

  it('explains in YAML what each plugin does', async () => {
    const project = makeFullProject();
    await project.here(['init', '--template', 'files']);
    const written = readFileSync(join(project.folder, 'shallot.config.yaml'), 'utf8');
    expect(written.replace(/^name: .*$/m, 'name: …')).toMatchInlineSnapshot(`
      "# yaml-language-server: $schema=.shallot/config.schema.json

      name: …
      model: offline
      instructions: You help with the files in this folder. Read before you write, and say what you changed.
      plugins:
        # ls, glob, grep and read_file, and write_file, edit_file and delete_file below this folder
        - filesystem
        # Asks a person before these tools run
        - use: hitl
          options:
            tools:
              write_file: true
              edit_file: true
              delete_file: true
        # Replaces old messages by a summary before they outgrow the model's context
        - summarization
        # Repeats requests that fail for a while
        - resilience
      "
    `);
  });

  it('says that it may not write, and leaves nothing', async () => {
    const project = makeProject({});
    chmodSync(project.folder, 0o555);
    const { status, stderr } = await asNobody(() => project.here(['init', '--yes']));
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^error CHANGE_FAILED \S+: .* cannot be written \(EACCES\)\. The project is as it was\. Make it writable/,
      ) as string,
    });
    expect(filesOf(project)).toEqual(['package.json']);
  });
});

/** Does something without the rights of root, who may write everywhere. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
