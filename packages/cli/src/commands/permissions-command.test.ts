import { describe, expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';

const project = (permissions: string, plugins = '[hitl]') =>
  makeProject({
    'shallot.config.yaml': `model: ./model.ts\ntools: [./tools.ts]\nplugins: ${plugins}\n${permissions}`,
    'model.ts': `
      import { scriptedModel } from '@shallot/testing';
      export default scriptedModel([]);`,
    'tools.ts': `
      import { defineTool } from '@shallot/core';
      const tool = (name, key, kind) => defineTool({
        name, kind, description: 'Works.', execute: () => 'done',
        input: { type: 'object', properties: { [key]: { type: 'string' } }, required: [key] },
      });
      export default [tool('issues_update', 'action', 'other'), tool('lines', 'command', 'execute')];`,
  });

const rules = `permissions:
  allow: ['lines(command=ls *)']
  deny: ['issues_*(action=delete_*)']
`;

describe('shallot permissions', () => {
  it('lists the rules in the order in which they are asked', async () => {
    const { status, stdout } = await project(rules).here(['permissions', 'list']);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: '  deny   issues_*(action=delete_*)  config\n  allow  lines(command=ls *)        config\n',
    });
  });

  it.each<readonly [string, readonly string[], string]>([
    ['a line for the tool of commands', ['ls -l'], 'allow  lines: the rule "lines(command=ls *)" allows it'],
    [
      'the value of the first argument',
      ['issues_update', 'delete_all'],
      'deny  issues_update: the rule "issues_*(action=delete_*)" denies it',
    ],
    [
      'arguments as JSON',
      ['issues_update', '{"action":"close"}'],
      'ask  issues_update: no rule covers it, so `default` decides',
    ],
    [
      'a mode',
      ['ls -l', '--mode', 'read-only'],
      'deny  lines: the mode is "read-only", and this is not known to be a read',
    ],
  ])('tests %s', async (_, args, said) => {
    const { status, stdout } = await project(rules).here(['permissions', 'test', ...args]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${said}\n` });
  });

  it('prints a verdict as JSON', async () => {
    const { stdout } = await project(rules).here(['permissions', 'test', 'ls -l', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      name: 'lines',
      input: { command: 'ls -l' },
      is: 'allow',
      rules: ['lines(command=ls *)'],
      because: 'the rule "lines(command=ls *)" allows it',
    });
  });

  it.each<readonly [string, readonly string[], string]>([
    ['an unknown tool', ['issue', 'x'], 'The agent has no tool "issue". The tools are issues_update, lines.'],
    [
      'an unknown mode',
      ['ls', '--mode', 'all'],
      'There is no mode "all"; write one of read-only, ask, edits.',
    ],
    ['JSON that is cut off', ['lines', '{"command":'], 'Write the arguments of lines as a JSON object'],
  ])('refuses %s', async (_, args, said) => {
    const { status, stderr } = await project(rules).here(['permissions', 'test', ...args]);
    expect(status).toBe(2);
    expect(stderr).toContain(said);
  });

  it('shows the rules on the page of inspect, too, with what is doubtful about them', async () => {
    const { stdout } = await project(`${rules}  ask: ['*']\n`).here(['inspect', 'permissions']);
    expect(stdout).toContain('never decides: the rule "*" comes before it, and covers the same calls');
  });

  it('prints the rules of other settings for a config, and names those that it leaves out', async () => {
    const settings = { permissions: { allow: ['Bash(npm test:*)', 'Task(x)'], deny: ['Read(./.env)'] } };
    const there = project(rules);
    there.write({ '.claude/settings.json': JSON.stringify(settings) });
    const { status, stdout, stderr } = await there.here(['permissions', 'import']);
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: 'permissions:\n  allow:\n    - "shell(npm test *)"\n  deny:\n    - "read(/.env)"\n',
      stderr: 'left out allow Task(x): there is no such tool here\n',
    });
    expect((await there.here(['permissions', 'import', 'gone.json'])).status).toBe(2);
  });

  it('says so where nobody evaluates permissions', async () => {
    const { status, stderr } = await project('', '[]').here(['permissions', 'list']);
    expect(status).toBe(2);
    expect(stderr).toContain('every call is executed. Add one: shallot add hitl');
  });
});
