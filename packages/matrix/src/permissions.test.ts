import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { createAgent, textOf, type Interrupt } from '@shallot/core';
import { diagnose } from '@shallot/core/command';
import { loadAgent } from '@shallot/core/config';
import { diskFiles } from '@shallot/core/files';
import type { ApprovalDetails } from '@shallot/core/plugin';
import { collectEvents, scriptedModel } from '@shallot/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import { testProject } from '../test/project.ts';

type Call = readonly [name: string, args: Readonly<Record<string, string | boolean>>];

const config = (permissions: string, more = ''): string => `
permissions:
${permissions}
plugins:
  - filesystem
  - shell
  - use: fetch
    options: { allowAddresses: ['127.0.0.1'] }
  - hitl
${more}`;

/** An agent of a config, whose model makes these calls, one a step. */
async function agentOf(folder: string, calls: readonly Call[]) {
  const model = scriptedModel([
    ...calls.map(([name, args]) => ({ toolCalls: [{ name, args }] })),
    { text: 'Done.' },
    { text: 'Done.' },
  ]);
  const { agent } = await loadAgent({ cwd: folder, model, log: 'silent' });
  onTestFinished(() => agent.close());
  return agent;
}

/** Returns the fate of each call: executed, denied, asked about. The first that is asked about is the last. */
async function fates(folder: string, calls: readonly Call[]): Promise<string[]> {
  const agent = await agentOf(folder, calls);
  const { messages, interrupts } = await agent.run('Go.', { sessionId: 's' });
  const done = messages.flatMap((message) =>
    message.role === 'tool'
      ? [message.denied === undefined ? 'executed' : `denied: ${message.denied.reason}`]
      : [],
  );
  return [...done, ...interrupts.map(({ call }: Interrupt) => `asked about ${call?.name}`)];
}

describe('permissions of a config', () => {
  it('release calls by path, command and host, refuse some, and ask about the rest', async () => {
    const folder = testProject({
      'shallot.config.yaml': config(`
  allow: [read, 'edit(src/**)', 'shell(git status*)', 'shell(echo *)']
  deny: ['edit(src/keys/**)', 'shell(rm)']
  ask: ['shell(echo secret)']`),
      'src/a.ts': 'a\n',
    });
    expect(
      await fates(folder, [
        ['read_file', { path: '/src/a.ts' }],
        ['edit_file', { path: 'src/a.ts', old_string: 'a', new_string: 'b' }],
        ['write_file', { path: '/src/keys/k', content: 'k' }],
        ['shell', { command: 'echo tea && echo cake | echo x' }],
        ['shell', { command: 'echo tea; rm -rf x' }],
        ['shell', { command: 'echo secret' }],
      ]),
    ).toEqual([
      'executed',
      'executed',
      'denied: the rule "edit(src/keys/**)" denies it',
      'executed',
      'denied: the rule "shell(rm)" denies it',
      'asked about shell',
    ]);
    expect(readFileSync(join(folder, 'src/a.ts'), 'utf8')).toBe('b\n');
  });

  it.each<readonly [string, Call]>([
    ['a path beside the one that is allowed', ['write_file', { path: '/srcx/a', content: '' }]],
    ['a path that leads out of it', ['write_file', { path: '/src/../b', content: '' }]],
    ['a link to a directory elsewhere', ['write_file', { path: '/src/link/b', content: '' }]],
    ['a walk above it', ['grep', { pattern: 'x', path: '/' }]],
    ['a command that nobody allowed', ['shell', { command: 'git status && git push' }]],
    ['a substitution', ['shell', { command: 'git status $(touch x)' }]],
    ['a page of another host', ['fetch_url', { url: 'https://docs.example.org.evil.test/' }]],
  ])('ask about %s', async (_, call) => {
    const folder = testProject({
      'shallot.config.yaml': config(
        `  allow: ['edit(src/**)', 'read(src/**)', 'shell(git status*)', 'fetch(docs.example.org)']`,
      ),
      'src/a': '',
      'other/a': '',
    });
    symlinkSync('../other', join(folder, 'src/link'));
    expect(await fates(folder, [call])).toEqual([`asked about ${call[0]}`]);
  });

  it('refuse a path that a link leads elsewhere after the decision', async () => {
    const folder = testProject({
      'shallot.config.yaml': config(`  allow: ['edit(src/**)']`, '  - ./swap.ts\n'),
      'src/sub/a': '',
      'other/a': 'before',
      // The innermost gate: it sees the call after the rules have allowed it.
      'swap.ts': `
        import { renameSync, symlinkSync } from 'node:fs';
        import { join } from 'node:path';
        import { definePlugin } from '@shallot/core';
        export default definePlugin({ name: 'swap', setup: ({ hooks, directory }) =>
          hooks.wrapToolCall.tap({ name: 'swap', gate: true, priority: 0 }, (call, next) => {
            renameSync(join(directory, 'src/sub'), join(directory, 'src/was'));
            symlinkSync('../other', join(directory, 'src/sub'));
            return next(call);
          }) });`,
    });
    const agent = await agentOf(folder, [['write_file', { path: '/src/sub/new', content: 'x' }]]);
    const { messages } = await agent.run('Go.');
    expect(textOf(messages.find(({ role }) => role === 'tool') ?? { content: [] })).toBe(
      '/src/sub/new leads to /other/new now, and did not when the call was allowed. Call the tool again.',
    );
    expect(existsSync(join(folder, 'other/new'))).toBe(false);
  });

  it('let an edited call touch what a person made of it, and nothing else', async () => {
    const folder = testProject({ 'shallot.config.yaml': config(`  ask: [edit]`), 'src/a': '' });
    const agent = await agentOf(folder, [['write_file', { path: '/src/b', content: 'x' }]]);
    const { interrupts, sessionId } = await agent.run('Go.', { sessionId: 's' });
    const args = { path: '/src/c', content: 'y' };
    await agent.resume(sessionId, { [interrupts[0]?.id ?? '']: { decision: 'edit', args } });
    expect(existsSync(join(folder, 'src/b'))).toBe(false);
    expect(readFileSync(join(folder, 'src/c'), 'utf8')).toBe('y');
  });

  it('judge each redirect of a page like the page itself', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/away' });
      response.end('page');
    });
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { readonly port: number };
    const address = `http://127.0.0.1:${port}`;
    const folder = testProject({ 'shallot.config.yaml': config(`  allow: ['fetch(${address}/)']`) });
    const agent = await agentOf(folder, [['fetch_url', { url: address }]]);
    const { messages } = await agent.run('Go.');
    const result = messages.find(({ role }) => role === 'tool');
    expect(textOf(result ?? { content: [] })).toBe(
      `127.0.0.1:${port} redirects to ${address}/away, which was not fetched: no rule allows it. Fetch that URL itself, so that a person is asked.`,
    );
  });

  it('keep with the result, and tell on the stream, which rules released a call', async () => {
    const folder = testProject({
      'shallot.config.yaml': config(`  allow: ['shell(echo *)', 'shell(true)']`),
    });
    const agent = await agentOf(folder, [['shell', { command: 'true && echo tea' }]]);
    const { events, result } = await collectEvents(agent.stream('Go.', { sessionId: 's' }));
    const rules = ['shell(true)', 'shell(echo *)'];
    expect(events.filter(({ type }) => type === 'plugin')).toMatchObject([
      { plugin: 'hitl', name: 'released', data: { tool: 'shell', rules } },
    ]);
    expect(result?.messages.find(({ role }) => role === 'tool')?.metadata).toMatchObject({
      hitl: { released: { rules } },
    });
  });

  it('run what they release with git closed', async () => {
    const folder = testProject({ 'shallot.config.yaml': config(`  allow: ['shell(git status)']`) });
    const git = (...args: readonly string[]): void =>
      void execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
    git('init');
    git('config', 'core.fsmonitor', 'touch PWNED;false');
    const agent = await agentOf(folder, [['shell', { command: 'git status' }]]);
    const { outcome } = await agent.run('Go.');
    expect([outcome, existsSync(join(folder, 'PWNED'))]).toEqual(['completed', false]);
    git('status');
    expect(existsSync(join(folder, 'PWNED'))).toBe(true);
  });

  it.each<readonly [string, string, string]>([
    ['a tool that does not exist', `  allow: [edit_flie]`, 'Did you mean "edit_file"?'],
    ['a rule that is not balanced', `  allow: ['edit(src/**']`, 'write a tool and a pattern'],
    ['a rule with hidden characters', `  allow: ["edit(a\\u200Bb)"]`, 'without hidden characters'],
    ['an empty pattern', `  deny: ['edit()']`, 'write "edit" for calls with any arguments'],
    ['an empty pattern of a matcher', `  allow: ['edit()']`, 'write "edit" for calls with any arguments'],
    ['a pattern that no path fits', `  deny: ['edit({a,b})']`, 'only * and ** have a meaning'],
    ['a command with operators', `  deny: ['shell(a; b)']`, 'without quotes or operators'],
    ['a word of nobody', `  deny: ['task(reviewer)']`, 'the tool "task", which does not exist'],
    ['one rule in two lists', `  allow: [shell]\n  deny: [shell]`, 'stands in "deny", too'],
    ['an unknown list', `  refuse: [shell]`, 'refuse'],
    ['an unknown default', `  default: never`, '"deny", "ask" or "allow"'],
  ])('refuse to start with %s', async (_, permissions, said) => {
    const folder = testProject({ 'shallot.config.yaml': config(permissions) });
    await expect(agentOf(folder, [])).rejects.toThrow(said);
  });

  it.each<readonly [string, Call, string]>([
    [
      'a change of an unlocked file',
      ['write_file', { path: '/.vscode/a.json', content: '' }],
      'asked about write_file',
    ],
    ['a look at an unlocked secret', ['read_file', { path: '/.env' }], 'asked about read_file'],
    ['a link to it', ['read_file', { path: '/link' }], 'asked about read_file'],
    ['a look at what may be read anyway', ['ls', { path: '/.vscode' }], 'executed'],
    ['any other change', ['write_file', { path: '/a.txt', content: '' }], 'executed'],
  ])('whatever they say, %s: %j is %s', async (_, call, fate) => {
    const folder = testProject({
      'shallot.config.yaml': `unlock: ['.env*', /.vscode]${config(`  allow: [edit, read]\n  mode: edits`)}`,
      '.env': 'A=1\n',
      '.vscode/b.json': '{}',
    });
    symlinkSync('.env', join(folder, 'link'));
    expect(await fates(folder, [call])).toEqual([fate]);
  });

  it.each<readonly [string, string]>([
    ['edti(src/**)', 'edit'],
    ['edit({a,b})', 'only * and **'],
    ['shell(testing)', 'sandbox'],
  ])('refuse to start with mayKeep: %s', async (rule, said) => {
    const folder = testProject({ 'shallot.config.yaml': config(`  mayKeep: ['${rule}']`) });
    await expect(agentOf(folder, [])).rejects.toThrow(said);
  });

  it.each<readonly [string, Call, string, boolean]>([
    // mayKeep, call, the rule that an answer would keep
    ['read(docs/**)', ['read_file', { path: '/docs/a' }], 'read(/docs/a)', true],
    ['read(docs/**)', ['read_file', { path: '/docs/a' }], 'read(/docs/)', true],
    ['read(docs/**)', ['read_file', { path: '/docs/a' }], 'read', false],
    ['edit(docs/*)', ['write_file', { path: '/docs/a', content: '' }], 'edit(/docs/a)', true],
    ['edit(docs/*)', ['write_file', { path: '/docs/a', content: '' }], 'edit(docs/)', false],
    ['shell(git *)', ['shell', { command: 'git fetch' }], 'shell(git fetch)', true],
    ['shell(git *)', ['shell', { command: 'git fetch' }], 'shell(git f*)', true],
    ['shell(git *)', ['shell', { command: 'npm test' }], 'shell(npm test)', false],
    ['shell(git-reading)', ['shell', { command: 'git status -s' }], 'shell(git status -s)', true],
    ['shell(git-reading)', ['shell', { command: 'git status -s' }], 'shell(git status*)', false],
    ['*', ['shell', { command: 'npm test' }], 'shell(testing)', false],
    ['fetch(*.test)', ['fetch_url', { url: 'https://a.test/b' }], 'fetch(a.test)', true],
    ['fetch(*.test)', ['fetch_url', { url: 'https://a.test/b' }], 'fetch(*)', false],
  ])('with mayKeep: %s, %j may be kept as %s: %s', async (mayKeep, call, rule, isKept) => {
    const folder = testProject({ 'shallot.config.yaml': config(`  mayKeep: ['${mayKeep}']`) });
    const agent = await agentOf(folder, [call]);
    const { interrupts } = await agent.run('Go.', { sessionId: 's' });
    const [question] = interrupts;
    const why = await agent.permissions?.whyNotKept(rule, question?.call ?? { name: '', input: {} }, {});
    expect(why === undefined).toBe(isKept);
    // The narrowest rule is proposed if it may be kept.
    const { rule: proposed } = (question?.details as ApprovalDetails | undefined)?.always ?? {};
    expect(proposed !== undefined).toBe(mayKeep !== 'shell(git *)' || call[1]['command'] === 'git fetch');
  });

  it('are one with the options of the shell and with pre-approvals', async () => {
    const folder = testProject({
      'shallot.config.yaml': `
permissions: { allow: ['shell(rm old)'] }
plugins:
  - filesystem
  - { use: shell, options: { deny: [rm], allow: [reading] } }
  - { use: hitl, options: { preApprovals: [shell] } }
`,
    });
    const lines = { 'rm old': 'denied', 'ls -l': 'executed', 'npm ci': 'asked about shell' };
    const agent = await agentOf(folder, []);
    const verdicts = await Promise.all(
      Object.keys(lines).map(async (command) =>
        agent.permissions?.judge({ name: 'shell', input: { command } }, {}),
      ),
    );
    expect(verdicts.map((verdict) => [verdict?.is, verdict?.rules])).toEqual([
      ['deny', ['shell(rm)']],
      ['allow', ['shell(reading)']],
      ['ask', []],
    ]);
    const done = await fates(
      folder,
      Object.keys(lines).map((command): Call => ['shell', { command }]),
    );
    expect(done.map((fate, at) => fate.startsWith(Object.values(lines)[at] ?? ''))).toEqual([
      true,
      true,
      true,
    ]);
    expect(agent.permissions?.rules().map(({ rule, from }) => `${rule} from ${from}`)).toEqual([
      'shell(rm) from the options of shell',
      'shell(rm old) from config',
      'shell(reading) from the options of shell',
    ]);
  });

  it('stand in the trace of the calls that they release', async () => {
    const folder = testProject({
      'shallot.config.yaml': `permissions: { allow: ['read(/a.md)'] }
plugins: [filesystem, { use: telemetry, options: { trace: ./trace.jsonl } }, { use: hitl, options: { tools: { ls: false } } }]
`,
      'a.md': 'Tea.',
    });
    const cwd = process.cwd();
    process.chdir(folder);
    onTestFinished(() => process.chdir(cwd));
    const agent = await agentOf(folder, [
      ['read_file', { path: '/a.md' }],
      ['ls', {}],
    ]);
    await agent.run('Go.', { sessionId: 's' });
    await agent.close();
    const lines = readFileSync(join(folder, 'trace.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly outcome?: string; readonly released?: unknown });
    expect(lines.flatMap(({ outcome, released }) => (outcome === 'ok' ? [released] : []))).toEqual([
      { by: 'hitl', rules: ['read(/a.md)'], because: '"read(/a.md)" allow it' },
      undefined,
    ]);
  });

  it('are doubted by doctor where they never decide, or are wider than they look', async () => {
    const wide = ['*', 'git *', 'npm run *', 'bash -c *', 'python3 -m *', 'npx tsx *', 'reading'];
    const list = wide.map((pattern) => `'shell(${pattern})'`).join(', ');
    const folder = testProject({
      'shallot.config.yaml':
        `unlock: ['.env*']${config(`  allow: [${list}, 'shell(ls *)', 'edit(/a)']\n  deny: ['edit(/a)', 'gone_*']`)}`.replace(
          "'edit(/a)']\n",
          "'edit(/a/b)']\n",
        ),
    });
    const { warnings } = await diagnose({ cwd: folder });
    const found = warnings.map(({ code, message }) => `${code} ${/"([^"]+)"/.exec(message)?.[1] ?? ''}`);
    for (const pattern of wide) expect(found).toContain(`PERMISSION_WIDE shell(${pattern})`);
    expect(found).not.toContain('PERMISSION_WIDE shell(ls *)');
    expect(found.filter((each) => each.startsWith('PERMISSION_UNUSED'))).toEqual([
      'PERMISSION_UNUSED gone_*',
    ]);
    expect(found.filter((each) => each.startsWith('FILE_UNLOCKED'))).toHaveLength(1);
  });

  it('say which rule lets every command through', async () => {
    const folder = testProject({ 'shallot.config.yaml': config(`  allow: [shell]`) });
    await expect(agentOf(folder, [])).rejects.toThrow('The rule "shell" in allow');
  });

  it('refuse to start without a plugin that asks about unlocked files', async () => {
    const folder = testProject({ 'shallot.config.yaml': `unlock: ['.env*']\nplugins: [filesystem]\n` });
    await expect(agentOf(folder, [])).rejects.toMatchObject({
      code: 'PERMISSIONS_UNHEEDED',
      at: { file: join(folder, 'shallot.config.yaml'), line: 1, column: 1 },
      message: expect.stringContaining('`unlock`') as string,
    });
    const files = diskFiles(folder, { unlock: ['.env*'] });
    await expect(createAgent({ model: scriptedModel([]), files })).rejects.toThrow('`unlock`');
  });

  it('refuse to start without a plugin that evaluates them', async () => {
    const folder = testProject({
      'shallot.config.yaml': `permissions: { deny: [ls] }\nplugins: [filesystem]\n`,
    });
    await expect(agentOf(folder, [])).rejects.toMatchObject({
      code: 'PERMISSIONS_UNHEEDED',
      at: { line: 1, column: 1 },
    });
  });

  it('add up with those of a config that is extended', async () => {
    const folder = testProject({
      'base.yaml': `permissions: { deny: ['edit(keys/**)'], default: deny }\n`,
      'shallot.config.yaml': `extends: ./base.yaml${config(`  allow: ['edit(**)']\n  default: ask`)}`,
    });
    expect(
      await fates(folder, [
        ['write_file', { path: '/keys/a', content: '' }],
        ['write_file', { path: '/a', content: '' }],
        ['ls', {}],
      ]),
    ).toEqual(['denied: the rule "edit(keys/**)" denies it', 'executed', 'asked about ls']);
  });
});
