import { readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { embedded, makeProject, type Project } from '../../test/project.ts';
import { choose } from '../../test/questions.ts';
import { managerFiles, publishPlugin, startRegistry } from '../../test/registry.ts';
import { plain } from '../../test/terminal.ts';
import { templates } from '../init/templates.ts';

const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };

const files = ['.gitignore', 'package.json'];

const packages = join(import.meta.dirname, '../../..');
const inAll = [...new Set(Object.values(templates).flatMap(({ plugins }) => plugins.map(({ use }) => use)))];

/** A project in which the plugins of all templates are installed. */
function makeFullProject(): Project {
  const project = makeProject({});
  const names = inAll.map((use) => `@shallot/plugin-${use}`);
  project.write({
    'package.json': JSON.stringify({
      type: 'module',
      dependencies: Object.fromEntries(names.map((name) => [name, '*'])),
    }),
  });
  for (const use of inAll) {
    const link = join(project.folder, 'node_modules/@shallot', `plugin-${use}`);
    rmSync(link, { force: true });
    symlinkSync(join(packages, `plugin-${use}`), link, 'dir');
  }
  return project;
}

/** Lists the files of a project but those of node_modules: in linked packages, other tests make and remove files. */
function filesOf({ folder }: Project): string[] {
  return readdirSync(folder)
    .filter((name) => name !== 'node_modules')
    .flatMap((name) =>
      statSync(join(folder, name)).isDirectory()
        ? readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map((path) =>
            join(name, path),
          )
        : [name],
    )
    .filter((path) => /\.\w+$/.test(path) && path !== '.shallot');
}

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

  it.each([
    ...Object.keys(templates).map((name) => [name, 'yaml'] as const),
    ['files', 'json'] as const,
    ['files', 'ts'] as const,
  ])('writes the template %s as %s, with which nothing is wrong', async (template, language) => {
    const project = makeFullProject();
    const made = await project.here(['init', '--template', template, '--language', language]);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(filesOf(project)).not.toContainEqual(expect.stringMatching(/(?<!config)\.(?:ts|js)$/));
    // The plugins of other templates are installed, and not listed.
    const { stdout } = await project.here(['doctor', '--json']);
    const { findings } = JSON.parse(stdout) as { findings: { code: string }[] };
    const own = findings.filter(({ code }) => code !== 'PLUGIN_UNUSED');
    expect(own).toMatchObject([{ level: 'note', code: 'MODEL_OFFLINE' }]);
    const example = /shallot run '(.*)'/.exec(made.stdout)?.[1] ?? '';
    const ran = await project.here(['run', '-q', '--no-ask', example]);
    // 3: the example calls a tool that asks a person.
    expect([0, 3]).toContain(ran.status);
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
    const made = await project.run(['init', '--model', 'anthropic/claude-sonnet-5']);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(made.stdout).toContain('Set ANTHROPIC_API_KEY, or write it into .env');
    const withKey = await project.run(['inspect'], { env: { ANTHROPIC_API_KEY: 'sk-ant-test' } });
    expect(withKey.stdout).toContain('model    anthropic/claude-sonnet-5');
    const without = await project.run(['run', 'hi'], { env: { ANTHROPIC_API_KEY: '' } });
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

  it('asks for the address of a model whose provider has none', async () => {
    const project = makeProject({});
    const flags =
      '--language yaml --template empty --model openai-compatible/qwen3 --plugin memory --no-install';
    const screen = project.onTerminal(['init', ...flags.split(' ')]);
    await screen.seen('At which address?');
    screen.type('8000/v1\r');
    await choose(screen, 'Make this change?', 0);
    expect((await screen.ended).status).toBe(0);
    expect(readFileSync(join(project.folder, 'shallot.config.yaml'), 'utf8')).toContain(
      'model:\n  provider: openai-compatible\n  baseURL: http://localhost:8000/v1\n  model: qwen3\n',
    );
  });

  it('says what it waits for, and gives up soon, without a network', async () => {
    const registry = await startRegistry();
    const held: { destroy(): unknown }[] = [];
    registry.answer = (_path, response) => held.push(response) > 0;
    const project = makeProject({ ...managerFiles(registry), 'package.json': '{ "type": "module" }' });
    const before = filesOf(project);
    const screen = project.onTerminal(['init', '--yes', '--plugin', 'tickets'], { env });
    await screen.seen(/view \S*tickets versions --json … \d+ s/);
    registry.answer = (_path, response) => Boolean(response.destroy());
    for (const response of held) response.destroy();
    const ended = await screen.ended;
    expect(plain(ended.screen)).toMatch(/error REGISTRY_FAILED: p?npm could not ask the registry for /);
    expect(ended.status).toBe(1);
    expect(filesOf(project)).toEqual(before);
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

  it('asks on a terminal what no flag says', async () => {
    const project = makeProject({});
    const screen = project.onTerminal(['init', '--language', 'yaml']);
    await screen.seen('What is the agent for?');
    screen.type('\u001B[A\r');
    await screen.seen('Which provider has the model?');
    screen.type('\r');
    await screen.seen('Which plugins');
    screen.type('\r');
    await choose(screen, 'Make this change?', 0);
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
    await screen.seen('What is the agent for?');
    screen.type('\u0003');
    expect((await screen.ended).status).not.toBe(0);
    expect(filesOf(project)).toEqual(['package.json']);
  });
});
