import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';

const skill = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n# ${name}\n`;

const odd = {
  'skills/good/SKILL.md': skill('good'),
  'skills/Bad_Name/SKILL.md': '---\nname: Bad_Name\ndescription: Use when: bad\nversion: 1\n---\n',
  'skills/broken/SKILL.md': '---\nname: broken\n---\n',
  'skills/low/skill.md': skill('low'),
};

describe('shallot skills check', () => {
  it('says with place what is against the rules, and ends with 1', async () => {
    const { status, stdout, stderr } = await makeProject(odd).here(['skills', 'check', 'skills']);
    expect(stdout).toMatchInlineSnapshot(`
      "skills/Bad_Name/SKILL.md:2:7: the name is "Bad_Name"; use lower-case letters, digits, and single hyphens between them
      skills/Bad_Name/SKILL.md:3:14: the value of "description" breaks the YAML; put it in quotes
      skills/Bad_Name/SKILL.md:4:1: the key "version" is not part of the standard, which has name, description, license, compatibility, metadata, allowed-tools
      skills/broken/SKILL.md:1:1: description is missing
      skills/low/skill.md:1:1: the file is named skill.md; rename it to SKILL.md
      "
    `);
    expect({ status, stderr }).toEqual({ status: 1, stderr: '4 skills checked, 5 problems\n' });
  });

  it('ends with 0 when all is well, for directories, one skill, and its file', async () => {
    const project = makeProject({ 'skills/good/SKILL.md': skill('good', 'license: MIT\n') });
    for (const path of ['skills', 'skills/good', 'skills/good/SKILL.md', join(project.folder, 'skills')]) {
      expect(await project.here(['skills', 'check', path])).toEqual({
        status: 0,
        stdout: '',
        stderr: '1 skill checked, 0 problems\n',
      });
    }
  });

  it('gives the same to programs with --json', async () => {
    const { status, stdout } = await makeProject(odd).here([
      'skills',
      'check',
      'skills/broken',
      'skills/good',
      '--json',
    ]);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      checked: 2,
      problems: [{ path: 'skills/broken/SKILL.md', line: 1, column: 1, message: 'description is missing' }],
    });
  });

  it('ends with 1 where no skill is, and with 2 where nothing is', async () => {
    const project = makeProject({ 'docs/a.md': 'x' });
    expect(await project.here(['skills', 'check', 'docs'])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('docs:1:1: it contains no skill') as string,
      stderr: '0 skills checked, 1 problem\n',
    });
    for (const path of ['none', 'docs/a.md', 'docs/a.md/b']) {
      const { status, stdout } = await project.here(['skills', 'check', 'docs', path]);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    }
    expect((await project.here(['skills', 'check'])).status).toBe(2);
  });

  it('keeps each problem on its line, whatever a name holds', async () => {
    const forged = '---\nname: "a\\nskills/b/SKILL.md:1:1: forged"\ndescription: d\n---\n';
    const project = makeProject({ 'skills/a/SKILL.md': forged });
    const { stdout } = await project.here(['skills', 'check', 'skills']);
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^skills\/a\/SKILL\.md:2:7: /);
  });

  it('does not wait for a pipe, and shows hidden characters', async () => {
    const project = makeProject({ 'skills/a/SKILL.md': '---\nname: "a\u202E"\ndescription: d\n---\n' });
    mkdirSync(join(project.folder, 'skills/pipe'));
    execFileSync('mkfifo', [join(project.folder, 'skills/pipe/SKILL.md')]);
    const { status, stdout } = await project.here(['skills', 'check', 'skills']);
    expect(status).toBe(1);
    expect(stdout).toContain('the name is "a⟨U+202E⟩"');
    expect(stdout).toContain('skills/pipe/SKILL.md:1:1:');
  });
});

describe('shallot skills list', () => {
  const project = {
    ...odd,
    'mine/better/SKILL.md': '---\nname: good\ndescription: Does good better.\n---\n',
    'shallot.config.yaml': [
      'model: ./model-that-is-not-there.ts',
      'settings: { headers: { key: { $env: NO_SUCH_KEY } } }',
      'plugins:',
      '  - use: skills',
      '    options: { sources: [skills, /mine] }',
      '  - ./plugin-that-is-not-there.ts',
      '',
    ].join('\n'),
  };

  it('lists the skills of the config, which wins, and what is left out; nothing else of it is loaded', async () => {
    const { status, stdout, stderr } = await makeProject(project).here(['skills', 'list']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatchInlineSnapshot(`
      "Bad_Name  /skills/Bad_Name/SKILL.md
        Use when: bad
      good      /mine/better/SKILL.md
        Does good better.
      low       /skills/low/skill.md
        Does low.
      odd  /skills/Bad_Name/SKILL.md: the value of "description" breaks the YAML; put it in quotes (line 3, column 14)
      skipped  /skills/broken/SKILL.md: its description is missing
      shadowed  /skills/good/SKILL.md: another "good" wins: /mine/better/SKILL.md
      odd  /mine/better/SKILL.md: it is named "good", but its directory is "better"
      "
    `);
  });

  it('lists those of directories, without a config', async () => {
    const { status, stdout } = await makeProject(odd).here(['skills', 'list', 'skills/good', 'skills/low']);
    expect(status).toBe(0);
    expect(stdout).toBe('good  skills/good/SKILL.md\n  Does good.\nlow  skills/low/skill.md\n  Does low.\n');
  });

  it('gives the same to programs with --json', async () => {
    const { stdout } = await makeProject(project).here(['skills', 'list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      skills: [
        {
          name: 'Bad_Name',
          description: 'Use when: bad',
          path: '/skills/Bad_Name/SKILL.md',
          userOnly: false,
        },
        { name: 'good', description: 'Does good better.', path: '/mine/better/SKILL.md', userOnly: false },
        { name: 'low', description: 'Does low.', path: '/skills/low/skill.md', userOnly: false },
      ],
      notices: expect.arrayContaining([
        { kind: 'shadowed', name: 'good', path: '/skills/good/SKILL.md', by: '/mine/better/SKILL.md' },
        { kind: 'skipped', path: '/skills/broken/SKILL.md', reason: 'its description is missing' },
      ]) as unknown,
    });
  });

  it('says what is wrong with the config', async () => {
    const without = await makeProject({ 'shallot.config.yaml': 'model: a/b\n' }).here(['skills', 'list']);
    expect(without).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no plugin "skills"') as string,
    });
    const wrong = 'model: a/b\nplugins: [{ use: skills, options: { source: [a] } }]\n';
    expect(await makeProject({ 'shallot.config.yaml': wrong }).here(['skills', 'list'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('did you mean') as string,
    });
  });
});

describe('allowed-tools', () => {
  const commit = skill('commit', 'allowed-tools: Bash(git add:*)\n');
  const model = (callId: string): string => `
    import { scriptedModel } from '@shallot/testing';
    const run = (command) => ({ name: 'bash', args: { command } });
    export default scriptedModel([
      { toolCalls: [${callId}] },
      { toolCalls: [run('git add .'), run('git add . && sh')] },
      { text: 'Done.' },
    ]);`;
  const files = (options: string): Record<string, string> => ({
    'skills/commit/SKILL.md': commit,
    'tools/bash.ts': `
      import { defineTool } from '@shallot/core';
      export default defineTool({
        name: 'bash',
        description: 'Runs a command.',
        input: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
        execute: ({ command }) => 'ran ' + command,
      });`,
    'shallot.config.yaml': [
      'model: ./model.ts',
      'tools: [./tools/*.ts]',
      'plugins:',
      '  - use: hitl',
      `    options: { tools: { bash: true }${options} }`,
      '  - use: skills',
      '    options: { toolNames: { Bash: bash } }',
      '',
    ].join('\n'),
  });
  const read = `{ name: 'skill', args: { name: 'commit' } }`;
  const idle = `{ name: 'skill', args: { name: 'commit', file: 'none' } }`;

  it.each<readonly [what: string, options: string, call: string, executed: number]>([
    [
      'pass unasked once the skill was read, where the approval plugin trusts skills',
      ', preApprovals: [skills]',
      read,
      1,
    ],
    ['ask when the skill was not read', ', preApprovals: [skills]', idle, 0],
    ['ask by default', '', read, 0],
  ])('%s', async (_, options, callId, executed) => {
    const project = makeProject({ ...files(options), 'model.ts': model(callId) });
    const { status, stdout } = await project.here(['run', '--json', 'Go']);
    expect(status).toBe(3);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; message?: { name?: string } });
    const ran = events.filter(({ type, message }) => type === 'tool-end' && message?.name === 'bash');
    expect(ran).toHaveLength(executed);
    expect(events.filter(({ type }) => type === 'interrupt')).toHaveLength(2 - executed);
  });
});
