import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, textOf, type Plugin, type ToolMessage } from '@shallot/core';
import { diskFiles, memoryFiles, mountFiles, type Files } from '@shallot/core/files';
import hitl from '@shallot/plugin-hitl';
import { scriptedModel, testPlugin } from '@shallot/testing';
import { afterAll, describe, expect, it } from 'vitest';

import { shell, type ShellOptions } from './index.ts';
import { isShellMissing } from './options.ts';
import { bubblewrap, checkBubblewrap } from './running/bubblewrap.ts';
import { checkPlatform } from './shell.ts';

const root = mkdtempSync(join(tmpdir(), 'shallot-shell-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

await testPlugin(shell, {
  options: { unattended: true, root },
  secondOptions: { unattended: true, root, toolName: 'other_shell', deny: ['rm'] },
  manifest: new URL('../package.json', import.meta.url),
});

const start = (plugins: readonly Plugin[], files?: Files | (() => Files)) =>
  createAgent({
    model: scriptedModel([]),
    plugins,
    log: 'silent',
    ...(files === undefined ? {} : { files }),
  });

describe('it starts', () => {
  it('only if its calls are asked about, or nobody needs to be', async () => {
    const files = diskFiles(root);
    await expect(start([shell()], files)).rejects.toMatchObject({ code: 'shell/NOT_ASKED' });
    await expect(start([shell(), hitl({ tools: { '*_file': true } })], files)).rejects.toThrow(
      'unattended: true',
    );
    for (const plugins of [[shell(), hitl({ tools: { shell: true } })], [shell({ unattended: true })]])
      await (await start(plugins, files)).close();
  });

  it('only where there are process groups', () => {
    for (const platform of ['linux', 'darwin'] as const) expect(() => checkPlatform(platform)).not.toThrow();
    expect(isShellMissing('/no/shell', 'linux')).toBe(true);
    expect(isShellMissing('/no/shell', 'win32')).toBe(false);
    expect(() => checkPlatform('win32')).toThrow(
      expect.objectContaining({ code: 'shell/PLATFORM' }) as Error,
    );
  });

  it('with the rule testing only if what it executes is kept in, or trusted', async () => {
    const files = diskFiles(root);
    const testing = (options: ShellOptions) =>
      start([shell({ unattended: true, allow: ['testing'], ...options })], files);
    await expect(testing({})).rejects.toMatchObject({ code: 'shell/TESTING' });
    await (await testing({ sandbox: { command: ['/usr/bin/env'] } })).close();
    const agent = await testing({ testing: 'trusted' });
    expect(agent.plugins.flatMap(({ notes = [] }) => notes)).toEqual([
      expect.stringContaining('execute what the model wrote'),
    ]);
    await agent.close();
  });

  it('in a sandbox only where it works', async () => {
    const none = { PATH: '/nowhere' };
    await expect(checkBubblewrap(none)).rejects.toMatchObject({ code: 'shell/SANDBOX' });
    await expect(checkBubblewrap(none)).rejects.toThrow(/not installed.*apt install bubblewrap|Linux only/);
    await expect(checkBubblewrap(process.env, 'darwin')).rejects.toThrow('sandbox: { command: [...] }');
    const failing = join(root, 'failing');
    mkdirSync(failing);
    writeFileSync(join(failing, 'bwrap'), '#!/bin/sh\necho "no namespaces" >&2; exit 1\n', { mode: 0o755 });
    await expect(checkBubblewrap({ PATH: `${failing}:/bin` }, 'linux')).rejects.toThrow(
      /no namespaces.*user namespaces/,
    );
  });

  it('with a sandbox that shows the disk, and the root to write', () => {
    expect(bubblewrap('/work/p', false).join(' ')).toMatchInlineSnapshot(
      `"bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --bind /work/p /work/p --unshare-user-try --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --cap-drop ALL --unshare-net --die-with-parent --chdir /work/p"`,
    );
    expect(bubblewrap('/work/p', true)).not.toContain('--unshare-net');
  });

  it('only with a directory of this machine', async () => {
    const plugins = () => [shell({ unattended: true })];
    await expect(start(plugins(), memoryFiles())).rejects.toMatchObject({ code: 'shell/NO_ROOT' });
    await expect(start(plugins())).rejects.toMatchObject({ code: 'shell/NO_ROOT' });
    await expect(start(plugins(), mountFiles({ '/a/': diskFiles(root) }))).rejects.toThrow(
      'Set the option root',
    );
    await (await start(plugins(), mountFiles({ '/': diskFiles(root), '/a/': memoryFiles() }))).close();
    await (await start([shell({ unattended: true, root })], memoryFiles())).close();
  });
});

interface Setting {
  readonly options?: ShellOptions;
  readonly plugins?: readonly Plugin[];
  readonly files?: Files | (() => Files);
}

async function run(command: string, { options = {}, plugins = [], files = diskFiles(root) }: Setting = {}) {
  await using agent = await createAgent({
    model: scriptedModel([{ toolCalls: [{ name: 'shell', args: { command } }] }, { text: 'Done.' }]),
    plugins: [shell(options), ...plugins],
    files,
    log: 'silent',
  });
  const { outcome, messages, interrupts } = await agent.run('Go.', { sessionId: 'go' });
  const result = messages.find((message): message is ToolMessage => message.role === 'tool');
  return {
    outcome,
    asked: interrupts.map(({ kind }) => kind),
    text: result === undefined ? undefined : textOf(result),
    denied: result?.denied,
  };
}

describe('where each run has files of its own', () => {
  it('a command starts in those of its run', async () => {
    const { text } = await run('pwd -P', {
      options: { unattended: true },
      files: () => diskFiles(join(root, 'own')),
    });
    expect(text).toMatch(/\/own\n\[Exit status 0\]$/);
  });

  it('and they are not on disk, none is executed', async () => {
    const { text } = await run('pwd', { options: { unattended: true }, files: () => memoryFiles() });
    expect(text).toContain('no directory of this machine');
  });
});

describe('the rules', () => {
  const options = { allow: ['echo *'], deny: ['rm'] };
  const asking = hitl({ tools: { shell: true }, preApprovals: ['shell'] });

  it('let through what is allowed, where the approval plugin heeds them', async () => {
    expect(await run('echo tea', { options, plugins: [asking] })).toMatchObject({
      outcome: 'completed',
      text: 'tea\n[Exit status 0]',
    });
    const deaf = hitl({ tools: { shell: true } });
    expect(await run('echo tea', { options, plugins: [deaf] })).toMatchObject({ asked: ['approval'] });
  });

  it.each(['echo tea > a', 'echo $(pwd)', 'pwd', "echo 'open"])(
    'leave a person to be asked about %j',
    async (line) => {
      expect(await run(line, { options, plugins: [asking] })).toMatchObject({
        outcome: 'interrupted',
        asked: ['approval'],
      });
    },
  );

  it('close git for what nobody looked at, after the settings that are passed to it', async () => {
    const names = ['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_KEY_1', 'GIT_CONFIG_VALUE_1'];
    const command = `printenv ${names.join(' ')}`;
    const variables = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'a.b', GIT_CONFIG_VALUE_0: 'c' };
    const allow = ['printenv *'];
    expect(await run(command, { options: { allow, variables }, plugins: [asking] })).toMatchObject({
      asked: [],
      text: '5\na.b\ncore.fsmonitor\nfalse\n[Exit status 0]',
    });
    expect(await run(command, { options: { variables, unattended: true } })).toMatchObject({
      text: '5\na.b\ncore.fsmonitor\nfalse\n[Exit status 0]',
    });
  });

  it('refuse what is denied, and nobody is asked', async () => {
    expect(await run('echo tea; rm -rf x', { options, plugins: [asking] })).toMatchObject({
      outcome: 'completed',
      text: 'The command was refused and not executed: the rule "rm" denies it.',
      denied: { by: 'shell' },
    });
  });

  it('refuse what they cannot judge where nobody is asked', async () => {
    const unattended = { ...options, unattended: true };
    const unclear = ['X=r; "$X"m x', "xargs sh -c '{}'", `python3 -c 'import os; os.system("rm x")'`];
    for (const line of unclear)
      expect((await run(line, { options: unattended })).text).toContain('not clear');
    expect((await run('echo tea > /dev/null', { options: unattended })).text).toBe('[Exit status 0]');
    expect((await run('X=tea; echo $X', { options: { unattended: true } })).text).toContain('tea');
  });

  it('hold for what a person made of a call', async () => {
    const approving = hitl({
      tools: { shell: true },
      ask: () => ({ decision: 'edit', args: { command: 'rm x' } }),
    });
    expect(await run('echo tea', { options, plugins: [approving] })).toMatchObject({
      denied: { by: 'shell' },
    });
  });
});

it.each([{ allow: ['git "status"'] }, { deny: ['rm; ls'] }, { allow: [''] }, { program: 'sh' }])(
  'The options %j are refused',
  async (options) => {
    await expect(start([shell({ unattended: true, root, ...options })])).rejects.toThrow('not valid');
  },
);
