import { describe, expect, it } from 'vitest';

import { chatProject, keys, openPseudoChat } from '../test/chat/chat.ts';
import { plain } from '../test/terminal.ts';
import { floating, lastLine, named, plugin, projectWith, waiting } from '../test/uncaught.ts';

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

  it('is said in a chat on a terminal between two messages, too', async () => {
    const project = chatProject(`{ text: 'Hi there.' }`, {
      'shallot.config.yaml': 'name: test\nmodel: ./model.ts\nlog: silent\nplugins: [./p.ts]\n',
      'p.ts': plugin({ end: `setTimeout(() => { throw new Error('floating'); }, 50);` }),
    });
    const terminal = await openPseudoChat(project);
    terminal.type(`one${keys.enter}`);
    await terminal.seen('UNCAUGHT');
    terminal.type(`two${keys.enter}`);
    await terminal.seen(/Hi there\.[^]*Hi there\./);
    terminal.type(keys.ctrlD);
    expect(plain((await terminal.ended).screen)).toMatch(/UNCAUGHT \[p\] p\.ts:\d+:\d+: An error was thrown/);
  });

  it('names the plugin of a timer in another file, and the place there', async () => {
    const project = projectWith({
      module: `import { help } from './helper.ts';`,
      hook: `help(); ${waiting}`,
    });
    project.write({
      'helper.ts': `export const help = () => setTimeout(() => { throw new Error('floating'); }, 1);`,
    });
    const { stderr } = await project.run(['run', 'hello']);
    expect(stderr).toMatch(/^error UNCAUGHT \[p\] helper\.ts:1:\d+: /m);
  });

  it('names no plugin for what a model leaves behind', async () => {
    const project = projectWith({
      setup: `hooks.wrapModelCall.tap('through', (request, next) => next(request));`,
    });
    project.write({
      'model.ts': `
        export default { id: 'a/b', async generate() {
          setTimeout(() => { throw new Error('floating'); }, 1);
          return new Promise(() => {});
        } };`,
    });
    const { stderr } = await project.run(['run', 'hello']);
    expect(stderr).toMatch(/^error UNCAUGHT model\.ts:3:\d+: /m);
  });

  it('names the plugin also of what has no place', async () => {
    const { status, stderr } = await projectWith({ hook: `Promise.reject(); ${waiting}` }).run([
      'run',
      'hello',
    ]);
    expect(stderr).toContain('error UNCAUGHT [p]: A promise was rejected without being awaited: undefined.');
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

  it('ends neither stream', async () => {
    const hook = [
      `process.stdout.end('last words\\n');`,
      `await new Promise((resolve) => process.stderr.end(resolve));`,
      'process.stdout.destroy(); process.stderr.destroy();',
    ].join(' ');
    const { status, stdout, stderr } = await projectWith({ hook }).run(['run', 'hello']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Hi there.\n' });
    expect(stderr).toMatch(/last words\n[^]*completed: 1 step/);
  });
});
