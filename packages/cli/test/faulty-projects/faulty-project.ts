/** A project with one fault, and the report that the command must make about it. */
export interface FaultyProject {
  /** Describes the fault, and names its test. */
  readonly fault: string;
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** The arguments of the command. Default: `inspect`. */
  readonly args?: readonly string[];
  /** The exit status. Default: 2, nothing was run. With 0, the report is a warning. */
  readonly status?: 0 | 1 | 2;
  readonly code: string;
  /** The plugin to blame, as the config names it. */
  readonly plugin?: string | undefined;
  /** The place of the fault, `file:line:column` or a beginning of that; absent where no file is to blame. */
  readonly at?: string;
  /** A part of the message that says how to mend the fault. */
  readonly fix: string;
  /** Absent where no change to the project's files mends the fault, for example if a database is not running. */
  readonly obey?: Obedience;
  /**
   * False where a run would call a provider or open a database. `doctor` alone then shows that the project is healthy.
   */
  readonly answers?: false;
}

/** A change that follows the advice of a report, at the place that the report names. */
export type Obedience =
  /** Replaces the word there. */
  | { readonly write: string }
  /** Removes the key or list item there, with its value. */
  | 'remove'
  /**
   * Writes these files, or removes those with null, for advice that is about more than one word of the config. `args`
   * replaces the command if the command was at fault.
   */
  | {
      readonly files: Readonly<Record<string, string | null>>;
      readonly args?: readonly string[];
    };

/** A model that answers. If the tool `t` is offered, it calls that tool first. */
const model = `export default {
  id: 'test/model',
  async generate({ messages, tools = [] }) {
    const asks = messages.at(-1).role === 'user' && tools.some(({ name }) => name === 't');
    const content = asks ? [{ type: 'tool-call', id: 'c1', name: 't', input: {} }] : [{ type: 'text', text: 'Done.' }];
    return { message: { role: 'assistant', content }, finish: asks ? 'tool-calls' : 'stop' };
  },
};
`;

/**
 * Returns the source of a plugin `p`: `setup` is the body of its set-up, and `members` replace members of its
 * definition.
 */
export function pluginFile(setup: string, members = ''): string {
  return `import { definePlugin, defineTool } from '@shallot/core';
import { option, optionsSchema } from '@shallot/core/plugin';
const usual = { name: 'p', version: '1.0.0', api: '^1.0.0' };
export default definePlugin({ ...usual, setup({ hooks, tools, state, onStart, onReady, provide, use, generate, aroundRun, options }) {
  ${setup}
}, ${members} });
`;
}

/** Returns the source of a module with one tool. */
export function toolFile(name: string, execute = "() => 'done'", more = ''): string {
  return `import { defineTool } from '@shallot/core';
export const ${name} = defineTool({ name: '${name}', description: 'A tool.', input: { type: 'object' }, execute: ${execute}, ${more} });
`;
}

/** Returns the files of a project: a model, and a config that names it and goes on with `text`. */
export function config(text: string): Readonly<Record<string, string>> {
  return { 'model.mjs': model, 'shallot.config.yaml': `model: ./model.mjs\n${text}` };
}

/**
 * Returns the files of a project whose config lists a plugin with this source, with more lines in the plugin's entry.
 */
export function withPlugin(module: string, entry: readonly string[] = []): Readonly<Record<string, string>> {
  return {
    ...config(['plugins:', '  - use: ./p.mjs', ...entry.map((line) => `    ${line}`), ''].join('\n')),
    'p.mjs': module,
  };
}

/** Returns the files of a package in `node_modules` whose entry point is a plugin. */
export function pluginPackage(
  name: string,
  { manifest = {}, module = pluginFile('') }: { readonly manifest?: object; readonly module?: string } = {},
): Readonly<Record<string, string>> {
  const fields = { name, version: '1.0.0', type: 'module', exports: './index.js', ...manifest };
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify(fields),
    [`node_modules/${name}/index.js`]: module,
  };
}

export { model as modelFile };
