import { describe, expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';

const model = `export default {
  id: 'a/b',
  generate: async () => ({ message: { role: 'assistant', content: [] }, finish: 'stop' }),
};`;

const tickets = `
import { definePlugin, defineTool } from '@shallot/core';
import { option, optionsSchema, serviceKey } from '@shallot/core/plugin';
export default definePlugin({
  name: 'tickets',
  version: '1.2.0',
  options: optionsSchema({
    region: option.text().required(),
    key: option.text().secret(),
    limit: option.integer().default(5),
    retry: option.object({ times: option.integer().default(2) }),
  }),
  setup({ hooks, tools, state, provide }) {
    hooks.beforeModel.tap({ name: 'look', priority: 60 }, () => {});
    hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, (call, next) => next(call));
    tools.add(defineTool({ name: 'search', description: 'Searches.', input: { type: 'object' }, execute: () => '' }));
    state({ key: 'seen', initial: () => [] });
    provide(serviceKey('acme/titles'), {});
  },
});`;

const files = {
  'base.yaml': 'name: support\nmaxSteps: 7\n',
  'shallot.config.yaml': [
    'extends: ./base.yaml',
    'model: ./model.mjs',
    'plugins:',
    '  - use: ./tickets.mjs',
    '    priority: 40',
    '    options:',
    '      region: { $env: REGION }',
    '      key: { $env: TICKETS_KEY }',
    '      retry: {}',
    'log: silent',
    '',
  ].join('\n'),
  '.env': 'REGION=eu\n',
  'model.mjs': model,
  'tickets.mjs': tickets,
};

const env = { TICKETS_KEY: 'tk-0123456789abcdef' };

describe('shallot inspect <plugin>', () => {
  it('shows options after defaults with their origin, taps, tools, state and services', async () => {
    const { status, stdout, stderr } = await makeProject(files).here(['inspect', 'tickets'], { env });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatchInlineSnapshot(`
      "tickets 1.2.0  tickets.mjs (shallot.config.yaml:4:10)
      options
        region       "eu"        REGION in .env (shallot.config.yaml:7:15)
        key          "[secret]"  TICKETS_KEY (shallot.config.yaml:8:12)
        retry.times  2           default
        limit        5           default
      taps
        beforeModel   look  60       by its tap
        wrapToolCall  ask   40 gate  by its entry
      tools
        search
      state
        seen  session
      services
        acme/titles
      "
    `);
  });

  it('gives the same to programs with --json, without secrets', async () => {
    const { stdout } = await makeProject(files).here(['inspect', 'tickets', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'tickets',
      options: [
        { path: ['region'], value: 'eu', origin: { from: 'environment', variable: 'REGION' } },
        { path: ['key'], value: '[secret]' },
        { path: ['retry', 'times'], value: 2, origin: { from: 'default' } },
        { path: ['limit'], value: 5, origin: { from: 'default' } },
      ],
    });
    expect(stdout).not.toContain(env.TICKETS_KEY);
  });

  it('says which plugins there are when it is none of them', async () => {
    const { status, stderr } = await makeProject(files).here(['inspect', 'ticket'], { env });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'error USAGE_INVALID: The agent has no plugin "ticket". Did you mean "tickets"?\n',
    });
  });
});

describe('shallot inspect --config', () => {
  it.each([['--config'], ['--merged']])(
    'shows the merged config with the origin of each value (%s)',
    async (flag) => {
      const { status, stdout, stderr } = await makeProject(files).here(['inspect', flag], { env });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/^shallot\.config\.yaml {2}extends base\.yaml\n/);
      expect(stdout).toMatch(/^ {2}maxSteps +7 +base\.yaml:2:11$/m);
      expect(stdout).toMatch(
        /^ {2}plugins\.0\.options\.region +"eu" +REGION in \.env \(shallot\.config\.yaml:7:15\)$/m,
      );
      expect(stdout).toMatch(/^ {2}toolConcurrency +8 +default$/m);
      expect(stdout).not.toContain(env.TICKETS_KEY);
    },
  );

  it('needs nothing that the config names', async () => {
    const project = makeProject({ 'shallot.config.yaml': 'model: ./gone.ts\nplugins: [gone]\n' });
    const { status, stdout } = await project.here(['inspect', '--merged', '--json']);
    expect(status).toBe(0);
    const { values } = JSON.parse(stdout) as { values: { path: unknown[]; value: unknown }[] };
    expect(values).toContainEqual(expect.objectContaining({ path: ['model'], value: './gone.ts' }));
  });
});
