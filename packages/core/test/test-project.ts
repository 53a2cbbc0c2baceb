import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { onTestFinished } from 'vitest';

import { isShallotError, type ShallotError } from '../src/base/errors.ts';
import { definePlugin } from '../src/contract/define-plugin.ts';
import { permissionEvaluatorKey } from '../src/contract/permissions/permission-evaluator.ts';
import type { Plugin } from '../src/contract/plugin.ts';

/** A temporary directory with files, removed after the test. */
export interface TestProject {
  readonly directory: string;
  path(name: string): string;
  write(files: Readonly<Record<string, string>>): void;
}

export function makeProject(files: Readonly<Record<string, string>>): TestProject {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-config-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const project: TestProject = {
    directory,
    path: (name) => join(directory, name),
    write(contents) {
      for (const [name, content] of Object.entries(contents)) {
        mkdirSync(dirname(join(directory, name)), { recursive: true });
        writeFileSync(join(directory, name), content);
      }
    },
  };
  project.write(files);
  return project;
}

/** A plugin that stands in for an approval plugin: it provides a permission evaluator without any methods. */
export const evaluator: Plugin = definePlugin({
  name: 'evaluator',
  setup: ({ provide }) => provide(permissionEvaluatorKey, Object.create(null)),
})();

/** Returns the files of an installed plugin package, by path. */
export function pluginPackage(
  name: string,
  { manifest = {}, plugin = name }: { readonly manifest?: object; readonly plugin?: string } = {},
): Record<string, string> {
  const folder = `node_modules/${name}`;
  const fields = {
    name,
    version: '1.0.0',
    type: 'module',
    exports: { '.': { import: './index.js' } },
    ...manifest,
  };
  return {
    [`${folder}/package.json`]: JSON.stringify(fields),
    [`${folder}/index.js`]: pluginModule(plugin.replace(/^.*\//, '').replace(/^(?:shallot-)?plugin-/, '')),
  };
}

/**
 * Returns the source of a module that exports a plugin factory, as any version of the core creates one. `setup` is the
 * body of its function.
 */
export function pluginModule(name: string, setup = ''): string {
  return `
const definition = { name: '${name}', version: '1.0.0', api: '^1.0.0', async setup({ hooks, files }) {${setup}} };
const brand = Symbol.for('shallot.plugin');
export default Object.assign((options) => Object.freeze({ [brand]: true, definition, options }), { definition });
`;
}

/** The source of a module that exports a model. */
export const modelModule = `
export default {
  id: 'test/model',
  generate: async () => ({ message: { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] }, finish: 'stop' }),
};
`;

/** Returns the source of a module that exports a tool. */
export function toolModule(name: string): string {
  return `
export const ${name} = {
  [Symbol.for('shallot.tool')]: true, name: '${name}', description: 'A tool', inputSchema: {}, returnDirectly: false, effect: 'read',
  validate: (value) => ({ ok: true, value }), execute: () => 'done',
};
`;
}

/** Returns the error that a promise rejects with; fails the test for another error or none. */
export async function errorOf(promise: Promise<unknown>): Promise<ShallotError> {
  try {
    await promise;
  } catch (error) {
    if (isShallotError(error)) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

/** Formats errors briefly, with paths relative to the project: `CODE plugin file:line:column message`. */
export function brief(project: TestProject, error: ShallotError): string[] {
  const errors = error.errors.length > 0 ? error.errors : [error];
  return errors.map(({ code, plugin, at, message }) => {
    const place = [at?.file, at?.line, at?.column].filter((part) => part !== undefined).join(':');
    const text = [code, plugin, place, message].filter((part) => part !== undefined && part !== '').join(' ');
    return text
      .replaceAll(`${project.directory}/`, '')
      .replaceAll(project.directory, '.')
      .replaceAll(dirname(project.directory), '..');
  });
}
