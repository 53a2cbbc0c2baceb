import { describe, expect, it } from 'vitest';

import { makeProject, type Project } from '../../test/project.ts';

const model = `
  import { scriptedModel } from '@shallot/testing';
  export default scriptedModel([{ toolCalls: [{ name: 'buy', args: {} }] }, { text: 'Bought.' }]);`;
const buy = `
  import { defineTool } from '@shallot/core';
  export default defineTool({ name: 'buy', description: 'Buys.', input: { type: 'object' }, execute: () => 'bought' });`;
const asker = (version: number): string => `
  import { definePlugin } from '@shallot/core';
  export default definePlugin({
    name: 'asker',
    setup({ hooks, state }) {
      const seen = state({ key: 'seen', scope: 'session', version: ${version}, initial: () => 0 });
      hooks.beforeModel.tap('count', (_, run) => seen.set(run, 1));
      hooks.wrapToolCall.tap('ask', async (call, next, scope) => {
        await scope.interrupt({ kind: 'question', payload: 'Milk?', answer: { type: 'string' } });
        return next(call);
      });
    },
  });`;

/** A project whose session `tea` waits in the call of a tool, and was then changed. */
async function changed(files: Readonly<Record<string, string>>): Promise<Project> {
  const project = makeProject({
    'shallot.config.yaml': 'model: ./model.mjs\ntools: [./buy.mjs]\nplugins: [./asker.mjs]\nlog: silent\n',
    'model.mjs': model,
    'buy.mjs': buy,
    'asker.mjs': asker(2),
  });
  expect(await project.here(['run', '-s', 'tea', 'Tea?'])).toMatchObject({ status: 3 });
  project.write(files);
  return project;
}

describe('a resume that is refused', () => {
  it.each([
    ['PLUGIN_GONE', { 'shallot.config.yaml': 'model: ./model.mjs\ntools: [./buy.mjs]\nlog: silent\n' }],
    ['TOOL_GONE', { 'shallot.config.yaml': 'model: ./model.mjs\nplugins: [./asker.mjs]\nlog: silent\n' }],
    ['STATE_VERSION', { 'asker.mjs': asker(1) }],
  ])('runs nothing, and says how to give the run up: %s', async (code, files) => {
    const project = await changed(files);
    const { status, stderr } = await project.here(['resume', 'tea']);
    expect(stderr).toContain(`error ${code}`);
    expect(stderr).toMatch(/^Or abandon the run: shallot resume tea --abandon$/m);
    expect(status).toBe(2);

    expect(await project.here(['resume', 'tea', '--abandon'])).toMatchObject({ status: 0 });
  });
});

it('the run of another agent is resumed with --take-over alone', async () => {
  const config = (name: string): string =>
    `name: ${name}\nmodel: ./model.mjs\ntools: [./buy.mjs]\nplugins: [./asker.mjs]\nlog: silent\n`;
  const project = makeProject({
    'shallot.config.yaml': config('one'),
    'model.mjs': model,
    'buy.mjs': buy,
    'asker.mjs': asker(1),
  });
  expect(await project.here(['run', '-s', 'tea', 'Tea?'])).toMatchObject({ status: 3 });
  project.write({ 'shallot.config.yaml': config('two') });
  const refused = await project.here(['resume', 'tea']);
  expect(refused).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('RUN_OF_ANOTHER_AGENT') as unknown,
  });
  // The question is still open.
  expect(await project.here(['resume', 'tea', '--take-over'])).toMatchObject({ status: 3 });
});

describe('the exit status of a run', () => {
  it('is 1 also when a hook uses the API wrongly', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'model: ./model.mjs\nplugins: [./p.mjs]\nlog: silent\n',
      'model.mjs': model,
      'p.mjs': `
        import { definePlugin } from '@shallot/core';
        export default definePlugin({ name: 'p', setup({ hooks }) {
          hooks.wrapModelCall.tap('junk', (request, next) => next(request, { signal: 42 }));
        } });`,
    });
    const { status, stderr } = await project.here(['run', 'Tea?']);
    expect(stderr).toContain('error OPTION_INVALID [p wrapModelCall]');
    expect(status).toBe(1);
  });
});
