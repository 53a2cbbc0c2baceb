import { setTimeout as delay } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { makeApprovalProject } from '../../test/approvals.ts';
import { keys, openPseudoChat } from '../../test/chat/chat.ts';
import { screenText } from '../../test/chat/screen.ts';
import { choose } from '../../test/questions.ts';

const { enter, ctrlD } = keys;

it('a sentence that is typed as a question comes up decides nothing, and is sent after the run', async () => {
  const project = makeApprovalProject();
  const terminal = await openPseudoChat(project);
  terminal.type(`Go${enter}`);
  for (const key of 'and then go on please') {
    terminal.type(key);
    await delay(40);
  }
  terminal.type(enter);
  await terminal.seen('(sent once the run has ended)');
  expect(project.effects()).toEqual([]);
  await choose(terminal, /sent once.*Allow the call of remove\?/s, 0);
  await choose(terminal, 'Allow the call of write_file?', 0);
  await terminal.seen(/Told: .*and then go on please/s);
  // The model answers each message with the same calls.
  await choose(terminal, /Told: .*Allow the call of remove\?/s, 0);
  await choose(terminal, /Told: .*Allow the call of write_file\?/s, 0);
  await terminal.seen(/Told: .*Told: .*> /s);
  terminal.type(ctrlD);
  const { status, screen } = await terminal.ended;
  expect(status).toBe(0);
  expect(screenText(screen)).toMatch(/Told: remove \/old \| write_file \/new\n.*\n> and then go on please\n/);
});
