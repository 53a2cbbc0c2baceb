import { makeProject, type Project } from './project.ts';

/** Code of a plugin: of its module, its `setup`, its `beforeModel`, its `afterAgent`. */
interface PluginCode {
  readonly module?: string;
  readonly setup?: string;
  readonly hook?: string;
  readonly end?: string;
}

/** A project with one plugin. */
export function projectWith({ module = '', setup = '', hook = '', end = '' }: PluginCode): Project {
  return makeProject({
    'shallot.config.yaml': 'model: ./model.ts\nlog: silent\nplugins:\n  - use: ./p.ts\n',
    'model.ts': `
      import { scriptedModel } from '@shallot/testing';
      export default scriptedModel([{ text: 'Hi there.' }]);`,
    'p.ts': plugin({ module, setup, hook, end }),
  });
}

/** A plugin module with a tap of `beforeModel` and one of `afterAgent`. */
export function plugin({ module = '', setup = '', hook = '', end = '' }: PluginCode): string {
  return `
import { definePlugin } from '@shallot/core';
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
${module}
export default definePlugin({ name: 'p', setup({ hooks, onStop }) {
  ${setup}
  hooks.beforeModel.tapPromise('bug', async () => { ${hook} });
  hooks.afterAgent.tapPromise('bug', async () => { ${end} });
} });`;
}

/** A promise that nobody waits for. */
export const floating = `Promise.reject(new Error('floating'));`;
/** More than any run takes that is not failed meanwhile. */
export const waiting = `await later(60_000);`;
export const named = /^error UNCAUGHT \[p\] p\.ts:\d+:\d+: .*floating/m;

/** The last line of `--json`. */
export function lastLine(text: string): unknown {
  return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
}
