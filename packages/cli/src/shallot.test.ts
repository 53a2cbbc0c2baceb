import { createRequire } from 'node:module';

import { describe, expect, it } from 'vitest';

import { embedded, makeProject } from '../test/project.ts';
import { KeptStream } from '../test/terminal/kept-stream.ts';

describe('the command line', () => {
  it('has a version', async () => {
    const { version } = createRequire(import.meta.url)('shallot/package.json') as { version: string };
    expect(await embedded(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([['--help'], ['run', '--help']])('explains itself and its exit status (%j)', async (...args) => {
    const { status, stdout, stderr } = await embedded(args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/Usage: shallot .*Exit status:\n {2}0 {4}completed\n/s);
  });

  it.each([
    [['rnu'], /^error USAGE_INVALID: unknown command 'rnu'\. Did you mean run\?\n/],
    [
      ['run', '--sesion', 'x', 'Hi'],
      /^error USAGE_INVALID: unknown option '--sesion'\. Did you mean --session\?\n/,
    ],
    [['run', '--session'], /option '-s, --session <id>' argument missing/],
    [['run', 'two', 'questions'], /too many arguments for 'run'\. Expected 1 argument but got 2/],
    [['inspect', 'me', 'too'], /too many arguments for 'inspect'/],
    [[], /Usage: shallot/],
  ])('refuses %j with status 2', async (args, message) => {
    const { status, stdout, stderr } = await embedded(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('reports everything that is wrong with a config, each with its place, and status 2', async () => {
    const { folder } = makeProject({
      'shallot.config.yaml': 'model: ./nowhere.ts\nplugins:\n  - use: ./nothing.ts\n  - use: not-installed\n',
    });
    const { status, stdout, stderr } = await embedded(['inspect'], { cwd: folder });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/MODULE_NOT_FOUND shallot\.config\.yaml:1:8: .*nowhere/);
    expect(stderr).toMatch(/MODULE_NOT_FOUND .*shallot\.config\.yaml:3:10: .*nothing/);
    expect(stderr).toMatch(/MODULE_NOT_FOUND .*shallot\.config\.yaml:4:10: .*not-installed/);
  });

  it('says where it looked when there is no config', async () => {
    const { folder } = makeProject({});
    const { status, stderr } = await embedded(['run', 'Hi'], { cwd: folder });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error CONFIG_NOT_FOUND: /);
  });
});

describe('shallot in a program', () => {
  const files = {
    'shallot.config.yaml': 'model: ./model.ts\n',
    'model.ts': `
      import { scriptedModel } from '@shallot/testing';
      export default scriptedModel([{ text: 'An answer of some length.' }]);`,
  };

  it('takes the streams, folder and environment that it is given', async () => {
    const { folder } = makeProject(files);
    expect(await embedded(['run', '-q'], { cwd: folder, stdin: 'Hi?' })).toEqual({
      status: 0,
      stdout: 'An answer of some length.\n',
      stderr: '',
    });
  });

  it('takes the config from --config', async () => {
    const { folder } = makeProject(
      Object.fromEntries(Object.entries(files).map(([path, text]) => [`deep/${path}`, text])),
    );
    const args = ['run', '-q', '--config', 'deep/shallot.config.yaml', 'Hi?'];
    expect(await embedded(args, { cwd: folder })).toMatchObject({
      status: 0,
      stdout: 'An answer of some length.\n',
    });
  });

  it('fails when the answer cannot be written', async () => {
    const { folder } = makeProject(files);
    const { status, stderr } = await embedded(['run', '-q', 'Hi?'], {
      cwd: folder,
      stdout: new KeptStream({ failure: 'ENOSPC' }),
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/error cannot write to stdout: ENOSPC/);
  });

  it('says nothing when the reader of a complete answer is gone', async () => {
    const { folder } = makeProject(files);
    const { status, stderr } = await embedded(['run', '-q', 'Hi?'], {
      cwd: folder,
      stdout: new KeptStream({ failure: 'EPIPE' }),
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('warns of a plugin that does not stop well, after the answer', async () => {
    const stubborn = plugin('stubborn', `onStop(() => { throw new Error('I stay'); });`);
    const config = { 'shallot.config.yaml': 'model: ./model.ts\nplugins: [./stubborn.ts]\n' };
    const project = makeProject({ ...files, ...config, 'stubborn.ts': stubborn });
    const { status, stdout, stderr } = await project.here(['run', '-q', 'Hi?']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'An answer of some length.\n' });
    expect(stderr).toMatch(/^warning PLUGIN_STOP_FAILED \[stubborn\] shallot\.config\.yaml:2:11: .*I stay/);
  });

  it('warns of an optional plugin that is missing', async () => {
    const config = 'model: ./model.ts\nplugins:\n  - use: ./gone.ts\n    optional: true\n';
    const project = makeProject({ ...files, 'shallot.config.yaml': config });
    const { status, stderr } = await project.here(['run', '-q', 'Hi?']);
    expect(status).toBe(0);
    expect(stderr).toMatch(/^warning MODULE_NOT_FOUND .*shallot\.config\.yaml:3:10: /);
  });

  it('leaves no listeners behind', async () => {
    const { folder } = makeProject(files);
    const count = (): number => process.listenerCount('SIGINT') + process.stdout.listenerCount('error');
    const before = count();
    await embedded(['run', '-q', 'Hi?'], { cwd: folder });
    expect(count()).toBe(before);
  });
});

function plugin(name: string, setup: string): string {
  return `
    import { definePlugin } from '@shallot/core';
    export default definePlugin({
      name: '${name}', setup({ onStart, onStop }) { ${setup} },
    });`;
}
