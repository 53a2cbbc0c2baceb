import { makeProject, type Project } from './project.ts';

/** Source code for parts of a plugin: its module, `setup`, and its taps of `beforeModel` and `afterAgent`. */
interface PluginCode {
  readonly module?: string;
  readonly setup?: string;
  readonly hook?: string;
  readonly end?: string;
}

/** Makes a project with one plugin. */
export function projectWith({ module = '', setup = '', hook = '', end = '' }: PluginCode): Project {
  return makeProject({
    'shallot.config.yaml': 'model: ./model.ts\nlog: silent\nplugins:\n  - use: ./p.ts\n',
    'model.ts': `
      import { scriptedModel } from '@shallot/testing';
      export default scriptedModel([{ text: 'Hi there.' }]);`,
    'p.ts': plugin({ module, setup, hook, end }),
  });
}

/** Returns the source of a plugin with a tap of `beforeModel` and one of `afterAgent`. */
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

/** Code that creates a rejected promise and does not wait for it. */
export const floating = `Promise.reject(new Error('floating'));`;
/** Code that waits longer than any run takes, unless the run fails in the meantime. */
export const waiting = `await later(60_000);`;
export const named = /^error UNCAUGHT \[p\] p\.ts:\d+:\d+: .*floating/m;

/** Returns the last line of the output of `--json`, parsed. */
export function lastLine(text: string): unknown {
  return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
}
