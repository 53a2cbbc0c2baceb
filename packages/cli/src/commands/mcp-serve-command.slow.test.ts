import { statSync } from 'node:fs';
import { join } from 'node:path';

import { Client, isInputRequiredResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';

import { makeProject, type Project } from '../../test/project.ts';

const files = {
  'shallot.config.yaml':
    'name: test\nmodel: ./model.ts\ntools: [./tools.ts]\nplugins: [./noisy.ts, hitl]\npermissions: { ask: [pay] }\n',
  'model.ts': `
    import { scriptedModel } from '@shallot/testing';
    const answer = ({ messages }) => messages.at(-1)?.role === 'tool' ? { text: 'Paid.' }
      : JSON.stringify(messages.at(-1)).includes('Pay') ? { toolCalls: [{ name: 'pay' }] } : { text: 'Hello.' };
    export default scriptedModel([answer, answer, answer]);`,
  'tools.ts': `
    import { defineTool } from '@shallot/core';
    export const pay = defineTool({ name: 'pay', description: 'Pays', input: { type: 'object' }, execute: () => 'paid' });`,
  'noisy.ts': `
    import { definePlugin } from '@shallot/core';
    export default definePlugin({ name: 'noisy', setup() { console.log('not the protocol'); } });`,
};

const command = join(import.meta.dirname, '../main.ts');
const approve = { action: 'accept', content: { decision: 'approve' } } as const;

/** Connects a client that starts `shallot mcp serve` as a process of its own. */
async function connect(project: Project, revision: 'newest' | 'older' = 'newest') {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: revision === 'older' ? 'legacy' : { pin: '2026-07-28' } },
      inputRequired: { autoFulfill: false },
    },
  );
  client.setRequestHandler('elicitation/create', async () => approve);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command, 'mcp', 'serve'],
    cwd: project.folder,
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (data) => (stderr += String(data)));
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, stderr: () => stderr };
}

function ask(client: Client, question: string, retry: object = {}) {
  return client.callTool({ name: 'ask', arguments: { question }, ...retry }, { allowInputRequired: true });
}

it('passes a question on to a client in one process, and takes its answer in another', async () => {
  const project = makeProject(files);
  const first = await connect(project);
  const asked: object = await ask(first.client, 'Pay');
  expect(isInputRequiredResult(asked)).toBe(true);
  await first.client.close();
  expect(first.stderr()).toContain('not the protocol');
  expect(statSync(join(project.folder, '.shallot/key')).mode & 0o777).toBe(0o600);
  if (!isInputRequiredResult(asked)) return;
  const { inputRequests = {}, requestState } = asked;
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, approve]));
  const second = await connect(project);
  const done = await ask(second.client, 'Pay', { inputResponses, requestState });
  expect(done).toMatchObject({ content: [{ text: 'Paid.' }, {}] });
});

it('asks the user of an older client while the call is open', async () => {
  const { client } = await connect(makeProject(files), 'older');
  expect(await ask(client, 'Pay')).toMatchObject({ content: [{ text: 'Paid.' }, {}] });
});

it('answers with the error of a config that does not load, and shows it on stderr', async () => {
  const project = makeProject({ ...files, 'shallot.config.yaml': 'model: ./model.ts\nmaxSteps: many\n' });
  const { client, stderr } = await connect(project);
  await expect(client.listTools()).rejects.toMatchObject({ data: { code: 'CONFIG_INVALID' } });
  expect(stderr()).toContain('shallot.config.yaml:2');
});

it('ends with its stdin, and writes nothing but the protocol to stdout', async () => {
  const project = makeProject(files);
  const ended = await project.run(['mcp', 'serve']);
  expect(ended).toMatchObject({ status: 0, stdout: '' });
  const wrong = await project.here(['mcp', 'serve', '--port', '0']);
  expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('--http')]);
  project.write({ '.shallot/key': 'nonsense' });
  const refused = await project.here(['mcp', 'serve']);
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('KEY_INVALID')]);
});

it('serves over HTTP with the tokens of the config, until it is stopped', async () => {
  const project = makeProject({
    ...files,
    'shallot.config.yaml': `${files['shallot.config.yaml']}serve: { tokens: ['0123456789abcdefA'] }\n`,
  });
  const running = project.start(['mcp', 'serve', '--http', '--port', '0']);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  let text = '';
  running.child.stderr.on('data', (data) => (text += String(data)));
  await running.seen(/Serving test at http:\S+\/mcp\n/);
  const [url = ''] = /http:\S+/.exec(text) ?? [];
  expect((await fetch(url, { method: 'POST' })).status).toBe(401);
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { authorization: 'Bearer 0123456789abcdefA' };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  expect(await ask(client, 'Hi')).toMatchObject({ content: [{ text: 'Hello.' }, {}] });
  await client.close();
  running.child.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ status: 0 });
});
