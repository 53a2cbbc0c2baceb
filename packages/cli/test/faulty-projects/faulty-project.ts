/** A project in which one thing is wrong, and what the command has to say of it. */
export interface FaultyProject {
  /** The fault, in words. */
  readonly fault: string;
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: `inspect`. */
  readonly args?: readonly string[];
  /** Default: 2, nothing was run. With 0 it is a warning. */
  readonly status?: 0 | 1 | 2;
  readonly code: string;
  /** The plugin to blame, as the config calls it. */
  readonly plugin?: string | undefined;
  /** `file:line:column`, as far as anybody can know it; absent where no file is to blame. */
  readonly at?: string;
  /** A part of the message that says what to do. */
  readonly fix: string;
  /** Absent where no line of the project mends it, for example a database that does not run. */
  readonly obey?: Obedience;
  /** False where a run would ask a provider or open a database: then `doctor` alone shows that the project is healthy. */
  readonly answers?: false;
}

/** A change that applies the advice of a report, at the place that it names. */
export type Obedience =
  /** Writes this in place of the word there. */
  | { readonly write: string }
  /** Removes the key or list item there, with what belongs to it. */
  | 'remove'
  /**
   * Writes these files, or with null removes them: the advice is not about one word of the config. `args` replaces the
   * command, where that is at fault.
   */
  | {
      readonly files: Readonly<Record<string, string | null>>;
      readonly args?: readonly string[];
    };

/** A model that answers, and asks for the tool `t` first when it is offered. */
const model = `export default {
  id: 'test/model',
  async generate({ messages, tools = [] }) {
    const asks = messages.at(-1).role === 'user' && tools.some(({ name }) => name === 't');
    const content = asks ? [{ type: 'tool-call', id: 'c1', name: 't', input: {} }] : [{ type: 'text', text: 'Done.' }];
    return { message: { role: 'assistant', content }, finish: asks ? 'tool-calls' : 'stop' };
  },
};
`;

/** The module of a plugin `p`: the body of its set-up, and members of its definition that replace the usual ones. */
export function pluginFile(setup: string, members = ''): string {
  return `import { definePlugin, defineTool } from '@shallot/core';
import { option, optionsSchema } from '@shallot/core/plugin';
const usual = { name: 'p', version: '1.0.0', api: '^1.0.0' };
export default definePlugin({ ...usual, setup({ hooks, tools, state, onStart, onReady, provide, use, generate, aroundRun, options }) {
  ${setup}
}, ${members} });
`;
}

/** The module of a tool. */
export function toolFile(name: string, execute = "() => 'done'", more = ''): string {
  return `import { defineTool } from '@shallot/core';
export const ${name} = defineTool({ name: '${name}', description: 'A tool.', input: { type: 'object' }, execute: ${execute}, ${more} });
`;
}

/** A config file `shallot.config.yaml` with a model, and whatever else its text says. */
export function config(text: string): Readonly<Record<string, string>> {
  return { 'model.mjs': model, 'shallot.config.yaml': `model: ./model.mjs\n${text}` };
}

/** A config that lists the plugin of this module, with more lines in its entry. */
export function withPlugin(module: string, entry: readonly string[] = []): Readonly<Record<string, string>> {
  return {
    ...config(['plugins:', '  - use: ./p.mjs', ...entry.map((line) => `    ${line}`), ''].join('\n')),
    'p.mjs': module,
  };
}

/** The files of a package in `node_modules`, whose entry is a plugin. */
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
