import { createAgent, defineTool } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import { makeProject, type Project } from '../../test/project.ts';

const ids = {
  tea: 'session_11111111-1111-4111-8111-111111111111',
  milk: 'session_12222222-2222-4222-8222-222222222222',
} as const;

/** A project with two sessions with generated ids, and one with a name of an application. */
async function projectWithSessions(): Promise<Project> {
  const project = makeProject({
    'shallot.config.yaml': 'name: test\nmodel: ./model.ts\nlog: silent\n',
    'model.ts': `
      import { scriptedModel } from '@shallot/testing';
      export default scriptedModel(Array(9).fill(({ messages }) => ({ text: messages.length + ' messages' })));`,
  });
  const brew = defineTool({
    name: 'brew',
    description: 'Brews',
    input: { type: 'object', properties: { kind: { type: 'string' } } },
    execute: () => 'a pot of ```green``` tea\u001b[2J',
  });
  const store = sqliteStore(`${project.folder}/.shallot/sessions.db`);
  const model = scriptedModel([
    { text: 'Right away.', toolCalls: [{ name: 'brew', args: { kind: 'green' } }] },
    { text: 'Here is your **tea**.' },
    { text: 'It is in the fridge.' },
    { text: 'Hello.' },
  ]);
  const agent = await createAgent({ model, tools: [brew], store, log: 'silent' });
  await agent.run('Make green tea, please', { sessionId: ids.tea, title: 'Tea time' });
  await agent.run('Where is the milk?\u202e', { sessionId: ids.milk });
  await agent.run('Hi', { sessionId: 'user1' });
  await agent.close();
  await store.close?.();
  return project;
}

it('a session is shown as Markdown, found by the beginning of its id, with nothing that steers a terminal', async () => {
  const project = await projectWithSessions();
  const { status, stdout } = await project.here(['sessions', 'show', ids.tea.slice(0, 12)]);
  expect(status).toBe(0);
  expect(stdout.replace(/20\d\d-[\d:TZ-]+/, 'TIME')).toBe(
    [
      '# Tea time',
      `${ids.tea}, completed, 4 messages, TIME`,
      '## User',
      'Make green tea, please',
      '## Assistant',
      'Right away.',
      'Calls brew:',
      '```json\n{\n  "kind": "green"\n}\n```',
      '## Tool brew',
      '````\na pot of ```green``` tea⟨U+001B⟩[2J\n````',
      '## Assistant',
      'Here is your **tea**.\n',
    ].join('\n\n'),
  );
  const untitled = await project.here(['sessions', 'show', ids.milk]);
  expect(untitled.stdout).toMatch(new RegExp(`^# ${ids.milk}\n`));
  expect(untitled.stdout).toContain('Where is the milk?⟨U+202E⟩');
  const json = JSON.parse((await project.here(['sessions', 'show', 'user1', '--json'])).stdout) as object;
  expect(json).toMatchObject({
    id: 'user1',
    status: 'completed',
    messages: [{ role: 'user' }, { role: 'assistant', content: [{ text: 'Hello.' }] }],
  });
});

it('sessions are searched by id, title and text, whatever the case', async () => {
  const project = await projectWithSessions();
  const search = async (...args: readonly string[]): Promise<string> =>
    (await project.here(['sessions', 'search', ...args])).stdout;
  expect(await search('TEA')).toBe(
    [
      `${ids.tea}  “Tea time”`,
      '  user: Make green tea, please',
      '  tool: a pot of ```green``` tea⟨U+001B⟩[2J',
      '  assistant: Here is your **tea**.\n',
    ].join('\n'),
  );
  expect(await search('user1')).toBe('user1\n');
  expect(JSON.parse(await search('fridge', '--json'))).toEqual([
    { id: ids.milk, matches: [{ role: 'assistant', text: 'It is in the fridge.' }] },
  ]);
  expect(JSON.parse(await search('e', '--json', '--limit', '1'))).toHaveLength(1);
  const none = await project.here(['sessions', 'search', 'coffee']);
  expect(none).toMatchObject({ status: 0, stdout: '', stderr: 'No session contains it.\n' });
  expect(await project.here(['sessions', 'search', ' '])).toMatchObject({ status: 2 });
});

it('the beginning of a generated id stands for its session, everywhere; a name of an application only for itself', async () => {
  const project = await projectWithSessions();
  const continued = await project.here(['run', '-q', '-s', 'session_12', 'Still?']);
  expect(continued).toMatchObject({ status: 0, stdout: '3 messages\n' });
  for (const command of [
    ['run', '-s', 'session_1', 'Hi'],
    ['sessions', 'delete', 'session_1'],
    ['sessions', 'show', 'session_1'],
    ['pending', 'session_1'],
    ['chat', '-s', 'session_1'],
  ]) {
    const { status, stderr } = await project.here(command);
    expect(status).not.toBe(0);
    expect(stderr).toContain('SESSION_NOT_FOUND');
    for (const id of Object.values(ids)) expect(stderr).toContain(id);
  }
  const misspelt = await project.here(['run', '-s', 'session_99', 'Hi']);
  expect(misspelt.stderr).toContain('There is no session "session_99"');
  const begun = await project.here(['run', '-q', '-s', 'user', 'Hi']);
  expect(begun).toMatchObject({
    status: 0,
    stdout: '1 messages\n',
    stderr: 'Session "user" is new. Others begin with its name: user1.\n',
  });
  const kept = await project.here(['sessions', 'delete', 'use']);
  expect(kept.stderr).toContain('SESSION_NOT_FOUND');
  expect(kept.stderr).toContain('There is no session "use". Others begin with it: ');
  expect(kept.stderr).toContain('user1');
  expect(await project.here(['sessions', 'delete', 'session_11'])).toMatchObject({
    status: 0,
    stdout: `Session ${ids.tea} is deleted.\n`,
  });
});

it('a session that a command begins has the first words of its message as the title', async () => {
  const project = await projectWithSessions();
  await project.here([
    'run',
    '-q',
    '-s',
    'new',
    'Tell me\nall about onions, and why their layers make people cry so much',
  ]);
  const { stdout } = await project.here(['sessions', '--limit', '1', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([
    { about: { title: 'Tell me all about onions, and why their layers make people…' } },
  ]);
});
