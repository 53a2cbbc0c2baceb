import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { commandList } from '../packages/cli/src/command-list.ts';
import { faultyPackages } from '../packages/cli/test/faulty-projects/faulty-packages.ts';
import { config, pluginFile, withPlugin } from '../packages/cli/test/faulty-projects/faulty-project.ts';
import { makeProject } from '../packages/cli/test/project.ts';
import type { JsonObject } from '../packages/core/src/base/json.ts';
import { inspectorOf } from '../packages/core/src/base/schema.ts';
import { root } from './workspace.ts';

// Its own text says what it is.
const schema = JSON.parse(readFileSync(join(root, 'packages/cli/output.schema.json'), 'utf8')) as JsonObject;

/** Returns the faults of an output, by the part of the schema that describes it. */
async function issuesOf(name: string, output: string): Promise<readonly unknown[]> {
  const { anyOf: _, ...rest } = schema;
  const inspected = await inspectorOf({ ...rest, $ref: `#/$defs/${name}` })(JSON.parse(output));
  return inspected.ok ? [] : inspected.issues;
}

const files: Readonly<Record<string, string>> = {
  ...withPlugin(
    pluginFile(
      "hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, (call, next) => next(call)); hooks.beforeModel.tap({ name: 'look', priority: 3 }, () => {});",
      'options: optionsSchema({ level: option.number().default(3), name: option.text() })',
    ),
    ['options: { name: { $env: NAME, default: x } }', 'priority: 40', 'outside: [q]'],
  ),
  'q.mjs': pluginFile("hooks.beforeModel.tap('x', () => {});", "name: 'q'"),
};

describe('the schema of --json describes', () => {
  it.each([
    ['inspect', ['inspect']],
    ['inspectPlugin', ['inspect', 'p']],
    ['inspectConfig', ['inspect', '--merged']],
    ['doctor', ['doctor']],
  ])('%s', async (name, args) => {
    const text = files['shallot.config.yaml'] ?? '';
    const project = makeProject({ ...files, 'shallot.config.yaml': `${text}  - ./q.mjs\n` });
    const { stdout } = await project.here([...args, '--json'], { env: { NAME: 'y' } });
    expect(await issuesOf(name, stdout)).toEqual([]);
    // It would not be if it let anything pass.
    expect(await issuesOf(name === 'doctor' ? 'inspect' : 'doctor', stdout)).not.toEqual([]);
  });

  it('sessions, one session, and the result of a search', async () => {
    const project = makeProject({ 'shallot.config.yaml': 'model: offline\n' });
    await project.here(['run', '-q', '-s', 'tea', 'Tea time']);
    const outputs = {
      sessions: ['sessions'],
      session: ['sessions', 'show', 'tea'],
      foundSessions: ['sessions', 'search', 'tea'],
    };
    for (const [name, args] of Object.entries(outputs)) {
      const { stdout } = await project.here([...args, '--json']);
      expect(await issuesOf(name, stdout)).toEqual([]);
      expect(await issuesOf('doctor', stdout)).not.toEqual([]);
    }
  });

  it('runs, their questions, and what is left of them', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'name: bees\nmodel: offline\nplugins: [ask-user]\n',
    });
    const run = await project.here(['run', '-', '-s', 'tea', '--json'], {
      stdin: 'call ask_user {"questions":[{"question":"Which hive?"}]}',
    });
    expect(run.status).toBe(3);
    const lines = run.stdout.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) expect(await issuesOf('event', line)).toEqual([]);
    expect(await issuesOf('event', '{ "type": "run-start" }')).not.toEqual([]);
    const outputs = {
      pending: ['pending'],
      submitted: ['run', '--detach', '-s', 'milk', 'hi'],
      storeStats: ['store', 'stats'],
    };
    for (const [name, args] of Object.entries(outputs)) {
      const { stdout } = await project.here([...args, '--json']);
      expect(await issuesOf(name, stdout)).toEqual([]);
      expect(await issuesOf('doctor', stdout)).not.toEqual([]);
    }
  });

  it('skills, agents, models, and traces', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: offline\nplugins: [skills]\n',
      'skills/hives/SKILL.md': '---\nname: hives\ndescription: How to open a hive.\n---\nGently.\n',
      'skills/odd/SKILL.md': 'Nothing.\n',
      'agents/odd.md': 'Nothing.\n',
    });
    await project.here(['run', '-q', '--trace', 'trace.jsonl', 'hi']);
    const outputs = {
      skills: ['skills', 'list'],
      checkedSkills: ['skills', 'check', 'skills'],
      checkedAgents: ['agents', 'check', 'agents'],
      providers: ['models'],
      trace: ['trace', 'trace.jsonl'],
    };
    for (const [name, args] of Object.entries(outputs)) {
      const { stdout } = await project.here([...args, '--json']);
      expect(await issuesOf(name, stdout)).toEqual([]);
      expect(await issuesOf('doctor', stdout)).not.toEqual([]);
    }
  });

  it('every command with --json', () => {
    const described = JSON.stringify(schema);
    const missing = commandList
      .filter(({ flags }) => flags.some(([written]) => written.includes('--json')))
      .map(({ name }) => name)
      .filter((name) => !new RegExp(`shallot ${name}( [^"]*)? --json`).test(described));
    expect(missing).toEqual([]);
  });

  it('the command line that cannot be read', async () => {
    const { status, stdout } = await makeProject(config('')).here(['sessions', '--jsn', '--json']);
    expect(status).toBe(2);
    expect(await issuesOf('error', stdout)).toEqual([]);
    expect(stdout).toContain('USAGE_INVALID');
  });

  it('findings, and errors', async () => {
    for (const { files: faulty } of faultyPackages.slice(0, 5)) {
      expect(await issuesOf('doctor', (await makeProject(faulty).here(['doctor', '--json'])).stdout)).toEqual(
        [],
      );
    }
    const { stdout } = await makeProject(config('modle: x\n')).here(['inspect', '--json']);
    expect(await issuesOf('error', stdout)).toEqual([]);
  });
});
