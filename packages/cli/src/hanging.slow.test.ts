import { afterEach, describe, expect, it, vi } from 'vitest';

import { keys, openPseudoChat } from '../test/chat/chat.ts';
import { screenText } from '../test/chat/screen.ts';
import { makeProject, type Project } from '../test/project.ts';

/** A project with one plugin, `setup` being the body of its set-up. */
function projectWith(setup: string, { more = '', model = `{ text: 'Done.' }` } = {}): Project {
  return makeProject({
    'shallot.config.yaml': `model: ./model.ts\nlog: silent\nplugins: [./p.ts]\n${more}`,
    'model.ts': `
      import { existsSync } from 'node:fs';
      import { setTimeout as delay } from 'node:timers/promises';
      import { scriptedModel } from '@shallot/testing';
      export default scriptedModel(Array(9).fill(${model}));`,
    'p.ts': `
      import { definePlugin } from '@shallot/core';
      const hang = () => { console.error('entered'); return new Promise((resolve) => setTimeout(resolve, 600_000)); };
      export default definePlugin({
        name: 'p',
        setup({ hooks, onStop }) { ${setup} },
      });`,
  });
}

afterEach(() => void vi.useRealTimers());

describe('a layer that never settles', () => {
  it.each(['wrapModelCall', 'wrapToolCall'])(
    'of %s is named while the command waits for it',
    async (hook) => {
      const before = process.listenerCount('SIGHUP');
      const project = projectWith(
        `hooks.${hook}.tap('n', () => { process.emit('entered'); return new Promise(() => {}); });`,
        {
          model: hook === 'wrapToolCall' ? `{ toolCalls: [{ name: 'look' }] }` : `{ text: 'Done.' }`,
        },
      );
      const entered = Promise.withResolvers<void>();
      // The plugin runs in this process, and has no other way to say so.
      process.once('entered' as never, entered.resolve as never);
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      const ended = project.here(['run', 'hi']);
      await entered.promise;
      expect(process.listenerCount('SIGHUP')).toBe(before + 1);
      await vi.advanceTimersByTimeAsync(12_500);
      process.emit('SIGHUP', 'SIGHUP');
      const { status, stderr } = await ended;
      expect(stderr).toContain(`warning [p] STILL_WAITING: Still waiting for ${hook} "n" of p after 10 s.`);
      expect(status).toBe(129);
    },
  );
});

describe('a module that is never ready', () => {
  it.each([
    ['with a timer', 'setInterval(() => {}, 1000);'],
    ['with nothing left to do', ''],
  ])('is named after startTimeoutMs, %s', async (_, timer) => {
    const project = projectWith('', { more: 'startTimeoutMs: 500\n' });
    project.write({ 'p.ts': `${timer} await new Promise(() => {});` });
    const { status, stderr, stdout } = await project.run(['run', 'hi']);
    expect(stderr).toMatch(
      /^error MODULE_FAILED \[\.\/p\.ts\] shallot\.config\.yaml:3:11: .*p\.ts was not ready within 500 ms/,
    );
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });
});

describe('a signal', () => {
  const stalls = `() => (console.error('called'), { chunks: ['Once'], stall: true })`;
  const limit = { more: 'closeTimeoutMs: 600\n', model: stalls };

  it.each([
    ['an onStop', 'onStop(hang);', 'the plugin p (onStop)'],
    ['an afterAgent', `hooks.afterAgent.tap('n', hang);`, 'the run of session "s"'],
    [
      'once in afterAgent',
      `hooks.afterAgent.tap('n', (_, run) => run.once('k', hang));`,
      'the run of session "s"',
    ],
  ])('ends the command in closeTimeoutMs, and %s that hangs is named', async (_, setup, what) => {
    const running = projectWith(setup, limit).start(['run', '--json', '-s', 's', 'hi']);
    await running.seen('called');
    running.child.kill('SIGTERM');
    const { status, stderr } = await running.ended;
    expect(stderr).toContain(`entered\n`);
    expect(stderr).toMatch(
      /warning CLOSE_TIMEOUT: The agent agent was not closed within \d+ ms\. Still running: /,
    );
    expect(stderr).toContain(`${what}. Make it end sooner, or raise closeTimeoutMs.`);
    expect(status).toBe(143);
  });

  it('ends a chat in that time, too', async () => {
    const running = projectWith('onStop(hang);', limit).start(['chat']);
    running.child.stdin.write('hi\n');
    await running.seen('called');
    running.child.kill('SIGTERM');
    const { status, stderr } = await running.ended;
    expect(stderr).toContain('Still running: the plugin p (onStop).');
    expect(status).toBe(143);
  });
});

/** Returns the final text on a terminal, without colours. */
function left(screen: string): string {
  // eslint-disable-next-line no-control-regex -- escape sequences begin with the escape character
  return screenText(screen.replaceAll(/\u001b\[\d+m/g, ''));
}

describe('a model that thinks', () => {
  /** Answers once the file `go` is there. */
  const patient = `async () => { while (!existsSync('go')) await delay(20); return { text: 'Done.' }; }`;

  it('is shown to be at work on a terminal', async () => {
    const project = projectWith('', { model: patient });
    const terminal = project.onPseudoTerminal(['run', 'hi']);
    await terminal.seen(/thinking … \d+ s/);
    project.write({ go: '' });
    const { status, screen } = await terminal.ended;
    expect(left(screen)).toMatch(/^step 1\nDone\.\ncompleted: .*$/);
    expect(status).toBe(0);
  });

  it('makes room for what other code writes', async () => {
    const talking = `async () => { while (!existsSync('say')) await delay(20); console.log('said'); while (!existsSync('go')) await delay(20); return { text: 'Done.' }; }`;
    const project = projectWith('', { model: talking });
    const terminal = project.onPseudoTerminal(['run', 'hi']);
    await terminal.seen(/thinking … \d+ s/);
    project.write({ say: '' });
    await terminal.seen('said');
    project.write({ go: '' });
    expect(left((await terminal.ended).screen)).toMatch(/^step 1\nsaid\nDone\.\ncompleted: .*$/);
  });

  it('is shown to be at work in a chat', async () => {
    const project = projectWith('', { model: patient });
    const terminal = await openPseudoChat(project);
    terminal.type(`hi${keys.enter}`);
    await terminal.seen(/thinking … \d+ s/);
    project.write({ go: '' });
    await terminal.seen('Done.');
    terminal.type(keys.ctrlD);
    expect((await terminal.ended).status).toBe(0);
  });

  it('is not shown in a pipe', async () => {
    const project = projectWith('', { model: patient });
    const running = project.start(['run', 'hi']);
    await running.seen('step 1');
    project.write({ go: '' });
    const { stdout, stderr } = await running.ended;
    expect(`${stdout}${stderr}`).not.toContain('thinking');
  });
});
