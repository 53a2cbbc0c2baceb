import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it } from 'vitest';

import { makeProject, type Project } from '../test/project.ts';

const agent = {
  'shallot.config.yaml': 'model: ./model.ts\nplugins: [./plugin.ts]\nlog: silent\n',
  'model.ts': `export default {
  id: 'a/b',
  generate: async () => ({ message: { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] }, finish: 'stop' }),
};`,
  'plugin.ts': `import { definePlugin } from '@shallot/core';
export default definePlugin({ name: 'plugin', setup() {} });`,
  // Says which files were loaded, one a line.
  'count.mjs': `import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const files = new Set();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (resolved.url.startsWith('file:')) files.add(resolved.url);
    return resolved;
  },
});
process.on('exit', () => writeFileSync(process.env.LOADED_FILES, [...files].join('\\n')));`,
};

const ownFolder = `${pathToFileURL(import.meta.dirname).href}/`;

interface Loaded {
  /** Files of the command. */
  readonly own: readonly string[];
  /** Packages of others. */
  readonly packages: readonly string[];
  readonly all: readonly string[];
}

function loadedFor(...args: readonly string[]): Promise<Loaded> {
  return loadedIn(makeProject(agent), args);
}

async function loadedIn({ folder, run }: Project, args: readonly string[]): Promise<Loaded> {
  const file = join(folder, 'loaded.txt');
  const { status, stderr } = await run(args, {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'count.mjs')).href}`, LOADED_FILES: file },
  });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  const all = readFileSync(file, 'utf8').split('\n');
  const names = all.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  return {
    all,
    own: all.filter((url) => url.startsWith(ownFolder)).map((url) => url.slice(ownFolder.length)),
    packages: [...new Set(names)].filter((name) => !name.startsWith('@shallot/')).toSorted(),
  };
}

describe('what is loaded', () => {
  it('for the version: what looks for the command of the project', async () => {
    const { own, all } = await loadedFor('--version');
    expect(own.toSorted()).toEqual([
      'keep-compiled-code.ts',
      'main.ts',
      'project-command.ts',
      'refuse-node.ts',
    ]);
    expect(all).toHaveLength(own.length);
  });

  it('for the help: what reads arguments', async () => {
    const { own, packages, all } = await loadedFor('--help');
    expect(packages).toEqual(['commander']);
    expect(own.filter((path) => path.includes('/') && !path.startsWith('terminal/'))).toEqual([]);
    expect(all.filter((url) => url.includes('/core/src/'))).toEqual([]);
  });

  it.each([['inspect'], ['run', 'Hi']])('for %j: no package that it does not use', async (...args) => {
    const { packages } = await loadedFor(...args);
    for (const unused of [
      '@cfworker/json-schema',
      'pino',
      'pino-pretty',
      'marked',
      '@clack/prompts',
      'diff',
    ]) {
      expect(packages).not.toContain(unused);
    }
  });

  it('for a command: no other command, and no database that it has no use for', async () => {
    const { own, all } = await loadedFor('inspect');
    expect(all.filter((url) => url.includes('/core/src/sqlite/'))).toEqual([]);
    expect(own.filter((path) => /^(?:commands|inspect)\//.test(path)).toSorted()).toEqual([
      'commands/inspect-command.ts',
      'inspect/describe-reason.ts',
      'inspect/instruction-parts.ts',
      'inspect/onion.ts',
      'inspect/render-onion.ts',
    ]);
    expect(own.filter((path) => /^(?:chat|markdown|project|init)\//.test(path))).toEqual([]);
  });

  it('for a trace: to write one nothing of OpenTelemetry, to read one no plugin and no config', async () => {
    const project = makeProject(agent);
    const written = await loadedIn(project, ['run', 'Hi', '--trace', 'run.jsonl']);
    project.write({ 'shallot.config.yaml': 'model: ./gone.ts\n' });
    const read = await loadedIn(project, ['trace', 'run.jsonl']);
    expect([...written.packages, ...read.packages]).not.toContain('@opentelemetry/api');
    const files = read.all.flatMap((url) => url.split('/plugin-telemetry/src/')[1] ?? []);
    expect(files.toSorted()).toEqual([
      'lines/read-trace-tree.ts',
      'lines/read-trace.ts',
      'lines/trace-line.ts',
      'trace.ts',
    ]);
  });
});
