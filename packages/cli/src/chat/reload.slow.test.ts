import { expect, it } from 'vitest';

import { chatProject, keys, openChat } from '../../test/chat/chat.ts';
import { screenText } from '../../test/chat/screen.ts';

const { enter, ctrlD } = keys;

const saying = (text: string): string => `
  import { definePlugin } from '@shallot/core';
  export default definePlugin({
    name: 'saying',
    beforeModel: (request) => ({ ...request, instructions: '${text}' }),
  });`;

const config = (plugins: string): string =>
  `name: test\nmodel: ./model.ts\nlog: silent\nplugins: [${plugins}]\n`;

const answer = "({ messages, instructions }) => ({ text: messages.length + ' ' + instructions })";

/** The summary of a run after its answer: files that change before its end are asked about. */
const runEnd = (answer: string): RegExp => new RegExp(`${answer}[^]*1 step,`);

it('/reload takes up the config and its files for the messages that follow, in the same session', async () => {
  const project = chatProject(answer, {
    'shallot.config.yaml': config('./saying.ts'),
    'saying.ts': saying('one'),
  });
  const terminal = await openChat(project, ['-s', 'tea']);
  terminal.type(`Hi${enter}`);
  await terminal.seen(runEnd('1 one'));
  project.write({ 'saying.ts': saying('two') });
  terminal.type(`/reload${enter}`);
  await terminal.seen(/Reloaded: test {2}\S+, 1 plugin\b/);
  terminal.type(`Hi${enter}`);
  await terminal.seen(runEnd('3 two'));

  project.write({ 'shallot.config.yaml': config('./gone.ts') });
  terminal.type(`/reload${enter}`);
  await terminal.seen('The agent was not reloaded: it stays as it is.');
  terminal.type(`Hi${enter}`);
  await terminal.seen(runEnd('5 two'));

  project.write({ 'shallot.config.yaml': 'model: [' });
  terminal.type(`/reload${enter}`);
  await terminal.seen(/CONFIG_SYNTAX.*not reloaded/s);
  project.write({ 'shallot.config.yaml': config('') });
  terminal.type(`/reload${enter}`);
  await terminal.seen('0 plugins');
  terminal.type(`/plugins${enter}${ctrlD}`);
  const { status, screen } = await terminal.ended;
  expect(status).toBe(0);
  expect(screenText(screen)).toMatch(/error MODULE_NOT_FOUND \[\.\/gone\.ts\] shallot\.config\.yaml:4:11: /);
  expect(screenText(screen)).toContain('There are no plugins.');
});

it('/reload works for messages of a pipe, and with what the new .env says', async () => {
  const project = chatProject(answer, {
    'shallot.config.yaml': `${config('')}instructions: { $env: SAID }\n`,
    '.env': 'SAID=one\n',
    'saying.ts': saying('one'),
  });
  const running = project.start(['chat']);
  running.child.stdin.write('Hi\n');
  await running.seen(runEnd('1 one'));
  project.write({ '.env': 'SAID=two\n' });
  running.child.stdin.end('/reload\nHi\n');
  await running.seen('3 two');
  expect((await running.ended).status).toBe(0);
});

it('/model changes the model for the session, keeps it on /reload, and leaves the agent as it is for a bad name', async () => {
  const project = chatProject(answer, {
    'shallot.config.yaml': `${config('')}instructions: one\n`,
    'other.ts': `
      import { scriptedModel } from '@shallot/testing';
      export default { ...scriptedModel(Array(9).fill(({ messages }) => ({ text: messages.length + ' other' }))), id: 'test/other' };`,
  });
  const terminal = await openChat(project, ['-s', 'tea']);
  terminal.type(`Hi${enter}`);
  await terminal.seen('1 one');
  terminal.type(`/model ./gone.ts${enter}`);
  await terminal.seen(/MODULE_NOT_FOUND.*stays as it is/s);
  terminal.type(`/model nonsense${enter}`);
  await terminal.seen(/stays as it is.*error.*nonsense.*stays as it is/s);
  terminal.type(`Hi${enter}`);
  await terminal.seen('3 one');
  terminal.type(`/model ./other.ts${enter}Hi${enter}`);
  await terminal.seen('5 other');
  terminal.type(`/reload${enter}`);
  await terminal.seen(/5 other.*Reloaded: test {2}test\/other/s);
  terminal.type(`Hi${enter}`);
  await terminal.seen('7 other');
  terminal.type(`/new${enter}Hi${enter}`);
  await terminal.seen('New session');
  await terminal.seen(/New session.*1 one/s);
  terminal.type(ctrlD);
  expect((await terminal.ended).status).toBe(0);
});
