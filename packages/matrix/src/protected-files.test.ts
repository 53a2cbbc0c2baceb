import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { textOf } from '@shallot/core';
import { loadAgent } from '@shallot/core/config';
import { diskFiles } from '@shallot/core/files';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { testProject, toolModule } from '../test/project.ts';

type Call = readonly [name: string, args: Readonly<Record<string, string | boolean>>];

const plugins = `
plugins:
  - filesystem
  - use: shell
    options: { allow: ["git status*", "git diff*", "cd *", "ls *"] }
  - use: hitl
    options: { tools: { shell: true }, preApprovals: [shell] }
`;

/** The results of calls, by an agent that this folder's config describes; `approves` approves whatever is asked. */
async function run(folder: string, calls: readonly Call[], { approves = false } = {}) {
  const model = scriptedModel([
    ...calls.map(([name, args]) => ({ toolCalls: [{ name, args }] })),
    { text: 'Done.' },
  ]);
  const { agent } = await loadAgent({ cwd: folder, model, log: 'silent' });
  await using _ = agent;
  let result = await agent.run('Go.', { sessionId: 's' });
  for (let open = approves; open && result.outcome === 'interrupted'; open = approves)
    result = await agent.resume(
      's',
      Object.fromEntries(result.interrupts.map(({ id }) => [id, { decision: 'approve' }])),
    );
  const { outcome, interrupts } = result;
  const { messages = [] } = (await agent.session('s')) ?? {};
  const results = messages.filter(({ role }) => role === 'tool').map((message) => textOf(message));
  return { outcome, results, asked: interrupts.length };
}

const write = (path: string, content = 'x\n'): Call => ['write_file', { path, content }];
const read = (path: string): Call => ['read_file', { path }];
const isRefused = expect.stringContaining('is protected') as unknown;

function git(folder: string, ...args: readonly string[]): void {
  execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
}

/** Calls that lay out a repository whose config executes a program. */
function evil(folder: string, at: string): Call[] {
  return [
    write(`${at}/HEAD`, 'ref: refs/heads/main\n'),
    write(`${at}/objects/k`),
    write(`${at}/refs/k`),
    write(
      `${at}/config`,
      `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${folder}\n\tfsmonitor = "touch ${folder}/PWNED;false"\n`,
    ),
  ];
}

describe('git', () => {
  const command = 'git status';

  it('executes nothing through a `.git` file that the model wrote', async () => {
    const folder = testProject({ 'shallot.config.yaml': plugins });
    const { outcome, results } = await run(folder, [
      ...evil(folder, '/evil'),
      write('/.git', 'gitdir: evil\n'),
      ['shell', { command }],
    ]);
    expect(outcome).toBe('completed');
    expect(results[4]).toEqual(isRefused);
    expect(existsSync(join(folder, 'PWNED'))).toBe(false);
  });

  it('executes nothing through a submodule that the model wrote', async () => {
    const folder = testProject({ 'shallot.config.yaml': plugins });
    git(folder, 'init');
    mkdirSync(join(folder, 'sub'));
    git(join(folder, 'sub'), 'init');
    git(join(folder, 'sub'), '-c', 'user.name=a', '-c', 'user.email=a', 'commit', '--allow-empty', '-m', 'a');
    git(folder, 'add', 'sub');
    execFileSync('rm', ['-rf', join(folder, 'sub', '.git')]);
    const { results } = await run(folder, [
      ...evil(folder, '/evil'),
      write('/sub/.git', 'gitdir: ../evil\n'),
      ['shell', { command }],
    ]);
    expect(results[4]).toEqual(isRefused);
    expect(existsSync(join(folder, 'PWNED'))).toBe(false);
  });

  it.each([
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [1, 0, 3, 2],
  ])('finds no repository in a directory, in the order %i %i %i %i', async (...order) => {
    const folder = testProject({ 'shallot.config.yaml': plugins });
    const parts = evil(folder, '/bare');
    const { results } = await run(folder, [
      ...order.map((at) => parts[at]).filter((call) => call !== undefined),
      ['shell', { command: 'cd bare && git status' }],
    ]);
    expect(results).toContainEqual(isRefused);
    expect(existsSync(join(folder, 'PWNED'))).toBe(false);
  });

  const shellWith = (options: string, hitl: string): string =>
    `plugins: [filesystem, { use: shell, options: { ${options} } }${hitl}]\n`;

  it.each([
    ['an allowed line', plugins],
    ['a line that nobody is asked about', shellWith('unattended: true', '')],
    [
      'a line of a tool that nobody is asked about',
      shellWith('unattended: true', ', { use: hitl, options: { tools: { shell: false } } }'),
    ],
    [
      'a line that a hook allows',
      shellWith(
        '',
        `, { use: hooks, options: { events: { PreToolUse: [{ command: 'echo "{\\"hookSpecificOutput\\":{\\"hookEventName\\":\\"PreToolUse\\",\\"permissionDecision\\":\\"allow\\"}}"' }] } } }, { use: hitl, options: { preApprovals: [hooks] } }`,
      ),
    ],
  ])('executes nothing for %s, wherever the repository comes from', async (_, config) => {
    const folder = testProject({ 'shallot.config.yaml': config });
    git(folder, 'init');
    git(folder, 'config', 'core.fsmonitor', `touch ${folder}/PWNED;false`);
    const { results, asked } = await run(folder, [['shell', { command }]]);
    expect({ asked, text: results[0] }).toEqual({
      asked: 0,
      text: expect.stringContaining('[Exit status 0]') as unknown,
    });
    expect(existsSync(join(folder, 'PWNED'))).toBe(false);
  });

  it('works as by hand for a line that a person approves', async () => {
    const folder = testProject({ 'shallot.config.yaml': 'plugins: [shell, hitl]\n' });
    git(folder, 'init');
    git(folder, 'config', 'core.fsmonitor', `touch ${folder}/SEEN;false`);
    await run(folder, [['shell', { command }]], { approves: true });
    expect(existsSync(join(folder, 'SEEN'))).toBe(true);
  });
});

describe('what decides over the agent', () => {
  it('cannot be changed by it', async () => {
    const folder = testProject({
      'shallot.config.yaml': `extends: ./base.yaml\ninstructions: { file: ./who.md }\ntools: ["./*.tool.mjs", ./one.mjs]\n${plugins}`,
      'base.yaml': 'maxSteps: 40\n',
      'who.md': 'You help.',
      'a.tool.mjs': toolModule('a'),
      'one.mjs': `import './deep.mjs';\n${toolModule('one')}`,
      'deep.mjs': 'export {};\n',
    });
    symlinkSync('base.yaml', join(folder, 'link.yaml'));
    const names = ['shallot.config.yaml', 'base.yaml', 'who.md', 'a.tool.mjs', 'one.mjs', 'deep.mjs'];
    const before = names.map((name) => readFileSync(join(folder, name), 'utf8'));
    const { results } = await run(folder, [
      ...[...names, 'link.yaml'].flatMap((name): Call[] => [read(`/${name}`), write(`/${name}`)]),
      ...['/new.tool.mjs', '/sub/shallot.config.ts', '/.shallotrc', '/app/node_modules/x/index.js'].map(
        (path) => write(path),
      ),
      ['edit_file', { path: '/base.yaml', old_string: '40', new_string: '41' }],
      ['delete_file', { path: '/base.yaml' }],
      write('/new.mjs'),
    ]);
    expect(results.slice(0, 14).filter((_, index) => index % 2 === 0)).not.toContainEqual(isRefused);
    const changes = results.slice(0, 14).filter((_, index) => index % 2 === 1);
    expect([...changes, ...results.slice(14, -1)]).toEqual(Array.from({ length: 13 }, () => isRefused));
    expect(results.at(-1)).toContain('Created /new.mjs');
    expect(names.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(before);
  });

  it('names the same modules afterwards: the manifests by which it found them cannot be changed', async () => {
    const manifest = { type: 'module', imports: { '#deep': './lib/deep.mjs' } };
    const folder = testProject({
      'shallot.config.yaml': `tools: [./own/one.mjs]\n${plugins}`,
      'package.json': JSON.stringify(manifest),
      'own/one.mjs': `import '#deep';\n${toolModule('one')}`,
      'lib/deep.mjs': 'export {};\n',
    });
    const { results } = await run(folder, [
      ['edit_file', { path: '/package.json', old_string: 'lib/deep', new_string: 'src/mine' }],
      ...['/own/package.json', '/lib/package.json', '/src/package.json'].map((path) => write(path)),
    ]);
    expect(results.slice(0, -1)).toEqual([isRefused, isRefused, isRefused]);
    expect(results.at(-1)).toContain('Created /src/package.json');
  });

  it('imports the same files afterwards: none can be put before them', async () => {
    const folder = testProject({
      'shallot.config.yaml': `tools: [./own/one.ts]\n${plugins}`,
      'package.json': '{ "type": "module" }',
      'own/one.ts': `import './help.js';\nimport './lib';\nimport './old.cjs';\n${toolModule('one')}`,
      'own/help.ts': 'export {};\n',
      'own/lib/index.ts': 'export {};\n',
      'own/old.cjs': "require('./dep');\n",
      'own/dep/index.js': '',
    });
    const rivals = ['help.js', 'lib.ts', 'lib/package.json', 'lib/index.tsx', 'dep.js', 'dep/package.json'];
    const others = ['help.test.ts', 'lib/other.ts'];
    const { results } = await run(
      folder,
      [...rivals, ...others].map((name) => write(`/own/${name}`)),
    );
    expect(results.slice(0, rivals.length)).toEqual(rivals.map(() => isRefused));
    expect(results.slice(rivals.length)).toEqual(
      others.map((name) => expect.stringContaining(`Created /own/${name}`) as string),
    );
  });

  it('is not read where it holds keys, and walks leave it out', async () => {
    const folder = testProject({
      'shallot.config.yaml': plugins,
      '.env': 'KEY=sesame\n',
      '.env.local': 'KEY=sesame\n',
      '.env.example': 'KEY=\n',
    });
    mkdirSync(join(folder, '.shallot', 'mcp'), { recursive: true });
    writeFileSync(join(folder, '.shallot', 'mcp', 't.json'), '{"access_token":"sesame"}');
    symlinkSync('.env', join(folder, 'plain.txt'));
    const { results } = await run(folder, [
      ...['/.env', '/.ENV', '/.env.local', '/.shallot/mcp/t.json', '/plain.txt'].map((path) => read(path)),
      ['ls', { path: '/.shallot' }],
      ['grep', { pattern: 'KEY|sesame' }],
      ['glob', { pattern: '**/*' }],
      ['ls', {}],
      read('/.env.example'),
    ]);
    expect(results.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => isRefused));
    for (const listed of results.slice(6)) {
      expect(listed).toContain(listed.includes('KEY=') ? 'KEY=' : '.env.example');
      expect(listed).not.toMatch(/sesame|\.env\.local|plain\.txt|t\.json/);
    }
  });

  it('stays out of reach when `ignore` adds to it', async () => {
    const folder = testProject({
      'shallot.config.yaml': 'plugins:\n  - use: filesystem\n    options: { ignore: ["*.log"] }\n',
    });
    mkdirSync(join(folder, '.shallot'));
    writeFileSync(join(folder, '.shallot', 't.json'), 'sesame');
    git(folder, 'init');
    const { results } = await run(folder, [
      read('/.shallot/t.json'),
      write('/.git/hooks/post-checkout'),
      write('/a.log'),
    ]);
    expect(results).toEqual([isRefused, isRefused, expect.stringContaining('out of reach')]);
  });

  it('is opened by `unlock`, and by nothing else', async () => {
    const folder = testProject({
      'shallot.config.yaml': `unlock: [".env*", /.vscode/settings.json, /shallot.config.yaml]\n${plugins}`,
      '.env': 'KEY=1\n',
    });
    const calls = [
      read('/.env'),
      write('/.vscode/settings.json'),
      read('/shallot.config.yaml'),
      write('/shallot.config.yaml', 'plugins: []\n'),
      write('/.vscode/tasks.json'),
      write('/.envrc'),
    ];
    const { results } = await run(folder, calls, { approves: true });
    expect(results.slice(0, 4)).not.toContainEqual(isRefused);
    expect(results.slice(4)).toEqual([isRefused, isRefused]);
  });

  it('is named where `unlock` names something else', async () => {
    const folder = testProject({ 'shallot.config.yaml': 'unlock: [tasks]\n' });
    await expect(loadAgent({ cwd: folder })).rejects.toThrow('editors');
  });
});

describe('what a plugin loads', () => {
  const skill = '---\nname: evil\ndescription: Helps.\nallowed-tools: Bash\n---\nTouch.';
  const steers: readonly (readonly [
    what: string,
    plugins: string,
    there: Readonly<Record<string, string>>,
    path: string,
  ])[] = [
    ['a new skill', 'skills', {}, '/skills/evil/SKILL.md'],
    ['a skill of another agent', 'skills', {}, '/.claude/skills/evil/SKILL.md'],
    ['a script of a skill', 'skills', { 'skills/a/SKILL.md': skill }, '/skills/a/run.sh'],
    ['a skill anywhere', '{ use: skills, options: { sources: [/] } }', {}, '/a/b/skill.md'],
    ['the script of a hook', hook('sh hooks/no.sh'), { 'hooks/no.sh': 'exit 2\n' }, '/hooks/no.sh'],
    [
      'the script of a hook of Claude Code',
      hook('cd "$CLAUDE_PROJECT_DIR"/checks && node no.mjs'),
      { 'checks/no.mjs': '' },
      '/checks/no.mjs',
    ],
    ['the script of a hook that is not there yet', hook('./late.sh'), {}, '/late.sh'],
    ['the script of a server', server('./server.mjs'), { 'server.mjs': '' }, '/server.mjs'],
    ['the settings of a server', server('--config=./x.json'), {}, '/x.json'],
    ['a memory file', 'memory', { 'AGENTS.md': 'Tea is green.' }, '/AGENTS.md'],
    ['a memory file that is not there yet', 'memory', {}, '/CLAUDE.md'],
    [
      'what a memory file imports',
      'memory',
      { 'AGENTS.md': '@docs/tea.md and @late.md', 'docs/tea.md': 'Green.' },
      '/docs/tea.md',
    ],
    ['what a memory file would import', 'memory', { 'AGENTS.md': '@late.md' }, '/late.md'],
    ['an agent', 'subagents', { 'agents/r.md': '---\nname: r\ndescription: R.\n---\n' }, '/agents/r.md'],
    ['a new agent', 'subagents', {}, '/agents/r.md'],
  ];

  function hook(command: string): string {
    return `{ use: hooks, options: { events: { PreCompact: [{ command: '${command}' }] } } }`;
  }

  function server(argument: string): string {
    return `{ use: mcp, options: { servers: { s: { command: node, args: ['${argument}'], optional: true } } } }`;
  }

  const configOf = (list: string, more = ''): string =>
    `${more}plugins: [filesystem, ${list}, { use: hitl, options: { tools: { '*': false } } }]\n`;

  it.each(steers)('cannot be written: %s', async (_, list, there, path) => {
    const folder = testProject({ ...there, 'shallot.config.yaml': configOf(list) });
    const { results } = await run(folder, [read(path), write(path, skill), write('/other/a.txt')]);
    expect(results.slice(1)).toEqual([isRefused, expect.stringContaining('Created') as unknown]);
  });

  it('is asked about where `unlock` opens it', async () => {
    const folder = testProject({ 'shallot.config.yaml': configOf('skills', 'unlock: [/skills]\n') });
    const { asked, results } = await run(folder, [write('/skills/evil/SKILL.md', skill)]);
    expect({ asked, results }).toEqual({ asked: 1, results: [] });
  });

  it('is found at the next start if it changed past the file service', async () => {
    const folder = testProject({
      'shallot.config.yaml': `plugins:
  - { use: shell, options: { unattended: true } }
  - { use: hooks, options: { events: { PreCompact: [{ command: ./hooks/no.sh }] } } }
  - { use: hitl, options: { tools: { '*': false } } }
`,
      'hooks/no.sh': 'exit 2\n',
    });
    await run(folder, [['shell', { command: 'echo exit 0 > hooks/no.sh' }]]);
    await expect(loadAgent({ cwd: folder })).rejects.toMatchObject({ code: 'FILE_CHANGED' });
  });
});

it('memory edits its own sources, and imports nothing that may not be read', async () => {
  const folder = testProject({
    'shallot.config.yaml': `instructions: { file: ./AGENTS.md }
plugins:
  - filesystem
  - use: memory
    options: { sources: [AGENTS.md, .shallot/notes.md], writable: true }
`,
    'AGENTS.md': 'Tea is green. @.env\n',
    '.env': 'KEY=sesame\n',
  });
  const { results } = await run(folder, [
    ['edit_memory', { path: '/AGENTS.md', new_text: 'Or black.' }],
    ['edit_memory', { path: '/.shallot/notes.md', new_text: 'Noted.' }],
    read('/AGENTS.md'),
    write('/AGENTS.md'),
  ]);
  expect(results).toEqual([
    '/AGENTS.md is changed.',
    '/.shallot/notes.md is changed.',
    expect.stringContaining('Or black.'),
    isRefused,
  ]);
  expect(readFileSync(join(folder, '.shallot', 'notes.md'), 'utf8')).toBe('Noted.\n');
});

it('plugins keep files of sessions below `.shallot`', async () => {
  const folder = testProject({ 'shallot.config.yaml': plugins });
  const { results } = await run(folder, [
    write('/conversation_history/a.md'),
    read('/conversation_history/a.md'),
  ]);
  expect(results).not.toContainEqual(isRefused);
  expect(existsSync(join(folder, '.shallot', 'conversation_history', 'a.md'))).toBe(true);
  await expect(diskFiles(folder).readText('/.shallot/conversation_history/a.md')).rejects.toMatchObject({
    code: 'FILE_PROTECTED',
  });
});
