import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';

const agent = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\nDo it.\n`;

const odd = {
  'agents/a.md': agent('reader', 'tools: [read_notes]\n'),
  'agents/b.md': agent('reader'),
  'agents/c.md': agent('writer', 'color: red\ntools: ["*", "!read_notes"]\n'),
  'agents/d.md': '---\nname: d d\nmaxSteps: many\n---\n',
  'agents/e.md': '---\nname: e\ndescription: [\n---\n',
  'agents/f.md': 'No front matter.\n',
  'agents/notes.txt': 'x',
};

const tool = `
  import { defineTool } from '@shallot/core';
  export default defineTool({
    name: 'read_notes', description: 'Reads.', input: { type: 'object' }, effect: 'read', execute: () => 'x',
  });`;

const config = (agents = '', more = ''): string =>
  `model: offline\ntools: [./tools/*.ts]\nplugins:\n  - use: subagents\n    options:\n      toolName: ask\n${agents}${more}`;

describe('shallot agents check', () => {
  it('reports with place what is wrong with the files of a directory, and ends with 1', async () => {
    const { status, stdout, stderr } = await makeProject(odd).here(['agents', 'check', 'agents']);
    expect(stdout).toMatchInlineSnapshot(`
      "agents/a.md:2:7: error 2 agents have the name "reader"; rename all but one, or remove them
      agents/b.md:2:7: error 2 agents have the name "reader"; rename all but one, or remove them
      agents/c.md:4:1: warning the key "color" is ignored; a definition has name, description, model, tools, disallowedTools, skills, maxSteps
      agents/c.md:5:8: warning its tools include "task", so "writer" can delegate to every agent, itself included, until maxDepth is reached; "!task" takes it away
      agents/d.md:1:1: error its description is missing; write when to delegate to the agent
      agents/d.md:2:7: error its name is "d d"; write 1 to 64 letters, digits, "_" and "-"
      agents/d.md:3:11: error its maxSteps is "many"; write an integer from 1
      agents/e.md:4:1: error its front matter is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]
      agents/f.md:1:1: error it does not start with front matter: its first line must be "---"
      "
    `);
    expect({ status, stderr }).toEqual({ status: 1, stderr: '6 agents checked, 9 problems\n' });
  });

  it('ends with 0 if there are only warnings, which programs get with --json', async () => {
    const project = makeProject({ 'agents/a.md': agent('a', 'color: red\n') });
    const { status, stdout } = await project.here(['agents', 'check', '--json', 'agents']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      checked: 1,
      problems: [
        {
          path: 'agents/a.md',
          line: 4,
          column: 1,
          level: 'warning',
          message:
            'the key "color" is ignored; a definition has name, description, model, tools, disallowedTools, skills, maxSteps',
        },
      ],
    });
  });

  it('checks those of the config, with their tools and models', async () => {
    const agents = [
      '      agents:',
      '        - name: payer',
      '          description: Pays.',
      '          grants: [pay]',
      '        - name: reader',
      '          description: Reads.',
      '          model: ./no-model.ts',
      '          tools: [raed_notes, "mcp_*"]',
      '',
    ].join('\n');
    const project = makeProject({
      'shallot.config.yaml': config(agents),
      'tools/notes.ts': tool,
      'agents/reader.md': agent('reader', 'tools: [ask, ask_result, read_*]\n'),
    });
    const { status, stdout } = await project.here(['agents', 'check']);
    expect(status).toBe(1);
    expect(stdout.replaceAll(project.folder, 'PROJECT')).toMatchInlineSnapshot(`
      "agents/reader.md:2:7: error 2 agents have the name "reader"; rename all but one, or remove them
      agents/reader.md:4:8: warning its tools include "ask", so "reader" can delegate to every agent, itself included, until maxDepth is reached; "!ask" takes it away
      shallot.config.yaml:10:19: error grants names the tool "pay", which does not exist; the tools are: read_notes, ask, ask_status, ask_result, ask_cancel
      shallot.config.yaml:11:17: error 2 agents have the name "reader"; rename all but one, or remove them
      shallot.config.yaml:13:18: error PROJECT/no-model.ts does not exist. Fix the path, or create the file
      shallot.config.yaml:14:18: error tools names the tool "raed_notes", which does not exist; did you mean "read_notes"?
      shallot.config.yaml:14:18: warning "mcp_*" in tools fits no tool
      "
    `);
  });

  it.each([['agents', 'check'], ['doctor'], ['run', 'x']])(
    'a file that names a module as its model is refused by %s %s, which imports nothing of it',
    async (...args) => {
      const project = makeProject({
        'shallot.config.yaml': config(),
        'tools/notes.ts': tool,
        'agents/helper.md': agent('helper', 'model: ./evil.mjs\n'),
        'evil.mjs': "import { writeFileSync } from 'node:fs'; writeFileSync('executed', '');",
      });
      const { status, stdout, stderr } = await project.here(args);
      expect(status).not.toBe(0);
      expect(stdout + stderr).toContain('its model is "./evil.mjs"; write provider/model');
      expect(existsSync(join(process.cwd(), 'executed'))).toBe(false);
    },
  );

  it('reports options that are not valid where they stand', async () => {
    const project = makeProject({
      'shallot.config.yaml': config('      agents:\n        - name: a\n          tols: [x]\n'),
    });
    const { status, stdout } = await project.here(['agents', 'check']);
    expect(status).toBe(1);
    expect(stdout).toMatchInlineSnapshot(`
      "shallot.config.yaml:8:11: error agents.0.description: it is missing; write a string
      shallot.config.yaml:9:17: error agents.0.tols: there is no such option; did you mean "tools"?
      "
    `);
  });

  it('checks no tools while another plugin keeps the agent from starting, and notes it', async () => {
    const project = makeProject({
      'shallot.config.yaml': config('', '  - ./gone.ts\n'),
      'agents/reader.md': agent('reader', 'tools: [raed_notes]\n'),
    });
    expect(await project.here(['agents', 'check'])).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('The names of tools are not checked') as string,
    });
  });

  it('ends with 2 where there is nothing to check', async () => {
    const project = makeProject({ 'shallot.config.yaml': 'model: offline\n', 'notes.md': 'x' });
    for (const [args, why] of [
      [[], 'no plugin "subagents"'],
      [['none'], 'cannot be read'],
      [['notes.md'], 'is not a directory'],
    ] as const) {
      const { status, stderr } = await project.here(['agents', 'check', ...args]);
      expect([status, stderr]).toEqual([2, expect.stringContaining(why)]);
    }
  });
});
