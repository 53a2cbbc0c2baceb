import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import { makeProject } from '../../test/project.ts';
import {
  endless,
  lastLine,
  retrying,
  scripted,
  talking,
  witness,
  withWitness,
} from '../../test/scripted-project.ts';
import { plain } from '../../test/terminal.ts';

describe('what plugins write', () => {
  it('goes to stderr with console.log: stdout has the events alone', async () => {
    const { status, stdout, stderr } = await makeProject(talking).run(['run', '--json', 'Well?']);
    for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('type');
    expect(stderr).toContain('on import\n');
    expect(stderr).toContain('in setup\n');
    expect(status).toBe(0);
  });
});

describe('sessions', () => {
  const counting = `[({ messages }) => ({ text: messages.length + ' messages' })]`;

  it('are continued by another process with --session, and kept beside the config', async () => {
    const project = makeProject(scripted(counting));
    expect((await project.run(['run', '-q', '-s', 'tea', 'One'])).stdout).toBe('1 messages\n');
    expect((await project.run(['run', '-q', '-s', 'tea', 'Two'])).stdout).toBe('3 messages\n');
    expect((await project.here(['run', '-q', '-s', 'milk', 'One'])).stdout).toBe('1 messages\n');
  });
});

describe('stopping', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s aborts the run: afterAgent runs, status %i', async (signal, status) => {
    const project = makeProject(scripted(endless, withWitness));
    const running = project.start(['run', '--json', 'Tell me a story']);
    await running.seen('Once upon a time');
    running.child.kill(signal);
    const ended = await running.ended;
    expect(ended.status).toBe(status);
    expect(ended.stderr).toBe('Stopping … (press again to end it now)\naborted\n');
    expect(lastLine(ended.stdout)).toMatchObject({ type: 'error', error: { code: 'RUN_ABORTED' } });
    expect(readFileSync(join(project.folder, 'outcome.txt'), 'utf8')).toBe('aborted');
  });

  it('leaves a run that the command it names takes up, or gives up', async () => {
    const project = makeProject(scripted(endless));
    const running = project.start(['run', '-q', '-s', 'tea', 'Tell me a story']);
    await vi.waitUntil(() => existsSync(join(project.folder, '.shallot', 'sessions.db')), {
      timeout: 20_000,
    });
    await vi.waitUntil(async () => (await project.here(['sessions', '--json'])).stdout.includes('running'), {
      timeout: 20_000,
    });
    running.child.kill('SIGINT');
    expect((await running.ended).stderr).toMatch(/aborted\nContinue it: shallot resume tea\n$/);

    project.write(scripted(`[{ text: 'The end.' }]`));
    expect(await project.run(['resume', '-q', 'tea'])).toMatchObject({ status: 0, stdout: 'The end.\n' });
    expect(await project.here(['resume', 'tea', '--abandon'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('SESSION_NOT_RESUMABLE') as string,
    });
  });

  it('a second signal ends it at once, whatever hangs', async () => {
    const hanging = witness.replace(
      `await files.write('/outcome.txt', outcome);`,
      'await new Promise((resolve) => setTimeout(resolve, 600_000));',
    );
    const project = makeProject(scripted(endless, { ...withWitness, 'witness.ts': hanging }));
    const running = project.start(['run', '--json', 'Tell me a story']);
    await running.seen('Once upon a time');
    running.child.kill('SIGINT');
    await running.seen('Stopping');
    running.child.kill('SIGINT');
    expect((await running.ended).status).toBe(130);
  });

  it('a signal while a plugin starts ends it too', async () => {
    const slow = `
      import { definePlugin } from '@shallot/core';
      export default definePlugin({
        name: 'slow',
        setup({ onStart }) {
          onStart(() => { console.error('starting'); return new Promise((resolve) => setTimeout(resolve, 600_000)); });
        },
      });`;
    const config = 'model: ./model.ts\nplugins: [./slow.ts]\n';
    const running = makeProject(scripted('[]', { 'shallot.config.yaml': config, 'slow.ts': slow })).start([
      'run',
      'Hi',
    ]);
    await running.seen('starting');
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ status: 143, stdout: '' });
  });

  it('a reader that goes away aborts the run quietly', async () => {
    const talking = `[{ chunks: Array.from({ length: 500 }, () => ({ type: 'text-delta', index: 0, text: 'and then ' })), stall: true }]`;
    const project = makeProject(scripted(talking, withWitness));
    const running = project.start(['run', '--json', 'Tell me a story']);
    await running.seen('and then');
    running.child.stdout.destroy();
    expect(await running.ended).toMatchObject({ status: 141, stderr: '' });
    expect(readFileSync(join(project.folder, 'outcome.txt'), 'utf8')).toBe('aborted');
  });
});

describe('shallot run, on a terminal', () => {
  it('streams the answer live, with colours, and says when it begins anew', async () => {
    const terminal = makeProject(retrying).onPseudoTerminal(['run', 'Well?']);
    const { status, screen } = await terminal.ended;
    expect(status).toBe(0);
    expect(plain(screen)).toMatch(
      /First try\.\n— the text above is void; the answer restarts: —\nSecond try\.\ncompleted: 1 step/,
    );
    expect(screen).toContain('\u001b[2m');
  });

  it('shows text before the run is over, and stops at Ctrl-C', async () => {
    const terminal = makeProject(scripted(endless)).onPseudoTerminal(['run', 'Tell me a story']);
    await terminal.seen('Once upon a time');
    terminal.type('\u0003');
    const { status, screen } = await terminal.ended;
    expect(status).toBe(130);
    expect(plain(screen)).toMatch(
      /Once upon a time.*\nStopping … \(press again to end it now\)\naborted\nContinue it: shallot resume session_\S+\n$/s,
    );
  });
});

describe('shallot run --json --input-stream', () => {
  const files = {
    'shallot.config.yaml': 'model: ./model.ts\ntools: [./tools.ts]\n',
    'model.ts': `
      import { scriptedModel } from '@shallot/testing';
      export default scriptedModel([{ toolCalls: [{ name: 'wait' }] }, { text: 'Done.' }]);`,
    'tools.ts': `
      import { existsSync } from 'node:fs';
      import { defineTool } from '@shallot/core';
      export const wait = defineTool({
        name: 'wait',
        description: 'Waits for a file.',
        input: { type: 'object' },
        execute: async () => {
          while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20));
          return 'waited';
        },
      });`,
  };

  it('sends the lines of stdin, names the wrong ones, and ends with the run', async () => {
    const project = makeProject(files);
    const running = project.start(['run', '--json', '--input-stream', '-s', 's', 'Go']);
    await running.seen('tool-start');
    const lines = [
      '{"message": "In metres."}',
      '',
      'In metres.',
      '{"message": "No.", "id": "no"}',
      '{"unsend": "no"}',
      '{"unsend": "no"}',
      '{"when": "soon", "message": "Now."}',
      '{"text": "Now."}',
      '{"message": "In kilometres.", "by": "ann"}',
      '"The last"',
    ];
    running.child.stdin.write(`${lines.join('\n')}\n`);
    await running.seen('Line 10');
    project.write({ go: '' });
    // Stdin stays open: the run ends the reading.
    const { status, stdout } = await running.ended;
    expect(status).toBe(0);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; message?: unknown });
    const taken = events.filter(({ type }) => type === 'message-taken').map(({ message }) => message);
    expect(taken).toMatchObject([
      { content: [{ text: 'In metres.' }] },
      { content: [{ text: 'In kilometres.' }], metadata: { core: { sent: { by: 'ann' } } } },
    ]);
    expect(events.filter(({ type }) => type === 'warning').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Line 3 of stdin was not sent: It is not JSON/),
      expect.stringMatching(/^Line 6 of stdin was not sent: The message "no" was taken before/),
      expect.stringMatching(/^Line 7 of stdin was not sent: .*soon/),
      expect.stringMatching(/^Line 8 of stdin was not sent: It has no "message"/),
      expect.stringMatching(/^Line 10 of stdin was not sent: It is not a JSON object/),
    ]);
  });
});
