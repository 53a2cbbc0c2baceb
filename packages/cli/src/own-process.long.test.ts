import { describe, expect, it } from 'vitest';

import { chatProject, keys, openPseudoChat } from '../test/chat/chat.ts';
import { makeProject } from '../test/project.ts';
import { plain } from '../test/terminal.ts';
import { floating, lastLine, named, plugin, projectWith, waiting } from '../test/uncaught.ts';

describe('what nobody waits for', () => {
  it.each([
    ['a promise, while its hook waits', { hook: `${floating} ${waiting}` }],
    ['a promise that it leaves and goes on', { hook: floating }],
    ['a promise at the end of the run', { end: floating }],
    ['a timer', { hook: `setTimeout(() => { throw new Error('floating'); }, 1); ${waiting}` }],
    [
      'a timer, again and again',
      { hook: `setInterval(() => { throw new Error('floating'); }, 1); ${waiting}` },
    ],
    ['a promise while the agent is stopped', { setup: `onStop(() => { ${floating} });` }],
  ])('is named, and fails the run: %s', async (_, parts) => {
    const { status, stderr } = await projectWith(parts).run(['run', 'hello']);
    expect(stderr).toMatch(named);
    expect(stderr.match(/UNCAUGHT/g)).toHaveLength(1);
    expect(status).toBe(1);
  });

  it.each([
    ['when its module is imported', { module: floating }],
    ['in its setup', { setup: floating }],
    ['in its setup, which never settles', { setup: `${floating} return ${waiting.replace('await ', '')}` }],
  ])('is named by inspect: a promise %s', async (_, parts) => {
    const { status, stderr } = await projectWith(parts).run(['inspect']);
    expect(stderr).toMatch(named);
    expect(status).toBe(1);
  });

  it('names the plugin of a package, by the file of the package', async () => {
    const project = projectWith({});
    project.write({
      'shallot.config.yaml': 'model: ./model.ts\nlog: silent\nplugins: [bee]\n',
      'node_modules/shallot-plugin-bee/package.json': JSON.stringify({
        name: 'shallot-plugin-bee',
        version: '1.0.0',
        type: 'module',
        exports: './index.js',
        shallot: { plugin: 'bee', api: '^1.0.0' },
      }),
      'node_modules/shallot-plugin-bee/index.js': plugin({ hook: `${floating} ${waiting}` }).replace(
        "'p'",
        "'bee'",
      ),
    });
    const { stderr } = await project.run(['run', 'hello']);
    expect(stderr).toMatch(/^error UNCAUGHT \[bee\] node_modules\/shallot-plugin-bee\/index\.js:\d+:\d+: /m);
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
});

describe('the end of the process by other code', () => {
  it.each([
    ['in a plugin that is imported', { module: 'process.exit(0);' }],
    ['in a setup', { setup: 'process.exit(3);' }],
    ['in a hook', { hook: 'process.exit(0);' }],
    ['in a timer', { hook: `setTimeout(() => process.exit(), 1); ${waiting}` }],
  ])('is a failure that names the place: %s', async (_, parts) => {
    const { status, stdout, stderr } = await projectWith(parts).run(['run', '--json', 'hello']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error UNCAUGHT \[.*p.*\] p\.ts:\d+:\d+: .*process\.exit was called/m);
    expect(lastLine(stdout)).toMatchObject({ type: 'error', error: { code: 'UNCAUGHT' } });
  });

  it('is one in a config, too', async () => {
    const project = makeProject({ 'shallot.config.ts': '\nprocess.exit(0);' });
    const { status, stderr } = await project.run(['inspect']);
    expect(stderr).toMatch(/^error UNCAUGHT shallot\.config\.ts:2:9: /);
    expect(status).toBe(1);
  });
});

describe('what other code writes to stdout', () => {
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
