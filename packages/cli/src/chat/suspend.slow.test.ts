import { describe, expect, it } from 'vitest';

import { chatProject, echo, keys, openPseudoChat } from '../../test/chat/chat.ts';
import { screenText } from '../../test/chat/screen.ts';

const { enter, ctrlD, ctrlZ } = keys;
/** The prompt again, after it was taken away. */
const awake = /\[\?2004l[^]*\[\?2004h[^]*be/;

describe.skipIf(process.platform === 'win32')('shallot chat: Ctrl-Z', () => {
  it('leaves the terminal to the shell, and goes on with what was being written', async () => {
    const terminal = await openPseudoChat(chatProject(echo), [], {
      shell: 'set -m; "$@"; stty -a | grep -o " icanon"; echo "the shell"; fg',
    });
    terminal.type('be');
    await terminal.seen('be');
    terminal.type(ctrlZ);
    await terminal.seen(' icanon');
    await terminal.seen('the shell');
    await terminal.seen(awake);
    terminal.type(`es${enter}`);
    await terminal.seen('heard "bees"');
    terminal.type(ctrlD);
    const { status, screen } = await terminal.ended;
    expect(screen.split('\u001b[?2004h')).toHaveLength(screen.split('\u001b[?2004l').length);
    expect(status).toBe(0);
  });

  it('does nothing where no shell could wake it again', async () => {
    const terminal = await openPseudoChat(chatProject(echo));
    terminal.type(`be${ctrlZ}`);
    await terminal.seen(awake);
    terminal.type(`es${enter}`);
    await terminal.seen('heard "bees"');
    terminal.type(ctrlD);
    const { status, screen } = await terminal.ended;
    expect(screenText(screen)).toContain('heard "bees"');
    expect(status).toBe(0);
  });
});
