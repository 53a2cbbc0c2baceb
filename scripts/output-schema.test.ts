import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

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
