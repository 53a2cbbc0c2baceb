import { createAgent, defineTool } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';

/** A project with one session, whose subagent has a subagent of its own. Returns their ids too. */
async function projectWithTree() {
  const project = makeProject({
    'shallot.config.yaml': 'name: test\nmodel: ./model.ts\nlog: silent\n',
    'model.ts': `
      import { scriptedModel } from '@shallot/testing';
      export default scriptedModel([]);`,
  });
  const store = sqliteStore(`${project.folder}/.shallot/sessions.db`);
  const delegate = defineTool({
    name: 'delegate',
    description: 'Delegates.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    effect: 'idempotent',
    async execute(args, { child }) {
      const { to } = args as { readonly to: string };
      return (await child({ agent: { name: to }, prompt: `You are ${to}.` })).text;
    },
  });
  const to = (name: string) => ({ toolCalls: [{ name: 'delegate', args: { to: name } }] });
  const model = scriptedModel([to('mid'), to('low'), ...['low', 'mid', 'root'].map((text) => ({ text }))]);
  const agent = await createAgent({ name: 'test', model, tools: [delegate], store, log: 'silent' });
  await agent.run('Go', { sessionId: 'root' });
  await agent.close();
  const idBelow = async (parent: string): Promise<string> => {
    for await (const { id } of store.list({ parent })) return id;
    return '';
  };
  const mid = await idBelow('root');
  const low = await idBelow(mid);
  await store.close?.();
  return { project, mid, low };
}

it('the subagents of a session are shown with it, and each by itself; listings leave them out', async () => {
  const { project, mid, low } = await projectWithTree();
  const shown = await project.here(['sessions', 'show', 'root']);
  expect(shown.stdout).toContain(
    `## Subagents\n\n- ${mid}  mid, completed, 4 messages\n  - ${low}  low, completed, 2 messages\n`,
  );
  const { stdout } = await project.here(['sessions', 'show', 'root', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    children: [
      { id: mid, about: { parent: 'root' } },
      { id: low, about: { parent: mid } },
    ],
  });
  expect((await project.here(['sessions', 'show', low])).stdout).toContain('You are low.');
  expect((await project.here(['sessions'])).stdout).not.toContain('child_');
});

it('the chat lists the subagents of its session, and shows what one has done', async () => {
  const { project, mid, low } = await projectWithTree();
  const stdin = `/agents\n/agents ${low}\n/agents nobody\n/new\n/agents\n`;
  const { stderr } = await project.here(['chat', '-s', 'root'], { stdin });
  expect(stderr).toContain(`- ${mid}  mid, completed, 4 messages\n  - ${low}  low, completed, 2 messages\n`);
  expect(stderr).toContain('## User\n\nYou are low.\n\n## Assistant\n\nlow\n');
  expect(stderr).toContain('There is no subagent nobody in this session. See /agents.');
  expect(stderr).toContain('The session has no subagents.');
});
