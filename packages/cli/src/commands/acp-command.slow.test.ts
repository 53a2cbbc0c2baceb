import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';

import { client, methods, ndJsonStream, type McpServer, type SessionUpdate } from '@agentclientprotocol/sdk';
import { expect, it, onTestFinished } from 'vitest';

import { makeProject, type Project } from '../../test/project.ts';

const files = {
  'shallot.config.yaml': 'name: test\nmodel: ./model.ts\nplugins: [./noisy.ts]\n',
  'model.ts': `
    import { scriptedModel } from '@shallot/testing';
    export default scriptedModel([{ text: 'Hello, editor.' }]);`,
  'noisy.ts': `
    import { definePlugin } from '@shallot/core';
    export default definePlugin({ name: 'noisy', setup() { console.log('not the protocol'); } });`,
};

/** Starts `shallot acp` in a project, and connects to it as an editor does. */
function startEditor(project: Project) {
  const running = project.start(['acp']);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  const { stdin, stdout } = running.child;
  const bytes = new PassThrough();
  stdout.on('data', (text: string) => bytes.write(text));
  const updates: SessionUpdate[] = [];
  const { agent } = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .connect(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(bytes) as ReadableStream<Uint8Array>));
  return { agent, running, updates, stdin };
}

it('answers an editor over stdout, which carries nothing else, and ends with its stdin', async () => {
  const project = makeProject(files);
  const { agent, running, updates, stdin } = startEditor(project);
  const { agentInfo } = await agent.request('initialize', { protocolVersion: 1 });
  expect(agentInfo).toMatchObject({ name: 'shallot' });
  const { sessionId } = await agent.request('session/new', { cwd: project.folder, mcpServers: [] });
  const prompt = [{ type: 'text' as const, text: 'Hi' }];
  await agent.request('session/prompt', { sessionId, prompt });
  expect(JSON.stringify(updates)).toContain('editor.');
  stdin.end();
  const ended = await running.ended;
  expect(ended).toMatchObject({ status: 0, stderr: expect.stringContaining('not the protocol') as unknown });
  expect(await project.here(['sessions', '--json'])).toMatchObject({
    stdout: expect.stringContaining(sessionId) as unknown,
  });
});

it('connects to the MCP servers of the editor, for their session alone, and names one that does not start', async () => {
  const server = join(import.meta.dirname, '../../../plugin-mcp/test/programs/everyday-server.ts');
  const project = makeProject({
    ...files,
    'shallot.config.yaml': 'name: test\nmodel: ./model.ts\nacp: { models: [./other.ts] }\n',
    'model.ts': `
      import { scriptedModel } from '@shallot/testing';
      export default scriptedModel([
        { toolCalls: [{ id: 'sum', name: 'everyday_add', args: { a: 31, b: 55 } }] },
        { text: 'Done.' },
      ]);`,
    'other.ts': `
      import { scriptedModel } from '@shallot/testing';
      export default scriptedModel([({ tools = [] }) => ({ text: 'tools=' + tools.length })]);`,
  });
  const { agent, running, updates, stdin } = startEditor(project);
  await agent.request('initialize', { protocolVersion: 1 });
  const open = async (mcpServers: McpServer[]) =>
    agent.request('session/new', { cwd: project.folder, mcpServers });
  const everyday = { name: 'everyday', command: process.execPath, args: [server], env: [] };
  const lost = { name: 'lost', command: join(project.folder, 'nowhere'), args: [], env: [] };
  const { sessionId, configOptions } = await open([everyday, lost]);
  expect(configOptions).toMatchObject([{ id: 'model', options: { length: 2 } }]);
  const prompt = [{ type: 'text' as const, text: 'Add' }];
  await agent.request('session/prompt', { sessionId, prompt });
  const shown = JSON.stringify(updates);
  expect(shown).toContain('86');
  expect(shown).toMatch(/MCP server lost/i);

  const other = await open([]);
  const value = './other.ts';
  await agent.request('session/set_config_option', { sessionId: other.sessionId, configId: 'model', value });
  updates.length = 0;
  await agent.request('session/prompt', { sessionId: other.sessionId, prompt });
  expect(JSON.stringify(updates)).toContain('tools=0');
  stdin.end();
  expect(await running.ended).toMatchObject({ status: 0 });
});

it('answers with the error of a config that does not load, and shows it on stderr', async () => {
  const project = makeProject({ ...files, 'shallot.config.yaml': 'model: ./model.ts\nmaxSteps: many\n' });
  const { agent, running, stdin } = startEditor(project);
  await agent.request('initialize', { protocolVersion: 1 });
  await expect(agent.request('session/new', { cwd: project.folder, mcpServers: [] })).rejects.toMatchObject({
    data: { code: 'CONFIG_INVALID' },
  });
  stdin.end();
  expect(await running.ended).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('shallot.config.yaml:2') as unknown,
  });
});
