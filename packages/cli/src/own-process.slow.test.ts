import { describe, expect, it } from 'vitest';

import { floating, lastLine, named, projectWith, waiting } from '../test/uncaught.ts';

describe('what nobody waits for', () => {
  it('is named, and fails the run: a promise that it leaves and goes on', async () => {
    const { status, stderr } = await projectWith({ hook: floating }).run(['run', 'hello']);
    expect(stderr).toMatch(named);
    expect(status).toBe(1);
  });

  it('is named by inspect: a promise in a setup that never settles', async () => {
    const setup = `${floating} return new Promise(() => {});`;
    const { status, stderr } = await projectWith({ setup }).run(['inspect']);
    expect(stderr).toMatch(named);
    expect(status).toBe(1);
  });

  it('leaves the session as failed, and is the last line of --json', async () => {
    const project = projectWith({ hook: `${floating} ${waiting}` });
    const { stdout } = await project.run(['run', '--json', '-s', 'bees', 'hello']);
    expect(lastLine(stdout)).toMatchObject({ type: 'error', error: { code: 'UNCAUGHT', plugin: 'p' } });
    const sessions = await project.run(['sessions', '--json']);
    expect(JSON.parse(sessions.stdout)).toMatchObject([{ id: 'bees', status: 'failed' }]);
  });

  it('fails a message of a chat, and the chat goes on', async () => {
    const project = projectWith({
      hook: `if (counted++ === 0) { ${floating} ${waiting} }`,
      module: 'let counted = 0;',
    });
    const { status, stdout, stderr } = await project.run(['chat'], { stdin: 'one\ntwo\n' });
    expect(stderr).toMatch(named);
    expect(stdout).toBe('Hi there.\n');
    expect(status).toBe(1);
  });

  it('is a promise that can never settle, too, when nothing is left to do', async () => {
    const project = projectWith({ module: 'await new Promise(() => {});' });
    project.write({
      'shallot.config.yaml': `model: ./model.ts\nstartTimeoutMs: ${2 ** 40}\nplugins: [./p.ts]\n`,
    });
    const { status, stderr } = await project.run(['inspect']);
    expect(stderr).toMatch(/^error UNCAUGHT: The command is waiting for a promise that can never settle/);
    expect(status).toBe(1);
  });
});

describe('the end of the process by other code', () => {
  it('is a failure that names the place', async () => {
    const { status, stdout, stderr } = await projectWith({ hook: 'process.exit(0);' }).run([
      'run',
      '--json',
      'hello',
    ]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error UNCAUGHT \[p\] p\.ts:\d+:\d+: .*process\.exit was called/m);
    expect(lastLine(stdout)).toMatchObject({ type: 'error', error: { code: 'UNCAUGHT' } });
  });
});

describe('what other code writes to stdout', () => {
  const noise = `process.stdout.write('noise\\n'); console.log('noise');`;

  it('goes to stderr, and not into an answer', async () => {
    const project = projectWith({ module: noise, hook: noise });
    const { stdout, stderr } = await project.run(['run', 'hello']);
    expect(stdout).toBe('Hi there.\n');
    expect(stderr.match(/noise/g)).toHaveLength(4);
  });

  it('goes to stderr, and not into JSON', async () => {
    const { stdout } = await projectWith({ module: noise }).run(['inspect', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ plugins: [{ id: 'p' }] });
  });
});
