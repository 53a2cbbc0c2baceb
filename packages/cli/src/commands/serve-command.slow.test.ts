import { describe, expect, it, onTestFinished } from 'vitest';

import { makeProject, type Project, type Running } from '../../test/project.ts';

const files = {
  'shallot.config.yaml': 'name: test\nmodel: ./model.ts\n',
  'model.ts': `
    import { scriptedModel } from '@shallot/testing';
    export default scriptedModel([{ text: 'Done.' }]);`,
};

/** Starts a server on a free port. Resolves to its URL once it listens. */
async function startServer(project: Project): Promise<Running & { readonly url: string }> {
  const running = project.start(['serve', '--port', '0']);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  let text = '';
  running.child.stderr.on('data', (data) => (text += String(data)));
  await running.seen(/Serving test at http:\S+\n/);
  const [url = ''] = /http:\S+/.exec(text) ?? [];
  return { ...running, url };
}

const post = (body: object, token?: string): RequestInit => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  },
  body: JSON.stringify(body),
});

describe('shallot serve', () => {
  it('serves the agent of the config until it is told to stop', async () => {
    const config = `${files['shallot.config.yaml']}log: info\nserve: { limits: { bodyBytes: 1000 } }\n`;
    const { url, child, ended } = await startServer(makeProject({ ...files, 'shallot.config.yaml': config }));
    const response = await fetch(`${url}/sessions?wait=60`, post({ id: 'a', input: 'Go' }));
    expect(await response.json()).toMatchObject({ run: { status: 'completed', text: 'Done.' } });
    expect((await fetch(`${url}/sessions`, post({ input: 'a'.repeat(2000) }))).status).toBe(413);
    child.kill('SIGTERM');
    const { status, stderr } = await ended;
    expect([status, stderr]).toEqual([0, expect.stringMatching(/Stopping/)]);
    const line = stderr.split('\n').find((each) => each.includes('POST /sessions was answered with 201'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      level: 30,
      sessionId: 'a',
      runId: expect.any(String) as string,
    });
  });

  it('takes up the run of a server that was killed', async () => {
    const project = makeProject({
      ...files,
      'shallot.config.yaml': `${files['shallot.config.yaml']}tools: [./tools.ts]\n`,
      'model.ts': `
        import { scriptedModel } from '@shallot/testing';
        const answer = ({ messages }) =>
          messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { toolCalls: [{ name: 'look' }] };
        export default scriptedModel([answer, answer]);`,
      'tools.ts': `
        import { existsSync } from 'node:fs';
        import { setTimeout as sleep } from 'node:timers/promises';
        import { defineTool } from '@shallot/core';
        export const look = defineTool({ name: 'look', description: 'Looks', input: { type: 'object' }, effect: 'read',
          async execute() {
            console.error('the tool waits');
            while (!existsSync('go')) await sleep(10);
            return 'went';
          } });`,
    });
    const first = await startServer(project);
    await fetch(`${first.url}/sessions`, post({ id: 'a', input: 'Go' }));
    await first.seen('the tool waits');
    first.child.kill('SIGKILL');
    await first.ended;
    project.write({ go: '' });
    const { url } = await startServer(project);
    const events = await (await fetch(`${url}/sessions/a/events`)).text();
    expect(events).toMatch(/"outcome":"completed"/);
  });

  it('asks for the tokens of the config, and keeps them out of inspect', async () => {
    const config = `${files['shallot.config.yaml']}serve:\n  tokens: [{ $env: SERVE_A }, { $env: SERVE_B }]\n`;
    const project = makeProject({
      ...files,
      'shallot.config.yaml': config,
      '.env': 'SERVE_A=0123456789abcdefA\nSERVE_B=0123456789abcdefB\n',
    });
    const { url } = await startServer(project);
    expect((await fetch(`${url}/sessions`)).status).toBe(401);
    const begun = await fetch(`${url}/sessions?wait=60`, post({ input: 'Go' }, '0123456789abcdefB'));
    expect(begun.status).toBe(201);
    const { stdout } = await project.here(['inspect', '--merged']);
    expect(stdout).toMatch(/serve/);
    expect(stdout).not.toMatch(/0123456789abcdef/);
  });

  it('refuses another host without tokens', async () => {
    const { status, stderr } = await makeProject(files).here(['serve', '--port', '0', '--host', '0.0.0.0']);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/without auth/)]);
  });
});
