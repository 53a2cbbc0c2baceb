import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { makeApprovalProject, waiting, type ApprovalProject } from '../../test/approvals.ts';
import { makeProject } from '../../test/project.ts';

/** Makes it impossible to load the agent: what works now needs its store alone. */
function breakAgent(project: ApprovalProject): void {
  project.write({ 'shallot.config.yaml': 'name: test\nmodel: ./gone.ts\nplugins: [./gone-too.ts]\n' });
}

describe('answering by other commands', () => {
  it('shows, edits and rejects without the agent; resume goes on with the answers', async () => {
    const { project, remove, write } = await waiting();
    breakAgent(project);

    const pending = await project.here(['pending', 'te']);
    expect(pending).toMatchObject({ status: 0, stderr: '' });
    expect(pending.stdout).toContain('session tea\n');
    expect(pending.stdout).toContain(`shallot approve ${remove}\n`);
    expect(pending.stdout).toContain('"content": "a\\nb⟨U+202E⟩\\n"');

    const approved = await project.here(['approve', remove.slice(0, 12), '--edit-args', '{"path":"/older"}']);
    expect(approved).toMatchObject({ status: 0, stderr: '' });
    expect(approved.stdout).toMatch(
      /^approval: remove \{"path":"\/older"\}\n {2}answer \{.*"\/older"\}\}\nSession tea is waiting for 1 more/,
    );
    const rejected = await project.here(['reject', write, '--reason', 'too early']);
    expect(rejected.stdout).toContain(
      'Session tea has no open questions left. Continue: shallot resume tea\n',
    );
    expect(project.effects()).toEqual([]);

    project.write(project.files);
    const resumed = await project.here(['resume', 'tea']);
    expect(resumed).toMatchObject({ status: 0, stdout: 'Told: remove /older | rejected: too early\n' });
    expect(project.effects()).toEqual(['remove /older']);
  });

  it('takes any answer as JSON, and goes on with those that are there', async () => {
    const { project, remove } = await waiting();
    const given = '{ "decision": "respond", "content": "gone long since" }';
    expect((await project.here(['answer', remove, given])).status).toBe(0);
    const resumed = await project.here(['resume', '-q', 'tea']);
    expect(resumed.status).toBe(3);
    expect(resumed.stderr).toMatch(/^waiting Session tea waits for 1 answer;.*write_file/s);
  });

  it('gives questions as JSON, with all that there is to know', async () => {
    const { project } = await waiting('hitl');
    expect(await project.open()).toMatchObject([
      { sessionId: 'tea', kind: 'approval', plugin: 'hitl', call: { input: { path: '/old' } } },
      { sessionId: 'tea', call: { input: { path: '/new' } }, payload: { tool: 'write_file' } },
    ]);
  });
});

describe('answers that cannot be', () => {
  let project: ApprovalProject;
  let remove: string;
  beforeEach(async () => {
    ({ project, remove } = await waiting());
  });

  it.each<[what: string, args: (id: string) => string[], message: RegExp]>([
    [
      'an unknown id',
      () => ['approve', 'question_1'],
      /INTERRUPT_UNKNOWN: There is no open question "question_1": .*Open: int_/,
    ],
    ['an empty id', () => ['approve', ''], /INTERRUPT_UNKNOWN: There is no open question ""/],
    [
      'an ambiguous id',
      () => ['reject', 'int_'],
      /INTERRUPT_UNKNOWN: More than one open question starts with "int_"/,
    ],
    [
      'a wrong shape',
      (id) => ['answer', id, '{"decision":"maybe"}'],
      /INTERRUPT_ANSWER .*decision.*\n.*It is still open/s,
    ],
    ['no JSON', (id) => ['answer', id, 'yes'], /This is not JSON: .*single quotes/],
    [
      'arguments that are no JSON',
      (id) => ['approve', id, '--edit-args', '{'],
      /--edit-args: This is not JSON/,
    ],
    [
      'arguments that are no object',
      (id) => ['approve', id, '--edit-args', '[]'],
      /--edit-args: It is not a JSON object/,
    ],
    [
      'arguments that are none of the tool',
      (id) => ['approve', id, '--edit-args', '{"path":"/"}'],
      /--edit-args: these are no arguments of remove: path: String is too short .*Nothing was answered/,
    ],
    ['no id', () => ['approve'], /missing required argument 'id'/],
    [
      'a session that is not there',
      () => ['pending', 'coffee'],
      /SESSION_NOT_FOUND: There is no session "coffee"/,
    ],
    [
      'a session that is not there',
      () => ['resume', 'coffee'],
      /SESSION_NOT_FOUND: There is no session "coffee"/,
    ],
  ])('%s (%#): status 2, and nothing changes', async (_what, args, message) => {
    const { status, stdout, stderr } = await project.here(args(remove));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(await project.open()).toHaveLength(2);
  });

  it('a second one to the same question', async () => {
    await project.here(['approve', remove]);
    const { status, stderr } = await project.here(['reject', remove]);
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /INTERRUPT_UNKNOWN: The question "int_.*" is already answered\. Continue its session tea/,
    );
  });

  it('one to a session that has ended', async () => {
    await project.here(['run', '-q', '-s', 'tea', '--abandon', '--no-ask', 'Never mind']);
    expect((await project.here(['approve', remove])).status).toBe(2);
    for (const { id } of await project.open()) await project.here(['approve', id]);
    expect((await project.here(['resume', '-q', 'tea'])).status).toBe(0);
    const again = await project.here(['resume', '-q', 'tea']);
    expect(again.status).toBe(2);
    expect(again.stderr).toMatch(/SESSION_NOT_RESUMABLE/);
  });

  it('one to a question that is no approval', async () => {
    const asking = makeProject({
      'shallot.config.yaml': 'model: ./model.ts\ntools: [./ask.ts]\n',
      'model.ts': `
        import { scriptedModel } from '@shallot/testing';
        export default scriptedModel([{ toolCalls: [{ name: 'ask' }] }]);`,
      'ask.ts': `
        import { defineTool } from '@shallot/core';
        export const ask = defineTool({
          name: 'ask', description: 'Asks', input: { type: 'object' },
          execute: (_args, { interrupt }) => interrupt({ kind: 'milk', payload: 'Milk?', answer: { type: 'string' } }),
        });`,
    });
    await asking.here(['run', '-q', 'Tea?']);
    const { status, stderr } = await asking.here(['approve', 'int']);
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /is not an approval but a question of kind "milk"\. Answer it with:\n {2}shallot answer int_/,
    );
    expect((await asking.here(['pending'])).stdout).toMatch(/^ {2}Milk\?$/m);
    expect((await asking.here(['answer', 'int', '"a little"'])).status).toBe(0);
  });
});

describe('shallot sessions', () => {
  it('lists them, the latest first, a page at a time, by status', async () => {
    const project = makeApprovalProject();
    for (const sessionId of ['one', 'two', 'three']) await project.here(['run', '-q', '-s', sessionId, 'Go']);
    expect((await project.here(['sessions'])).stdout).toMatch(
      /^three {2}interrupted {2}2 open {2}2 messages {2}20\S+Z {2}“Go”\ntwo .*\none .*\n$/,
    );
    const page = await project.here(['sessions', '-n', '1']);
    expect(page.stdout).toMatch(/^three .*\n$/);
    expect(page.stderr).toBe('More sessions exist; raise --limit, for example to 2.\n');
    const none = await project.here(['sessions', '--status', 'failed']);
    expect(none).toEqual({ status: 0, stdout: '', stderr: 'There are no sessions.\n' });
    const json = await project.here(['sessions', '--json', '--status', 'interrupted', '--limit', '2']);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { id: 'three', status: 'interrupted', interrupts: 2, messages: 2 },
      { id: 'two' },
    ]);
  });

  it.each([
    [['--limit', '0'], /--limit is "0"; write a whole number/],
    [['--status', 'lost'], /--status is "lost"; write one of running/],
  ])('refuses %j', async (args, message) => {
    const { status, stderr } = await makeApprovalProject().here(['sessions', ...args]);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('makes no database where there is none', async () => {
    const project = makeApprovalProject();
    expect(await project.here(['sessions'])).toMatchObject({ status: 0, stderr: 'There are no sessions.\n' });
    expect(await project.here(['pending'])).toMatchObject({ status: 0, stderr: 'No question is open.\n' });
    expect(existsSync(join(project.folder, '.shallot'))).toBe(false);
  });

  it('deletes one by its whole id', async () => {
    const { project } = await waiting();
    expect((await project.here(['sessions', 'delete', 'te'])).status).toBe(2);
    expect(await project.here(['sessions', 'delete', 'tea'])).toMatchObject({
      status: 0,
      stdout: 'Session tea is deleted.\n',
    });
    expect(await project.open()).toEqual([]);
  });
});
