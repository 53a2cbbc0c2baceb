import { describe, expect, it } from 'vitest';

import { makeProject } from '../test/project.ts';

const env = { BEE_API_KEY: 'wax-and-honey', CRED: 'comb-and-brood' };

/** A model and a plugin that put secrets wherever they can. */
const leaky = {
  'shallot.config.yaml': [
    'model: ./model.mjs',
    'plugins: [{ use: ./leaky.mjs, options: { cred: { $env: CRED } } }]',
    '',
  ].join('\n'),
  'model.mjs': `
    import { scriptedModel } from '@shallot/testing';
    export default scriptedModel([{ text: 'The key wax-and-honey is content.' }]);`,
  'leaky.mjs': `
    import { definePlugin } from '@shallot/core';
    export default definePlugin({
      name: 'leaky',
      options: { '~standard': { version: 1, vendor: 'x', validate: (value) => ({ value }) } },
      setup({ hooks, options: { cred } }) {
        hooks.beforeModel.tap('say', (request, run) => {
          run.event('opened', { cred, url: 'https://bee:wax-and-honey@hive.example' });
          run.warn('SLOW', 'the hive does not answer to ' + cred);
        });
        hooks.afterAgent.tap('fail', () => { throw new Error('no entry for sk-ant-api03-abcdefghijklmnop, ' + cred); });
      },
    });`,
};

describe('secrets in what the command prints', () => {
  it('are removed from errors, warnings and notes of plugins, and the answer is as it is', async () => {
    const { status, stdout, stderr } = await makeProject(leaky).here(['run', 'hi'], { env });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'The key wax-and-honey is content.\n' });
    expect(stderr).toContain('leaky opened');
    expect(stderr).toContain('the hive does not answer to [redacted]');
    expect(stderr).toContain('no entry for [redacted], [redacted]');
    expect(stderr).not.toMatch(/wax-and-honey|comb-and-brood|sk-ant/);
  });

  it('are removed from the same in JSON', async () => {
    const { stdout } = await makeProject(leaky).here(['run', '--json', 'hi'], { env });
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly type: string; readonly result?: object });
    const of = (type: string): object | undefined => events.find((event) => event.type === type);
    expect(of('plugin')).toMatchObject({
      data: { cred: '[redacted]', url: 'https://bee:[redacted]@hive.example' },
    });
    expect(of('warning')).toMatchObject({ message: 'the hive does not answer to [redacted]' });
    expect(of('run-end')).toMatchObject({
      result: {
        text: 'The key wax-and-honey is content.',
        errors: [
          {
            plugin: 'leaky',
            message: expect.stringContaining('no entry for [redacted], [redacted]') as string,
          },
        ],
      },
    });
  });

  it('are removed from what stops the command before there is an agent', async () => {
    const project = makeProject({
      ...leaky,
      'leaky.mjs': `export default () => { throw new Error('refused: ' + process.env.NONE + ' comb-and-brood'); };`,
      'model.mjs': `throw new Error('wax-and-honey is not comb-and-brood');`,
    });
    const { status, stderr } = await project.here(['run', '--debug', 'hi'], { env });
    expect(status).toBe(2);
    expect(stderr).toContain('[redacted] is not [redacted]');
    expect(stderr).not.toMatch(/wax-and-honey|comb-and-brood/);
  });
});

describe('the `.env` beside a config', () => {
  const files = {
    'shallot.config.mjs': `
      import { scriptedModel } from '@shallot/testing';
      export default { name: process.env.BEE_NAME, model: scriptedModel([{ text: 'Hello.' }]) };`,
    '.env': 'BEE_NAME=hive\nBEE_API_KEY=wax-and-honey\n',
  };

  it('is part of the environment of the command, which wins, and inspect names it', async () => {
    const project = makeProject(files);
    const { stdout } = await project.run(['inspect'], { env: {} });
    expect(stdout).toContain('hive  shallot.config.mjs\nenv      .env\n');
    const set = await project.run(['inspect', '--json'], { env: { BEE_NAME: 'comb' } });
    expect(JSON.parse(set.stdout)).toMatchObject({ agent: 'comb', envFile: `${project.folder}/.env` });
  });

  it('holds secrets, and does not get into the environment of a program that embeds the command', async () => {
    const project = makeProject({
      ...files,
      'shallot.config.mjs': `throw new Error('the name is ' + process.env.BEE_NAME + ', the key wax-and-honey');`,
    });
    const { status, stderr } = await project.here(['inspect'], { env: {} });
    expect(status).toBe(2);
    expect(stderr).toContain('the name is undefined, the key [redacted]');
  });
});
