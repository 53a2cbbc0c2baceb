import { setTimeout as delay } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { makeApprovalProject } from '../../test/approvals.ts';
import { keys, openPseudoChat } from '../../test/chat/chat.ts';
import { screenText } from '../../test/chat/screen.ts';
import { choose } from '../../test/questions.ts';

const { enter, ctrlD } = keys;

it('a sentence that is typed as a question comes up decides nothing, and the run reads it after the answers', async () => {
  const project = makeApprovalProject();
  const terminal = await openPseudoChat(project);
  terminal.type(`Go${enter}`);
  for (const key of 'and then go on please') {
    terminal.type(key);
    await delay(40);
  }
  terminal.type(enter);
  await terminal.seen('(sent once the question is answered)');
  expect(project.effects()).toEqual([]);
  await choose(terminal, /sent once.*Allow the call of remove\?/s, 0);
  await choose(terminal, 'Allow the call of write_file?', 0);
  // The model answers each message with the same calls.
  await choose(terminal, /\(read\) .*Allow the call of remove\?/s, 0);
  await choose(terminal, /\(read\) .*Allow the call of write_file\?/s, 0);
  await terminal.seen(/Told: .*> /s);
  terminal.type(ctrlD);
  const { status, screen } = await terminal.ended;
  expect(status).toBe(0);
  const text = screenText(screen);
  expect(text).toMatch(/^ {2}\(read\) and then go on please$/m);
  expect(text).toContain('Told: remove /old | write_file /new | remove /old | write_file /new\n');
  expect(text.match(/Told/g)).toHaveLength(1);
});
