import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { env } from '../../test/add.ts';
import { filesOf, makeFullProject } from '../../test/init.ts';
import { makeProject } from '../../test/project.ts';
import { choose } from '../../test/questions.ts';
import { managerFiles, publishPlugin, startRegistry } from '../../test/registry.ts';
import { plain } from '../../test/terminal.ts';
import { templates } from '../init/templates.ts';

describe('shallot init', () => {
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
});
