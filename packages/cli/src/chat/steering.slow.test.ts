import { expect, it } from 'vitest';

import { chatProject, keys, openPseudoChat } from '../../test/chat/chat.ts';
import { screenText } from '../../test/chat/screen.ts';

const { enter, up, ctrlD } = keys;
const escape = '\u001b';

/** Answers with all messages of the user: the first one once there is a file, and one about the end never. */
const answer = `async (request) => {
  const { existsSync } = await import('node:fs');
  const { setTimeout: delay } = await import('node:timers/promises');
  if (asked(request).includes('forever')) return { chunks: ['Once upon a time\\n\\nthere was'], stall: true };
  while (!existsSync(new URL('answer.txt', import.meta.url))) await delay(20);
  const said = request.messages.filter(({ role }) => role === 'user').map(textOf);
  return { text: 'heard ' + said.join(', ') + '.' };
}`;

it('a message that is typed during an answer is taken back, sent again, read; Esc stops an answer for one', async () => {
  const project = chatProject(answer);
  const terminal = await openPseudoChat(project);
  terminal.type(`How far${enter}`);
  await terminal.seen('\u001b[?2004l');
  terminal.type(`in miles${enter}`);
  await terminal.seen('(queued: ');
  terminal.type(up);
  await terminal.seen('(taken back)');
  terminal.type(' by air');
  await terminal.seen('in miles by air');
  terminal.type(enter);
  await terminal.seen(/taken back.*\(queued: /s);
  project.write({ 'answer.txt': '' });
  await terminal.seen('(read) in miles by air');
  await terminal.seen('heard How far, in miles by air.');

  await terminal.seen(/heard How far, in miles by air\.[^]*2 steps[^]*> /);
  terminal.type(`forever${enter}`);
  await terminal.seen('Once upon');
  terminal.type('no, now');
  await terminal.seen('no, now');
  terminal.type(escape);
  await terminal.seen('heard How far, in miles by air, forever, no, now.');
  terminal.type(ctrlD);
  const { status, screen } = await terminal.ended;
  expect(status).toBe(0);
  expect(screenText(screen)).toMatch(/stopped, for your message\n> no, now\nheard How far/);
  expect(screen.split('\u001b[?2004h')).toHaveLength(screen.split('\u001b[?2004l').length);
});
