import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { createAgent } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import { chatProject, echo, keys, openChat } from '../../test/chat/chat.ts';
import { screenText } from '../../test/chat/screen.ts';
import { choose } from '../../test/questions.ts';

const { enter, ctrlD } = keys;

/** Runs what is not for people in a chat: of another agent, of a user of an application, begun by another session. */
async function runOthers(folder: string): Promise<void> {
  const store = sqliteStore(join(folder, '.shallot', 'sessions.db'));
  const model = scriptedModel([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
  for (const [name, notes] of [
    ['other', {}],
    ['test', { owner: 'ann' }],
    ['test', { parent: 'First words' }],
  ] as const) {
    const agent = await createAgent({ name, model, store, log: 'silent' });
    await agent.run('Hi', { sessionId: randomUUID(), ...notes });
    await agent.close();
  }
  await store.close?.();
}
const ctrlU = '\u0015';

it('a person gives a session its title, before and after its first message; a bad one is refused', async () => {
  const project = chatProject(echo);
  const terminal = await openChat(project, ['-s', 'tea']);
  terminal.type(`/title${enter}/title Tea time${enter}`);
  await terminal.seen('no title yet');
  terminal.type(`Hi${enter}`);
  await terminal.seen('heard "Hi"');
  terminal.type(`/title ${'x'.repeat(10_000)}${enter}`);
  await terminal.seen(/OPTION_INVALID.*1 to 100 characters/s);
  terminal.type(`/title${enter}`);
  await terminal.seen(/OPTION_INVALID.*Tea time/s);
  terminal.type(`/title Milk${enter}${ctrlD}`);
  expect((await terminal.ended).status).toBe(0);
  const { stdout } = await project.here(['sessions', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ id: 'tea', about: { title: 'Milk' } }]);
});

it('a chat goes on with the session changed last, or with one that is chosen by its title', async () => {
  const project = chatProject(`({ messages }) => ({ text: messages.length + ' messages' })`);
  const none = await project.here(['chat', '--continue'], { stdin: '' });
  expect(none.stderr).toContain('There is no session to continue.');
  for (const words of ['First words', 'Second words']) await project.here(['run', '-q', '-s', words, words]);

  await runOthers(project.folder);

  const last = project.onTerminal(['chat', '--continue']);
  await last.seen('session Second words has 2 messages  “Second words”');
  last.type(ctrlD);
  await last.ended;

  const chosen = project.onTerminal(['chat', '--resume']);
  await choose(chosen, 'Which session?', 1);
  await chosen.seen('“First words”');
  chosen.type(`${ctrlU}And?${enter}`);
  await chosen.seen('3 messages');
  chosen.type(ctrlD);
  const { status, screen } = await chosen.ended;
  expect(status).toBe(0);
  expect(screenText(screen)).toContain('✓ Which session?  First words\n');

  const piped = await project.here(['chat', '--resume'], { stdin: 'Hi\n' });
  expect(piped).toMatchObject({ status: 2, stderr: expect.stringContaining('needs a terminal') as string });
  const both = await project.here(['chat', '--continue', '-s', 'a'], { stdin: 'Hi\n' });
  expect(both).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--session and --continue') as string,
  });
});

it('a chat goes on with a session of a config without a name, and with the model that a person chose in it', async () => {
  const other = `
    import { scriptedModel } from '@shallot/testing';
    const step = ({ messages }) => ({ text: messages.length + ' other' });
    export default { ...scriptedModel(Array(9).fill(step)), id: 'test/other' };`;
  const project = chatProject(`({ messages }) => ({ text: messages.length + ' messages' })`, {
    'shallot.config.yaml': 'model: ./model.ts\nlog: silent\n',
    'other.ts': other,
  });
  await project.here(['chat', '-s', 'tea'], { stdin: 'Hi\n/model ./other.ts\nHi\n' });
  const on = await project.here(['chat', '--continue'], { stdin: 'Hi\n/model ./model.ts\nHi\n' });
  expect(on).toMatchObject({ status: 0, stdout: '5 other\n7 messages\n' });
  const later = await project.here(['chat', '--continue'], { stdin: 'Hi\n/new\nHi\n' });
  expect(later.stdout).toBe('9 messages\n1 messages\n');
  // Kept at once, without another message.
  await project.here(['chat', '-s', 'tea'], { stdin: '/model ./other.ts\n/model ./none.ts\n' });
  const { stdout } = await project.here(['sessions', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([
    { id: 'tea', about: { title: 'Hi', modelName: './other.ts' } },
    { about: { title: 'Hi' } },
  ]);
});
