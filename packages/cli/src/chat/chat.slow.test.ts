import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { chatProject, echo, keys, openChat, openPseudoChat, paste } from '../../test/chat/chat.ts';
import { screenText } from '../../test/chat/screen.ts';

const { enter, altEnter, tab, up, ctrlA, ctrlC, ctrlD, ctrlW } = keys;

describe('shallot chat, on a terminal: writing', () => {
  it('takes lines that are pasted, go on after a backslash, and are broken with Alt-Enter as one message', async () => {
    const terminal = await openPseudoChat(chatProject(echo));
    terminal.type(paste('one\n\ttwo\u0007\u001b[2J'));
    terminal.type(`\\${enter}three${altEnter}four${enter}`);
    await terminal.seen('heard');
    terminal.type(ctrlD);
    const { status, screen } = await terminal.ended;
    expect(screenText(screen)).toContain(String.raw`heard "one\n\ttwo[2J\nthree\nfour"`);
    expect(screen.split('\u001b[?2004h')).toHaveLength(screen.split('\u001b[?2004l').length);
    expect(status).toBe(0);
  });

  it('edits a line as readline does', async () => {
    const terminal = await openChat(chatProject(echo));
    terminal.type(`wordld${ctrlW}world${ctrlA}hello 👩‍👩‍👧日${keys.left}\u007f本 ${enter}`);
    await terminal.seen('heard');
    terminal.type(ctrlD);
    expect(screenText((await terminal.ended).screen)).toContain('heard "hello 本 日world"');
  });

  it('has at hand what was written in earlier chats, but for lines that begin with a space', async () => {
    const project = chatProject(echo);
    const first = await openChat(project);
    first.type(`a\\${enter}b${enter}`);
    await first.seen(String.raw`heard "a\nb"`);
    first.type(` my secret${enter}`);
    await first.seen('heard "my secret"');
    first.type(ctrlD);
    await first.ended;
    const path = join(project.folder, '.shallot', 'chat-history.jsonl');
    expect(readFileSync(path, 'utf8')).toBe('"a\\nb"\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);

    const second = await openChat(project);
    second.type(`draft${up}${keys.down}${up}!${enter}`);
    await second.seen(String.raw`heard "a\nb!"`);
    second.type(ctrlD);
    expect((await second.ended).status).toBe(0);
  });

  it('sends the files that a message mentions, and gives back one that mentions none', async () => {
    const parts = `({ messages }) => ({ text: messages.at(-1).content.map(({ type, text, name }) => text ?? type + ' ' + name).join(' + ') })`;
    const project = chatProject(parts, { 'notes.md': 'onions', 'cat.png': 'meow' });
    const terminal = await openChat(project);
    terminal.type(`Compare @cat.png with @notes.md${enter}`);
    await terminal.seen(/\+ file cat.png \+ notes.md:.*onions/s);
    terminal.type(`And @../secrets.md?${enter}`);
    await terminal.seen(
      /error.* @..\/secrets.md is outside of .*The message was not sent.*And @..\/secrets.md\?/s,
    );
    terminal.type(`\u0015Then${enter}`);
    await terminal.seen(/Then.*Then.*1 step/s);
    terminal.type(ctrlD);
    expect((await terminal.ended).status).toBe(0);
    const piped = await project.here(['chat', '-q'], { stdin: 'See @none.md\nHi\n' });
    expect(piped).toMatchObject({ status: 2, stdout: 'Hi\n' });
    expect(piped.stderr).toContain('error @none.md does not exist.');
  });

  it('goes on without a history that cannot be read', async () => {
    const project = chatProject(echo);
    project.write({ '.shallot/chat-history.jsonl/x': '' });
    const terminal = await openChat(project);
    terminal.type(`Hi${enter}`);
    await terminal.seen('heard "Hi"');
    terminal.type(ctrlD);
    const { status, screen } = await terminal.ended;
    expect(screenText(screen).match(/^warning .*chat-history\.jsonl/gm)).toHaveLength(1);
    expect(status).toBe(0);
  });

  it('keeps what is typed while an answer comes for the next message, apart from the answer', async () => {
    const slow = `async (request) => { await new Promise((resolve) => setTimeout(resolve, 1500)); return { text: '\`heard ' + asked(request) + '\`' }; }`;
    const terminal = await openChat(chatProject(slow));
    terminal.type(`first${enter}`);
    await terminal.seen('\u001b[?2004l');
    terminal.type('second');
    await terminal.seen('heard first');
    await terminal.seen(/tool calls.*> .*second/s);
    terminal.type(enter);
    await terminal.seen('heard second');
    terminal.type(ctrlD);
    const { screen } = await terminal.ended;
    expect(screenText(screen)).toMatch(/> first\nheard first\n/);
  });
});

describe('shallot chat, on a terminal: commands', () => {
  const counting = `({ messages }) => ({ text: messages.length + ' messages', usage: { input: 1200, output: 3, total: 1203, cacheRead: 1000 } })`;
  const project = (): ReturnType<typeof chatProject> =>
    chatProject(counting, {
      'shallot.config.yaml': 'name: test\nmodel: ./model.ts\nplugins: [{ use: ./judge.ts, priority: 42 }]\n',
      'judge.ts': `
        import { definePlugin } from '@shallot/core';
        export default definePlugin({
          name: 'judge', version: '1.2.3', api: '^1.0.0',
          setup({ hooks, generate }) {
            hooks.afterAgent.tapPromise('judge', async (_result, run) => {
              await generate(run, { messages: [{ role: 'user', content: 'Is it good?' }] }, { purpose: 'judge' });
            });
          },
        });`,
    });

  it('shows plugins, model, session and usage, and begins another session', async () => {
    const terminal = await openChat(project(), ['-s', 'tea']);
    terminal.type(`/usage${enter}/session${enter}One${enter}`);
    await terminal.seen('1 messages');
    terminal.type(`Two${enter}`);
    await terminal.seen('3 messages');
    terminal.type(`/usage${enter}/plugins${enter}/model${enter}/session${enter}/pending${enter}/new${enter}`);
    await terminal.seen('New session: ');
    terminal.type(`Three${enter}/session${enter}/quit${enter}`);
    const { status, screen } = await terminal.ended;
    const text = screenText(screen);
    expect(text).toContain('No model call has finished in this session.\n');
    expect(text).toContain('tea  new: nothing is stored yet\n');
    expect(text).toContain('4,812 tokens: 4,800 in (4,000 from the cache), 12 out, 4 model calls\n');
    expect(text).toContain('  of which judge: 2,406 tokens: 2,400 in (2,000 from the cache), 6 out\n');
    expect(text).toContain('judge 1.2.3  42  judge.ts\n');
    expect(text).toContain('test/scripted\n');
    expect(text).toContain(
      'tea  4 messages, the last run completed\nContinue later: shallot chat --session tea\n',
    );
    expect(text).toContain('No question is open.\n');
    expect(text).toMatch(/session_[\w-]+ {2}2 messages/);
    expect(text).toMatch(/Continue later: shallot chat --session session_[\w-]+$/);
    expect(status).toBe(0);
  });

  it('completes commands, and names the nearest one to an unknown', async () => {
    const terminal = await openChat(chatProject(echo));
    terminal.type(`/p${tab}`);
    await terminal.seen('/plugins  /pending');
    terminal.type(`en${tab}${enter}`);
    await terminal.seen('No question is open.');
    terminal.type(`/sesion${enter}/usage now${enter}/help${enter}`);
    await terminal.seen('press it twice to exit');
    terminal.type(` /etc${enter}`);
    await terminal.seen('heard "/etc"');
    terminal.type(`/etc/hosts is what?${enter}`);
    await terminal.seen('heard "/etc/hosts is what?"');
    terminal.type(ctrlD);
    const text = screenText((await terminal.ended).screen);
    expect(text).toContain('error There is no command /sesion. Did you mean /session?');
    expect(text).toContain('error /usage takes no arguments.');
    for (const name of [
      '/help',
      '/plugins',
      '/session',
      '/pending',
      '/resume',
      '/model',
      '/usage',
      '/new',
      '/quit',
    ])
      expect(text).toMatch(new RegExp(`^${name} +\\w`, 'm'));
  });
});

describe('shallot chat, on a terminal: stopping', () => {
  const endless = `(request) => asked(request) === 'endless'
    ? { chunks: [{ type: 'text-delta', index: 0, text: 'Once upon a time\\n\\nthere was' }], stall: true }
    : { text: request.messages.length + ' messages' }`;

  it('stops an answer at Ctrl-C, and the session goes on', async () => {
    const terminal = await openChat(chatProject(endless));
    terminal.type(`endless${enter}`);
    await terminal.seen('Once upon a time');
    terminal.type(ctrlC);
    await terminal.seen('stopped');
    terminal.type(`Well?${enter}`);
    // They include the part of the answer that was shown.
    await terminal.seen('3 messages');
    terminal.type(ctrlD);
    const { status, screen } = await terminal.ended;
    expect(screenText(screen)).toMatch(/Once upon a time\n(Stopping.*\n)?\nthere was\n/);
    expect(screenText(screen)).toContain('stopped (/resume continues, Ctrl-C again exits)\n');
    expect(status).toBe(0);
  });

  it('goes on at /resume with the answer that was stopped', async () => {
    const terminal = await openChat(
      chatProject(`(() => { let times = 0; return () => {
        times += 1;
        return times === 1
          ? { chunks: [{ type: 'text-delta', index: 0, text: 'Once upon a time\\n\\nthere was' }], stall: true }
          : { text: 'It was an onion.' }; }; })()`),
    );
    terminal.type(`endless${enter}`);
    await terminal.seen('Once upon a time');
    terminal.type(ctrlC);
    await terminal.seen('stopped');
    terminal.type(`/resume${enter}`);
    await terminal.seen('It was an onion.');
    terminal.type(`/resume${enter}`);
    await terminal.seen('There is no run to resume.');
    terminal.type(ctrlD);
    expect((await terminal.ended).status).toBe(0);
  });

  it('leaves at a second Ctrl-C, after an answer as well as at the prompt; the first one clears the line', async () => {
    const project = chatProject(endless);
    const [talking, idle] = await Promise.all([
      openPseudoChat(project, ['-s', 'a']),
      openPseudoChat(project, ['-s', 'b']),
    ]);
    talking.type(`endless${enter}`);
    await talking.seen('Once upon a time');
    talking.type(ctrlC);
    await talking.seen('stopped');
    talking.type(ctrlC);
    expect((await talking.ended).status).toBe(130);

    idle.type(`some text${ctrlC}${ctrlC}`);
    await idle.seen('(press Ctrl-C again, Ctrl-D or /quit to exit)');
    idle.type(`x${ctrlC}${ctrlC}${ctrlC}`);
    const { status, screen } = await idle.ended;
    expect(status).toBe(130);
    expect(screenText(screen)).not.toContain('messages');
  });

  it('ends at once at a second Ctrl-C while something hangs', async () => {
    const project = chatProject(endless, {
      'shallot.config.yaml': 'model: ./model.ts\nplugins: [./hang.ts]\n',
      'hang.ts': `
        import { definePlugin } from '@shallot/core';
        export default definePlugin({
          name: 'hang',
          setup({ hooks }) {
            hooks.afterAgent.tapPromise('hang', () => new Promise((resolve) => setTimeout(resolve, 20_000)));
          },
        });`,
    });
    const terminal = await openPseudoChat(project);
    terminal.type(`endless${enter}`);
    await terminal.seen('Once upon a time');
    terminal.type(ctrlC);
    await terminal.seen('Stopping');
    terminal.type(ctrlC);
    expect((await terminal.ended).status).toBe(130);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s aborts the run and leaves, status %i; the session is valid', async (signal, status) => {
    const project = chatProject(endless);
    const terminal = await openPseudoChat(project, ['-s', 'tea']);
    terminal.type(`endless${enter}`);
    await terminal.seen('Once upon a time');
    terminal.send(signal);
    expect((await terminal.ended).status).toBe(status);
    const next = await project.here(['run', '-q', '-s', 'tea', 'Well?']);
    expect(next).toMatchObject({ status: 0, stdout: '3 messages\n' });
  });

  it('leaves at a signal and when the terminal is gone while it waits for a message', async () => {
    const project = chatProject(endless);
    const [asked, gone] = await Promise.all([
      openPseudoChat(project, ['-s', 'a']),
      openPseudoChat(project, ['-s', 'b']),
    ]);
    asked.send('SIGTERM');
    gone.hangUp();
    const { status, screen } = await asked.ended;
    expect(status).toBe(143);
    expect(screen).toContain('\u001b[?2004l');
    expect((await gone.ended).status).toBe(129);
  });
});

describe('shallot chat, on a terminal: answers', () => {
  it('says in one message what a model failed with, and goes on', async () => {
    const failing = `(request) => asked(request) === 'fail' ? { error: new Error('no tea left') } : { text: 'Fine.' }`;
    const terminal = await openChat(chatProject(failing));
    terminal.type(`fail${enter}`);
    await terminal.seen('no tea left');
    terminal.type(`go on${enter}`);
    await terminal.seen('Fine.');
    terminal.type(ctrlD);
    const { status, screen } = await terminal.ended;
    expect(screenText(screen).match(/no tea left/g)).toHaveLength(1);
    expect(screenText(screen)).toMatch(/^error MODEL_FAILED: .*no tea left/m);
    expect(status).toBe(0);
  });

  it('shows Markdown once, and nothing that could steer the terminal', async () => {
    const evil = String.raw`() => ({ text: 'Some **bold**, &#27;[2J\u001b]0;owned\u0007\u202e and [a link](https://example.org/x).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n1. one\n2. two\n' })`;
    const terminal = await openChat(chatProject(evil));
    terminal.type(`Hi${enter}`);
    await terminal.seen('tool calls');
    terminal.type(ctrlD);
    const { screen } = await terminal.ended;
    expect(screen).toContain('\u001b[1mbold\u001b[22m');
    for (const steering of ['\u001b]', '\u001b[2J', '\u202e']) expect(screen).not.toContain(steering);
    expect(screenText(screen)).toContain(
      [
        'Some bold, ⟨U+001B⟩[2J⟨U+001B⟩]0;owned⟨U+0007⟩⟨U+202E⟩ and a link',
        '(https://example.org/x).',
        '',
        'a │ b',
        '──┼──',
        '1 │ 2',
        '',
        '1. one',
        '2. two',
        '1 step,',
      ].join('\n'),
    );
    expect(screenText(screen).match(/one$/gm)).toHaveLength(1);
  });

  it('uses no colours with NO_COLOR; marks of Markdown stay then', async () => {
    const terminal = await openChat(chatProject(`() => ({ text: 'Some **bold**.' })`), [], {
      env: { NO_COLOR: '1' },
    });
    terminal.type(`Hi${enter}`);
    await terminal.seen('Some **bold**.');
    terminal.type(ctrlD);
    // eslint-disable-next-line no-control-regex -- what colours begin with
    expect((await terminal.ended).screen).not.toMatch(/\u001b\[[\d;]*m/);
  });

  it('breaks lines by the width that the terminal has, also when that changes, is small or unknown', async () => {
    const words = `() => ({ text: Array(12).fill('seven12').join(' ') })`;
    const project = chatProject(words);
    const [wide, unknown, small] = await Promise.all(
      [80, 0, 5].map((columns) => openChat(project, ['-q'], { columns })),
    );
    wide?.type(`a${enter}`);
    // eslint-disable-next-line no-control-regex -- the prompt is drawn: it is what follows the width from here on
    await wide?.seen(/(seven12 ?){10}\r\nseven12 seven12\r\n.*\u001b\[J/s);
    wide?.resize(41);
    // eslint-disable-next-line no-control-regex -- the prompt is drawn again
    await wide?.seen(/seven12 seven12\r\n.*\u001b\[J.*\u001b\[J/s);
    wide?.type(`b${enter}`);
    await wide?.seen(/[\nh](seven12 ?){5}\r\n(seven12 ?){5}\r\n/);
    unknown?.type(`some words${enter}`);
    await unknown?.seen(/some words.*(seven12 ?){10}\r\n/s);
    small?.type(`ab${enter}`);
    await small?.seen('seven12 seven12');
    for (const terminal of [wide, unknown, small]) terminal?.type(ctrlD);
    expect((await small?.ended)?.status).toBe(0);
    expect((await unknown?.ended)?.status).toBe(0);
  });
});
