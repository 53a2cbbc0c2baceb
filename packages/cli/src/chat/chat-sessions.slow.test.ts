import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import { makeApprovalProject } from '../../test/approvals.ts';
import { chatProject, keys, openChat, openPseudoChat } from '../../test/chat/chat.ts';
import { screenText } from '../../test/chat/screen.ts';
import { choose, goOnWith } from '../../test/questions.ts';

const { enter, ctrlC, ctrlD } = keys;
const ctrlU = '\u0015';
/** The sequence that a terminal gets when a message can be written. */
const prompted = '\u001b[?2004h';

describe('shallot chat, when a run asks', () => {
  it.each(['./gate.ts', 'hitl'])(
    'asks where it comes up, and goes on with the answers (%s)',
    async (plugin) => {
      const project = makeApprovalProject({ plugin });
      const terminal = await openChat(project, ['-s', 'tea']);
      terminal.type(`Go${enter}`);
      await choose(terminal, 'Allow the call of remove?', 0);
      await choose(terminal, 'Allow the call of write_file?', 2);
      await goOnWith(terminal, 'Reason for the model', '');
      await terminal.seen('Told: ');
      await terminal.seen(/tool calls.*> /s);
      terminal.type(`/pending${enter}${ctrlD}`);
      const { status, screen } = await terminal.ended;
      expect(screenText(screen)).toContain('Told: remove /old | ');
      expect(screenText(screen)).toContain('No question is open.');
      expect(status).toBe(0);
      expect(project.effects()).toEqual(['remove /old']);
    },
  );

  it('keeps questions that are left; the next message, and /pending, take them up again', async () => {
    const project = makeApprovalProject();
    const terminal = await openChat(project, ['-s', 'tea']);
    terminal.type(`Go${enter}`);
    await terminal.seen('Allow the call of remove?');
    terminal.type(ctrlC);
    await terminal.seen('2 questions are still open: answer with /pending.');
    terminal.type(`And now?${enter}`);
    await choose(terminal, 'is waiting for', 2);
    await terminal.seen('The message was not sent.');
    await terminal.seen(/not sent.*> .*And now\?/s);
    terminal.type(`${ctrlU}/pending${enter}`);
    await choose(terminal, /not sent.*is waiting for.*answers to 2 questions/s, 0);
    await choose(terminal, /not sent.*Answer them.*Allow the call of remove\?/s, 0);
    await choose(terminal, 'Allow the call of write_file?', 0);
    await terminal.seen('Told: ');
    terminal.type(ctrlD);
    expect((await terminal.ended).status).toBe(0);
    expect(project.effects()).toEqual(['remove /old', 'write_file /new']);
  });

  it('keeps them when its terminal is closed, also while one of them is being answered', async () => {
    const project = makeApprovalProject();
    const terminal = await openPseudoChat(project, ['-s', 'tea']);
    terminal.type(`Go${enter}`);
    await choose(terminal, 'Allow the call of remove?', 2);
    await terminal.seen('Reason for the model');
    terminal.hangUp();
    expect((await terminal.ended).status).toBe(129);
    expect(await project.open()).toHaveLength(2);
    expect(project.effects()).toEqual([]);
  });

  it('offers to give up a run that waits: the session then goes on without its calls', async () => {
    const project = makeApprovalProject();
    expect((await project.here(['run', '-q', '-s', 'tea', 'Go'])).status).toBe(3);
    const terminal = project.onTerminal(['chat', '-s', 'tea']);
    await choose(terminal, 'is waiting for', 1);
    await terminal.seen(prompted);
    terminal.type(`Go${enter}`);
    await terminal.seen('Allow the call of remove?');
    terminal.type(ctrlC);
    await terminal.seen('2 questions are still open');
    terminal.type(ctrlD);
    expect((await terminal.ended).status).toBe(0);
    expect(project.effects()).toEqual([]);
    expect(await project.open()).toHaveLength(2);
  });
});

/** A project whose tool kills the process, unless there is a file `calm`. */
const deadly = {
  'shallot.config.yaml': 'model: ./model.ts\ntools: [./work.ts]\nlog: silent\n',
  'work.ts': `
    import { existsSync } from 'node:fs';
    import { defineTool } from '@shallot/core';
    export const work = defineTool({
      name: 'work', description: 'Works', input: { type: 'object' }, effect: 'read',
      execute: () => existsSync(new URL('calm', import.meta.url)) ? 'worked' : process.kill(process.pid, 'SIGKILL'),
    });`,
};
const working = `({ messages }) => messages.at(-1).role === 'tool'
  ? { text: 'Told: ' + textOf(messages.at(-1)) }
  : textOf(messages.at(-1)) === 'work' ? { toolCalls: [{ name: 'work' }] } : { text: messages.length + ' messages' }`;

describe('shallot chat, with a session that another process left', () => {
  it('goes on with a run whose process was killed, and with the conversation after it', async () => {
    const project = chatProject(working, deadly);
    const killed = await openPseudoChat(project, ['-s', 'tea']);
    killed.type(`Hi${enter}`);
    await killed.seen('1 messages');
    killed.type(`work${enter}`);
    expect((await killed.ended).status).toBe(137);
    writeFileSync(join(project.folder, 'calm'), '');

    const next = project.onTerminal(['chat', '-s', 'tea']);
    await next.seen('session tea has 4 messages');
    await choose(next, 'its process died', 0);
    await next.seen('Told: worked');
    await next.seen(prompted);
    next.type(`And?${enter}`);
    await next.seen('7 messages');
    next.type(ctrlD);
    expect((await next.ended).status).toBe(0);
  });

  it('gives it up when that is chosen, with the next message', async () => {
    const project = chatProject(working, deadly);
    const killed = await openPseudoChat(project, ['-s', 'tea']);
    killed.type(`work${enter}`);
    expect((await killed.ended).status).toBe(137);

    const next = project.onTerminal(['chat', '-s', 'tea']);
    await choose(next, 'its process died', 1);
    await next.seen(prompted);
    next.type(`And?${enter}`);
    await next.seen('4 messages');
    next.type(ctrlD);
    expect((await next.ended).status).toBe(0);
  });
});

describe('two chats with one session', () => {
  const slow = `async ({ messages }) => {
    if (textOf(messages.at(-1)) === 'slow') {
      const { existsSync } = await import('node:fs');
      while (!existsSync(new URL('go', import.meta.url))) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { text: messages.length + ' messages' };
  }`;

  it('take turns; while one is at work the other is told so, and neither loses anything', async () => {
    const project = chatProject(slow);
    const [first, second] = await Promise.all([
      openPseudoChat(project, ['-s', 'tea']),
      openPseudoChat(project, ['-s', 'tea']),
    ]);
    first.type(`slow${enter}`);
    await vi.waitUntil(() => existsSync(join(project.folder, '.shallot', 'sessions.db')), {
      timeout: 20_000,
    });
    const running = async (): Promise<boolean> =>
      (await project.here(['sessions'])).stdout.includes('running');
    await vi.waitUntil(running, { timeout: 20_000, interval: 200 });
    second.type(`Hi${enter}`);
    await second.seen('STORE_CONFLICT');
    const third = project.onPseudoTerminal(['chat', '-s', 'tea']);
    await third.seen(/Process \d+ on .* is working on session tea/);
    third.type(ctrlD);
    writeFileSync(join(project.folder, 'go'), '');
    await first.seen(/1 messages.*1 step/s);
    second.type(`Hi again${enter}`);
    await second.seen(/3 messages.*1 step/s);
    first.type(`Hi${enter}`);
    await first.seen('5 messages');
    for (const terminal of [first, second]) terminal.type(ctrlD);
    expect((await second.ended).status).toBe(0);
    expect(screenText((await second.ended).screen)).toMatch(/^error STORE_CONFLICT: .*"tea"/m);
    expect((await first.ended).status).toBe(0);
    expect((await third.ended).status).toBe(0);
  });
});
