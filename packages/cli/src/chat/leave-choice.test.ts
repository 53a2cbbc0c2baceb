import { expect, it } from 'vitest';

import { chatProject, echo } from '../../test/chat/chat.ts';
import { screenText } from '../../test/chat/screen.ts';

const escape = '\u001b';

it('Esc at the choice of a session ends the chat, and begins no other one', async () => {
  const project = chatProject(echo);
  await project.here(['run', '-q', '-s', 'tea', 'Hi']);
  const terminal = project.onTerminal(['chat', '--resume']);
  await terminal.seen('Which session?');
  terminal.type(escape);
  const { status, screen } = await terminal.ended;
  expect(status).toBe(0);
  expect(screenText(screen)).not.toContain('/help');
});
