import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { makeApprovalProject } from '../../test/approvals.ts';
import { makeProject } from '../../test/project.ts';
import { choose, goOnWith } from '../../test/questions.ts';
import { plain, type OnTerminal } from '../../test/terminal.ts';

const [down, enter, ctrlC, ctrlD] = ['\u001b[B', '\r', '\u0003', '\u0004'];

/** Chooses the nth decision about a call, once it is asked. */
async function decide(terminal: OnTerminal, tool: string, nth: number): Promise<void> {
  await choose(terminal, `Allow the call of ${tool}?`, nth);
}

describe('shallot run, on a terminal, when the run asks', () => {
  it('shows each call in full, takes the answers, and goes on in the same process', async () => {
    const project = makeApprovalProject();
    const terminal = project.onPseudoTerminal(['run', '-s', 'tea', 'Go']);
    await decide(terminal, 'remove', 0);
    await decide(terminal, 'write_file', 2);
    await goOnWith(terminal, 'Reason for the model', 'too early');
    const { status, screen } = await terminal.ended;
    expect(plain(screen)).toContain('"content": "a\\nb⟨U+202E⟩\\n"');
    expect(screen).not.toContain('\u202E');
    expect(plain(screen)).toContain('Told: remove /old | rejected: too early\n');
    expect(status).toBe(0);
    expect(project.effects()).toEqual(['remove /old']);
  });

  it('keeps words whole on a narrow terminal', async () => {
    const terminal = makeApprovalProject().onTerminal(['run', '-q', 'Go'], { columns: 30 });
    await terminal.seen('Later');
    terminal.type(ctrlC);
    const lines = plain((await terminal.ended).screen).split('\n');
    const words = lines.map((line) => line.replaceAll(/[^a-zA-Z_?]+/g, ' ').trim());
    expect(words).toContain('? Allow the call of remove?');
    expect(words).toEqual(expect.arrayContaining(['Approve', 'Edit', 'Reject', 'Respond', 'Later']));
  });

  it('takes a response in the place of a result, and arguments that are edited inline', async () => {
    const project = makeApprovalProject();
    const terminal = project.onTerminal(['run', '-q', 'Go'], { env: { EDITOR: '', VISUAL: '' } });
    await decide(terminal, 'remove', 3);
    await terminal.seen('Result for the model');
    terminal.type(`gone long since${enter}`);
    await decide(terminal, 'write_file', 1);
    await terminal.seen('The arguments, as JSON');
    terminal.type(`x${enter}`);
    await terminal.seen('This is not JSON');
    terminal.type(`\u0015{"path":"/else"}${enter}`);
    const { status, screen } = await terminal.ended;
    expect(plain(screen)).toContain('Told: gone long since | write_file /else\n');
    expect(status).toBe(0);
    expect(project.effects()).toEqual(['write_file /else']);
  });

  it('opens the arguments in $VISUAL, again when they are no JSON', async () => {
    const project = makeApprovalProject();
    project.write({
      'editor.mjs': `
        import { readFileSync, writeFileSync } from 'node:fs';
        const text = readFileSync(process.argv[2], 'utf8');
        writeFileSync(process.argv[2], text.endsWith('oops') ? text.slice(0, -4).replace('/old', '/older') : text + 'oops');`,
    });
    const env = { EDITOR: 'false', VISUAL: `"${process.execPath}" editor.mjs` };
    const terminal = project.onPseudoTerminal(['run', '-q', 'Go'], { env });
    await decide(terminal, 'remove', 1);
    await choose(terminal, 'The arguments are invalid.', 0);
    await decide(terminal, 'write_file', 2);
    await goOnWith(terminal, 'Reason for the model', '');
    const { screen } = await terminal.ended;
    expect(plain(screen)).toContain('Told: remove /older | rejected: no reason\n');
    expect(project.effects()).toEqual(['remove /older']);
  });

  it('asks again when the editor fails or changes nothing', async () => {
    const project = makeApprovalProject();
    for (const [editor, remark] of [
      ['false', /Nothing was changed: the editor ended with status 1\..*Allow the call of remove\?/s],
      ['true', /Nothing was changed\.\r\n.*Allow the call of remove\?/s],
    ] as const) {
      const terminal = project.onPseudoTerminal(['run', '-q', 'Go'], { env: { VISUAL: '', EDITOR: editor } });
      await decide(terminal, 'remove', 1);
      await terminal.seen(remark);
      terminal.type(ctrlC);
      expect((await terminal.ended).status).toBe(3);
    }
    expect(project.effects()).toEqual([]);
  });

  it('leaves at Ctrl-C with status 3: answers that were given are kept, the rest stays open', async () => {
    const project = makeApprovalProject();
    const terminal = project.onTerminal(['run', '-s', 'tea', 'Go']);
    await decide(terminal, 'remove', 0);
    await terminal.seen('Allow the call of write_file?');
    terminal.type(ctrlC);
    const { status, screen } = await terminal.ended;
    expect(status).toBe(3);
    expect(plain(screen)).toMatch(/waiting Session tea waits for 1 answer; .*Then: shallot resume tea\n$/s);
    expect(project.effects()).toEqual([]);
    expect(await project.open()).toMatchObject([{ call: { name: 'write_file' } }]);

    const resumed = project.onTerminal(['resume', 'tea']);
    await decide(resumed, 'write_file', 0);
    expect((await resumed.ended).status).toBe(0);
    expect(project.effects()).toEqual(['remove /old', 'write_file /new']);
  });

  it('asks in lines of the usual width on a terminal that does not know its own', async () => {
    const terminal = makeApprovalProject().onPseudoTerminal(['run', 'Go'], { columns: 0 });
    await terminal.seen('Allow the call of remove?');
    terminal.type(ctrlC);
    expect((await terminal.ended).status).toBe(3);
  });

  it('takes no key that was hit before the question was there', async () => {
    const project = makeApprovalProject();
    const terminal = project.onTerminal(['run', 'Go']);
    terminal.type(down.repeat(2));
    await decide(terminal, 'remove', 0);
    await decide(terminal, 'write_file', 0);
    expect((await terminal.ended).status).toBe(0);
    expect(project.effects()).toEqual(['remove /old', 'write_file /new']);
  });

  it('decides nothing by a sentence, and says what the line below is for', async () => {
    const project = makeApprovalProject();
    const terminal = project.onTerminal(['run', 'Go']);
    await terminal.seen(/Allow the call of remove\?.*Enter decides/s);
    terminal.type('and then go on please');
    await terminal.seen('The question waits');
    terminal.type(`${enter}${down}${enter}1${enter}`);
    terminal.type(ctrlC);
    await terminal.seen(/The question waits.*Enter decides/s);
    terminal.type(ctrlC);
    expect((await terminal.ended).status).toBe(3);
    expect(project.effects()).toEqual([]);
    expect(await project.open()).toHaveLength(2);
  });

  it('ends when the terminal is gone, with the question open', async () => {
    const project = makeApprovalProject();
    const terminal = project.onPseudoTerminal(['run', 'Go']);
    await terminal.seen('Allow the call of remove?');
    terminal.hangUp();
    // By what it hears first: that nobody can answer any more, or the signal.
    expect([3, 129]).toContain((await terminal.ended).status);
    expect(await project.open()).toHaveLength(2);
  });

  it('asks nothing with --no-ask, with --json, and when stdin was read to its end', async () => {
    const project = makeApprovalProject();
    for (const args of [['--no-ask', 'Go'], ['--json', 'Go'], ['-']]) {
      const terminal = project.onTerminal(['run', ...args]);
      if (args[0] === '-') terminal.type(`Go\r${ctrlD}`);
      const { status, screen } = await terminal.ended;
      expect(status).toBe(3);
      expect(plain(screen)).not.toContain('Allow the call of remove?');
    }
  });
});

describe('questions that are no approvals', () => {
  it('are asked by their schema: one that the core asks after a crash', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: ./model.ts\ntools: [./work.ts]\n',
      'model.ts': `
        import { scriptedModel } from '@shallot/testing';
        const step = ({ messages }) => messages.at(-1).role === 'tool'
          ? { text: 'Told: ' + messages.at(-1).content[0].text } : { toolCalls: [{ name: 'work' }] };
        export default scriptedModel([step, step]);`,
      'work.ts': `
        import { existsSync } from 'node:fs';
        import { defineTool } from '@shallot/core';
        export const work = defineTool({
          name: 'work', description: 'Works', input: { type: 'object' },
          execute: () => existsSync(new URL('calm', import.meta.url)) ? 'worked' : process.kill(process.pid, 'SIGKILL'),
        });`,
    });
    expect((await project.run(['run', '-s', 'tea', 'Go'])).status).toBe(137);
    writeFileSync(join(project.folder, 'calm'), '');
    const stopped = await project.run(['resume', 'tea']);
    expect(stopped.status).toBe(3);
    expect(stopped.stderr).toMatch(/int_\S+ {2}unknown-effect: work \{\}\n {2}shallot answer int_/);

    const terminal = project.onTerminal(['resume', 'tea']);
    await choose(terminal, 'action', 1);
    await goOnWith(terminal, 'result, optional', 'it was done');
    const { status, screen } = await terminal.ended;
    expect(plain(screen)).toContain('Told: it was done\n');
    expect(status).toBe(0);
  });
});

describe('with @shallot/plugin-hitl', () => {
  it('shows a diff in colours, and asks again when the tool refuses an edit', async () => {
    const project = makeApprovalProject({ plugin: 'hitl' });
    project.write({ new: 'a\nc\n' });
    const terminal = project.onTerminal(['run', 'Go'], { env: { EDITOR: '', VISUAL: '' } });
    await decide(terminal, 'remove', 1);
    await terminal.seen('The arguments, as JSON');
    terminal.type(`\u0015{"path":"/"}${enter}`);
    await decide(terminal, 'write_file', 0);
    await choose(terminal, /path: String is too short.*Allow the call of remove\?/s, 0);
    const { status, screen } = await terminal.ended;
    expect(screen).toContain('\u001b[31m  -c\u001b[39m');
    expect(screen).toContain('\u001b[32m  +b⟨U+202E⟩\u001b[39m');
    expect(plain(screen)).toContain('Told: remove /old | write_file /new\n');
    expect(status).toBe(0);
    expect(project.effects().toSorted()).toEqual(['remove /old', 'write_file /new']);
  });
});
