import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { makeApprovalProject } from '../../test/approvals.ts';
import { chatProject } from '../../test/chat/chat.ts';

const counting = `(request) => asked(request) === 'fail' ? { error: new Error('no tea left') }
  : { text: '**' + request.messages.length + '** ' + JSON.stringify(asked(request)) }`;

describe('shallot chat, from a pipe', () => {
  it('takes a message a line, and writes the text of each answer to stdout and nothing else', async () => {
    const stdin = 'One\r\n\n  \nTwo\\\nlines\\\n\n /x\nlast';
    const ended = await chatProject(counting).here(['chat', '-q'], { stdin });
    expect(ended).toEqual({
      status: 0,
      stdout: '**1** "One"\n**3** "Two\\nlines\\n"\n**5** "/x"\n**7** "last"\n'.replace(
        'lines\\n"',
        'lines"',
      ),
      stderr: '',
    });
  });

  it('takes commands, whose output goes to stderr without escape sequences', async () => {
    const { status, stdout, stderr } = await chatProject(counting).here(['chat', '-s', 'tea'], {
      stdin: 'One\n/session\n/nope\n/quit\nTwo\n',
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '**1** "One"\n' });
    expect(stderr).toContain('tea  2 messages, the last run completed\n');
    expect(stderr).toContain('error There is no command /nope.');
    expect(stderr).not.toContain('\u001b');
  });

  it('names no place in the config for a model that was typed', async () => {
    const { stderr } = await chatProject(counting).here(['chat', '-q'], { stdin: '/model ./gone.ts\n' });
    expect(stderr).toMatch(/^error MODULE_NOT_FOUND: gone\.ts does not exist\./);
  });

  it('calls what plugins let people call by name', async () => {
    const project = chatProject(counting, {
      'shallot.config.yaml': 'name: test\nmodel: ./model.ts\nlog: silent\nplugins: [{ use: ./notes.mjs }]\n',
      'notes.mjs': `
        import { definePlugin } from '@shallot/core';
        import { userCommandsKey } from '@shallot/core/plugin';
        const command = (name) => ({
          name, kind: 'skill', about: 'Notes it.', input: (text) => name + ': ' + text,
        });
        export default definePlugin({
          name: 'notes',
          setup: ({ id, provide }) => provide(userCommandsKey(id), { list: () => ['note', 'help'].map(command) }),
        });`,
    });
    const { status, stdout, stderr } = await project.here(['chat', '-q'], {
      stdin: '/note  milk\n/skill:help me\n/skill:note\n/nope\n/help\n',
    });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: '**1** "note: milk"\n**3** "help: me"\n**5** "note: "\n',
    });
    expect(stderr).toContain('There is no command /nope');
    expect(stderr).toContain('/note  Notes it.\n/skill:help  Notes it.\n');
  });

  it('lists the commands of the session that it is in', async () => {
    const project = chatProject(counting, {
      'shallot.config.yaml': 'name: test\nmodel: ./model.ts\nlog: silent\nplugins: [{ use: ./rooms.mjs }]\n',
      'rooms.mjs': `
        import { definePlugin } from '@shallot/core';
        import { userCommandsKey } from '@shallot/core/plugin';
        const enter = (room) => ({ name: 'enter', kind: 'skill', about: 'Enters.', input: () => 'in ' + (room === 'one' ? 'one' : 'another') });
        export default definePlugin({
          name: 'rooms',
          setup: ({ id, provide }) => provide(userCommandsKey(id), { list: ({ sessionId }) => [enter(sessionId)] }),
        });`,
    });
    const { stdout } = await project.here(['chat', '-q', '-s', 'one'], { stdin: '/enter\n/new\n/enter\n' });
    expect(stdout).toBe('**1** "in one"\n**1** "in another"\n');
  });

  it('goes on after a run that failed; the status tells it', async () => {
    const { status, stdout, stderr } = await chatProject(counting).here(['chat', '-q'], {
      stdin: 'fail\nTwo\n',
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '**2** "Two"\n' });
    expect(stderr).toMatch(/^error MODEL_FAILED: .*no tea left/);
  });

  it('goes on after an answer that was cut off; the status tells it', async () => {
    const cutting = `(request) => ({ text: asked(request), finish: asked(request) === 'One' ? 'length' : 'stop' })`;
    const { status, stdout, stderr } = await chatProject(cutting).here(['chat', '-q'], {
      stdin: 'One\nTwo\n',
    });
    expect({ status, stdout }).toEqual({ status: 4, stdout: 'One\nTwo\n' });
    expect(stderr).toMatch(/^warning ANSWER_CUT_OFF: .*\n$/);
  });

  it('ends at a run that waits, with the ways out, and so it does when the session waits already', async () => {
    const project = makeApprovalProject();
    const first = await project.here(['chat', '-q', '-s', 'tea'], { stdin: 'Go\nGo on\n' });
    expect({ status: first.status, stdout: first.stdout }).toEqual({ status: 3, stdout: '' });
    expect(first.stderr).toMatch(
      /^waiting Session tea waits for 2 answers; .*shallot approve int_.*Then: shallot resume tea\n$/s,
    );
    const second = await project.here(['chat', '-q', '-s', 'tea'], { stdin: '/pending\nGo\nGo on\n' });
    expect(second.status).toBe(3);
    expect(second.stderr).toMatch(
      /^waiting .*error SESSION_INTERRUPTED.*Or abandon it: run with --abandon\n$/s,
    );
    const third = await project.here(['chat', '-q', '-s', 'tea', '--abandon'], { stdin: 'Go\n' });
    expect(third.stderr).toMatch(/^waiting Session tea waits for 2 answers/);
  });

  it('writes a trace when that is asked for', async () => {
    const project = chatProject(counting);
    const { status, stderr } = await project.here(['chat', '--trace', 'here.jsonl'], { stdin: 'One\n' });
    expect(status).toBe(0);
    expect(stderr).toContain('traced: shallot trace here.jsonl\n');
    expect(readFileSync(join(project.folder, 'here.jsonl'), 'utf8')).toContain('run');
  });

  it('reads a dumb terminal line by line, too', async () => {
    const terminal = chatProject(counting).onTerminal(['chat', '-q'], { env: { TERM: 'dumb' } });
    terminal.type('One\r');
    await terminal.seen('"One"');
    terminal.type('\u0004');
    const { status, screen } = await terminal.ended;
    expect(screen).not.toContain('\u001b');
    expect(status).toBe(0);
  });

  it('ends with what stops it: a signal, a wrong config', async () => {
    const endless = `() => (process.emit('SIGTERM', 'SIGTERM'), { chunks: ['Once'], stall: true })`;
    expect((await chatProject(endless).here(['chat'], { stdin: 'Tell\n' })).status).toBe(143);
    const broken = await chatProject(endless, { 'shallot.config.yaml': 'model: ./nowhere.ts\n' }).here([
      'chat',
    ]);
    expect(broken.status).toBe(2);
  });
});
