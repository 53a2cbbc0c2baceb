import { makeProject, type Project } from './project.ts';

export const config = 'model: ./model.ts\ntools: [./look.ts]\nplugins: [./brief.ts, ./idle.ts]\n';
const usage = '{ input: 1000, output: 10, total: 1010 }';

/**
 * Makes a project whose model follows these steps, with one plugin that changes a request and one that changes nothing.
 */
export function project(steps: string, more: Readonly<Record<string, string>> = {}): Project {
  return makeProject({
    'shallot.config.yaml': config,
    'model.ts': `import { scriptedModel } from '@shallot/testing';\nexport default scriptedModel(${steps});`,
    'look.ts': `
      import { defineTool } from '@shallot/core';
      export const look = defineTool({
        name: 'look', description: 'Looks.', input: { type: 'object' },
        execute: ({ at }) => at === 'nothing' ? Promise.reject(new Error('too dark')) : 'an onion',
      });`,
    'brief.ts': plugin(
      'brief',
      `hooks.beforeModel.tap('say', (request) => ({ ...request, instructions: 'Be brief.' }));`,
    ),
    'idle.ts': plugin('idle', `hooks.beforeModel.tap('pass', () => {});`),
    ...more,
  });
}

export function plugin(name: string, setup: string): string {
  return `
    import { definePlugin } from '@shallot/core';
    export default definePlugin({ name: '${name}', setup({ hooks, log }) { ${setup} } });`;
}

export const answering = `[
  { toolCalls: [{ name: 'look' }, { name: 'look', args: { at: 'nothing' } }], usage: ${usage} },
  { text: 'An onion.', usage: ${usage} },
]`;

/** Replaces times and ids, which differ from run to run. */
export function steady(text: string): string {
  return text
    .replace(/\d+(?:\.\d+)? m?s\b/g, '0 ms')
    .replace(/(?:run|session)_[\da-f-]+/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME');
}

/** The first line of a trace file. */
export const header =
  '{"type":"trace","version":1,"runId":"r","sessionId":"s","agent":"a","resumed":false,"at":1}';
