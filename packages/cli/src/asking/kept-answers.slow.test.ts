import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { makeApprovalProject, type ApprovalProject } from '../../test/approvals.ts';
import { choose, goOnWith } from '../../test/questions.ts';
import { plain } from '../../test/terminal.ts';

const enter = '\r';
const hitl = { plugin: 'hitl' };
const keptFile = '.shallot/permissions.yaml';

async function waiting(session = 'tea'): Promise<ApprovalProject> {
  const project = makeApprovalProject(hitl);
  expect((await project.here(['run', '-q', '-s', session, 'Go'])).status).toBe(3);
  return project;
}

async function idOf(project: ApprovalProject, tool: string): Promise<string> {
  return (await project.open()).find(({ call }) => call?.name === tool)?.id ?? '';
}

describe('shallot approve --always', () => {
  it('keeps the proposed rule for the project, which later sessions follow', async () => {
    const project = await waiting();
    const id = await idOf(project, 'remove');
    const approved = await project.here(['approve', id, '--always', '--scope', 'project']);
    expect(approved).toMatchObject({ status: 0 });
    expect(approved.stdout).toContain('"rule":"remove(path=/old)"');
    await project.here(['resume', '-q', 'tea']);
    expect(project.effects()).toEqual(['remove /old']);
    expect(readFileSync(join(project.folder, keptFile), 'utf8')).toContain(
      'allow:\n  - "remove(path=/old)"\n',
    );

    await project.here(['run', '-q', '-s', 'other', 'Go']);
    expect(project.effects()).toEqual(['remove /old', 'remove /old']);
    expect((await project.here(['permissions', 'list'])).stdout).toContain('allow  remove(path=/old)');
    expect((await project.here(['permissions', 'remove', 'remove(path=/old)'])).stderr).toContain(
      'Removed from',
    );
    expect((await project.here(['permissions', 'list'])).stderr).toContain('There are no rules.');
  });

  it('keeps a rule of its own for the session', async () => {
    const project = await waiting();
    const id = await idOf(project, 'write_file');
    const other = await project.here(['approve', id, '--always', 'remove']);
    expect(other).toMatchObject({ status: 2 });
    expect(other.stderr).toContain('does not cover this call. Nothing was answered.');
    expect((await project.here(['approve', id, '--always', 'write_file'])).status).toBe(0);
    await project.here(['reject', await idOf(project, 'remove')]);
    await project.here(['resume', '-q', 'tea']);
    await project.here(['run', '-q', '-s', 'tea', 'Go']);
    expect(project.effects()).toEqual(['write_file /new', 'write_file /new']);
  });

  it.each<readonly [string, readonly string[], string]>([
    ['a question without a proposed rule', ['--always'], "Write one: --always 'edit(src/**)'"],
    [
      'an unknown scope',
      ['--always', 'write_file', '--scope', 'ever'],
      '--scope is "ever"; write one of session, project.',
    ],
    ['a call that is edited', ['--always', '--edit-args', '{"path":"/x"}'], 'leave out --edit-args'],
  ])('refuses %s', async (_, args, said) => {
    const project = await waiting();
    const refused = await project.here(['approve', await idOf(project, 'write_file'), ...args]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain(said);
  });
});

it('A question that a rule covers which was kept since stays open, and the rule is named', async () => {
  const project = await waiting();
  await project.here(['approve', await idOf(project, 'remove'), '--always', '*']);
  const { stderr, status } = await project.here(['resume', 'tea']);
  expect(status).toBe(3);
  expect(stderr).toMatch(/write_file[^]*covered by the rule \*, which is kept since it was asked/);
});

describe('a question on a terminal', () => {
  it('offers to keep the answer, shows the rule, and names the next question that it covers', async () => {
    const project = makeApprovalProject(hitl);
    const terminal = project.onTerminal(['run', '-q', '-s', 'tea', 'Go']);
    await choose(terminal, 'Allow the call of remove?', 4);
    await terminal.seen(/The rule to keep.*Enter answers/s);
    terminal.type(`\u0015*${enter}`);
    await choose(terminal, 'For how long?', 0);
    await terminal.seen('The rule *, which you keep, covers the next question, too.');
    await choose(terminal, 'Allow the call of write_file?', 2);
    await goOnWith(terminal, 'Reason for the model', '');
    const { status, screen } = await terminal.ended;
    expect([status, project.effects()]).toEqual([0, ['remove /old']]);
    expect(plain(screen)).toContain('keep the rule remove(path=/old)');
  });
});

describe('the mode of a session', () => {
  it('of --mode holds, and is kept', async () => {
    const project = makeApprovalProject(hitl);
    for (const args of [['--mode', 'read-only'], []])
      expect((await project.here(['run', '-q', '-s', 'tea', ...args, 'Go'])).stdout).toContain(
        'the mode is "read-only"',
      );
    expect(project.effects()).toEqual([]);
  });

  it('is shown and changed by /mode, and the rules by /permissions', async () => {
    const project = makeApprovalProject(hitl);
    const { stderr } = await project.here(['chat', '-q'], {
      stdin: '/mode\n/mode edits\n/mode\n/mode all\n/permissions\n',
    });
    expect(stderr.split('\n').filter((line) => line !== '' && !line.includes('PLUGIN_UNLISTED'))).toEqual([
      'ask',
      'edits',
      'edits',
      expect.stringContaining('There is no mode "all"; write one of read-only, ask, edits.'),
      'There are no rules.',
    ]);
  });

  it('cannot be wider than maxMode', async () => {
    const project = makeApprovalProject(hitl);
    const config = readFileSync(join(project.folder, 'shallot.config.yaml'), 'utf8');
    project.write({ 'shallot.config.yaml': `${config}permissions: { maxMode: ask }\n` });
    const { status, stderr } = await project.here(['run', '--mode', 'edits', 'Go']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('The mode "edits" is wider than "ask"')]);
  });
});

describe('a file of kept rules', () => {
  it.each<readonly [string, string, string]>([
    ['that is damaged', 'allow: [', 'CONFIG_SYNTAX'],
    ['with a rule that is none', 'allow: ["edit(a"]', 'write a tool and a pattern'],
    ['that denies', 'deny: [remove]', 'deny'],
  ])('%s lets nothing start', async (_, text, said) => {
    const project = makeApprovalProject(hitl);
    project.write({ [keptFile]: text });
    const { status, stderr } = await project.here(['run', 'Go']);
    expect([status, stderr]).toEqual([2, expect.stringContaining(said)]);
    expect(stderr).toContain('permissions.yaml');
  });

  it('that is a link lets nothing start', async () => {
    const project = makeApprovalProject(hitl);
    project.write({ '.shallot/other.yaml': 'allow: [remove]\n' });
    symlinkSync('other.yaml', join(project.folder, keptFile));
    const { status, stderr } = await project.here(['run', 'Go']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('is not a regular file')]);
  });

  it('is read again before it is written, so that what others have added stays', async () => {
    const project = await waiting();
    const id = await idOf(project, 'remove');
    writeFileSync(join(project.folder, keptFile), 'allow:\n  - look # by hand\n');
    await project.here(['approve', id, '--always', '--scope', 'project']);
    await project.here(['resume', '-q', 'tea']);
    expect(readFileSync(join(project.folder, keptFile), 'utf8')).toContain(
      '  - "look"\n  - "remove(path=/old)"\n',
    );
  });
});
