import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { isShallotError } from '../../base/errors.ts';
import { diskFiles } from '../disk-files.ts';
import { collectSources, protectFile, protectGlob } from './loaded-files.ts';
import { protectCommand } from './protect-command.ts';
import { bareRepository, loadedFile, protectedNames } from './protected-names.ts';

/** A directory with these files, each of which holds its own path. */
function rootWith(...paths: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'shallot-protected-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  return root;
}

const refused = { code: 'FILE_PROTECTED' };

/** Returns a letter for each way in which a path can be used: read, write, append, delete. */
async function allowed(root: string, path: string, unlock: readonly string[] = []): Promise<string> {
  const files = diskFiles(root, { unlock });
  const ways = [
    ['r', () => files.stat(path)],
    ['w', () => files.write(path, 'x')],
    ['a', () => files.append(path, 'x')],
    ['d', () => files.remove(path)],
  ] as const;
  let done = '';
  for (const [letter, way] of ways) {
    try {
      await way();
      done += letter;
    } catch (error) {
      if (!isShallotError(error, 'FILE_PROTECTED')) throw error;
    }
  }
  return done;
}

it('A package.json gets no config of an agent, and keeps the one that it has', async () => {
  const root = rootWith('a/x', 'b/x');
  const config = { shallot: { model: './mine.ts' } };
  writeFileSync(join(root, 'b/package.json'), JSON.stringify(config));
  const files = diskFiles(root);
  const write = (path: string, content: object | string) =>
    files.write(path, typeof content === 'string' ? content : JSON.stringify(content));
  for (const path of ['/package.json', '/a/PACKAGE.json'])
    await expect(write(path, { name: 'a', ...config })).rejects.toMatchObject(refused);
  await expect(write('/a/package.json', '{ "shallot": {')).rejects.toMatchObject(refused);
  await expect(write('/b/package.json', { shallot: { model: './x.ts' } })).rejects.toMatchObject(refused);
  await write('/b/package.json', { ...config, scripts: { test: 'vitest' } });
  await write('/a/package.json', { name: 'a', shallot: { api: '^1', plugin: './a.js' } });
  await write('/a/x.json', config);
  await files.write('/package.json', '{ "shallot"');
  await expect(files.append('/package.json', ': { "model": "./x.ts" } }')).rejects.toMatchObject(refused);
});

it.each([
  ['/.env', ''],
  ['/a/.env.local', ''],
  ['/.ENV', ''],
  ['/.e\u200bnv', ''],
  ['/.en\uff56', ''],
  ['/.env.example', 'rwad'],
  ['/.env.example.local', ''],
  ['/env', 'rwad'],
  ['/.envrc', ''],
  ['/.git', ''],
  ['/.Git/hooks/pre-commit', ''],
  ['/a/.git/config', ''],
  ['/.gitignore', 'rwad'],
  ['/.github/workflows/ci.yml', 'rwad'],
  ['/.shallot/mcp/t.json', ''],
  ['/.shallotrc.json', 'r'],
  ['/a/shallot.config.mts', 'r'],
  ['/.mcp.json', 'r'],
  ['/.husky/pre-commit', 'r'],
  ['/lefthook.yml', 'r'],
  ['/.pre-commit-config.yaml', 'r'],
  ['/.vscode/tasks.json', 'r'],
  ['/app.code-workspace', 'r'],
  ['/.devcontainer/devcontainer.json', 'r'],
  ['/.bashrc', 'r'],
  ['/.ssh/config', ''],
  ['/.gitconfig', 'r'],
  ['/.config/git/config', 'r'],
  ['/.config/a.json', 'rwad'],
  ['/.claude/settings.local.json', 'r'],
  ['/.claude/skills/tea/SKILL.md', 'rwad'],
  ['/node_modules/a/index.js', 'r'],
  ['/AGENTS.md', 'rwad'],
])('of %s, tools may do %j', async (path, can) => {
  const root = rootWith('a/b.txt');
  expect(await allowed(root, path)).toBe(can);
  expect(existsSync(join(root, path))).toBe(false);
});

it('holds where a link leads, and for the link', async () => {
  const root = rootWith('.git/config', 'shallot.config.yaml');
  for (const [name, target] of [
    ['file', '.git/config'],
    ['dir', '.git'],
    ['late', '.husky/new'],
    ['config', 'shallot.config.yaml'],
  ] as const)
    symlinkSync(target, join(root, name));
  const files = diskFiles(root);
  await expect(files.readText('/file')).rejects.toMatchObject(refused);
  await expect(files.readText('/dir/missing')).rejects.toMatchObject(refused);
  for (const path of ['/file', '/dir/new', '/dir/new/deep', '/late', '/late/deep', '/config'])
    await expect(files.write(path, 'x')).rejects.toMatchObject(refused);
  for (const path of ['/file', '/config']) await expect(files.remove(path)).rejects.toMatchObject(refused);
  expect(existsSync(join(root, '.husky'))).toBe(false);
  expect((await files.list('/', { recursive: true, all: true })).map(({ path }) => path)).toEqual([
    '/config',
    '/late',
    '/shallot.config.yaml',
  ]);
});

it('keeps a directory that holds a protected file, with all that is in it', async () => {
  const root = rootWith('a/b/c.txt', 'a/b/.git', 'a/z.txt');
  await expect(diskFiles(root).remove('/a', { recursive: true })).rejects.toMatchObject(refused);
  expect(readFileSync(join(root, 'a/b/c.txt'), 'utf8')).toBe('a/b/c.txt');
  expect(await diskFiles(root, { unlock: ['.git'] }).remove('/a', { recursive: true })).toBe(true);
});

describe('what git would take for a repository', () => {
  it.each([
    [['a/objects/x', 'a/refs/x'], '/a/HEAD'],
    [['a/objects/x', 'a/HEAD'], '/a/refs/x'],
    [['a/refs/x', 'a/HEAD'], '/a/objects/pack/x'],
    [['a/HEAD'], '/a/commondir'],
    [['a/commondir'], '/a/head'],
    [['a/HEAD', 'a/refs/x', 'a/objects/x'], '/a/config'],
    [['HEAD', 'refs/x'], '/objects/x'],
  ])('of %j cannot be made or changed by %s', async (there, path) => {
    expect(await allowed(rootWith(...there), path)).toBe('r');
    expect(await allowed(rootWith(...there), path, ['bare-repository'])).toBe('rwad');
  });

  it('needs all of its parts', async () => {
    for (const path of ['/a/HEAD', '/a/objects/x', '/a/refs/x'])
      expect(await allowed(rootWith('a/objects/y', 'b/refs/x', 'b/HEAD'), path)).toBe('rwad');
  });
});

describe('what an agent was made from', () => {
  it('cannot be changed, by its name, through a link, or by a new file that a glob fits', async () => {
    const root = rootWith('real/who.md', 'tools/a.ts', 'deep/b/c.tool.ts');
    symlinkSync('real/who.md', join(root, 'who.md'));
    protectFile(join(root, 'who.md'));
    protectFile(join(root, 'late.json'));
    protectGlob(root, './tools/*.ts');
    protectGlob(root, './deep/**/[a-c].{tool,x}.ts');
    protectGlob(root, 'skills/**', 'state');
    protectGlob(root, '**/skill.md', 'state');
    for (const path of [
      '/who.md',
      '/real/who.md',
      '/late.json',
      '/tools/new.ts',
      '/Tools/NEW.ts',
      '/deep/a.tool.ts',
      '/deep/x/y/b.tool.ts',
      '/skills',
      '/skills/a/b.txt',
      '/any/where/SKILL.md',
    ])
      expect([path, await allowed(root, path)]).toEqual([path, 'r']);
    for (const path of ['/tools/new.md', '/tools/deep/new.ts', '/deep/a.ts', '/other/who.md', '/skills2/a'])
      expect([path, await allowed(root, path)]).toEqual([path, 'rwad']);
    expect(await allowed(root, '/tools/new.ts', ['loaded'])).toBe('rwad');
  });
});

it('a protected directory is not listed, and what is refused is named with its reason', async () => {
  const root = rootWith('.git/config', 'a/.ssh/key', 'a/b.md');
  symlinkSync('.git', join(root, 'link'));
  const files = diskFiles(root);
  for (const path of ['/.git', '/link', '/a/.ssh'])
    await expect(files.list(path)).rejects.toMatchObject(refused);
  for (const path of ['/.git', '/a/.ssh'])
    await expect(files.smallFiles?.(path)).rejects.toMatchObject(refused);
  expect((await files.list('/', { recursive: true })).map(({ path }) => path)).toEqual(['/a', '/a/b.md']);
  await expect(files.readText('/.git/config')).rejects.toThrow(
    '"/.git/config" is protected, and cannot be read by tools: git executes',
  );
  await expect(files.write('/link/config', 'x')).rejects.toThrow(
    '"/link/config" ("/.git/config") is protected, and cannot be changed by tools: git executes',
  );
  await expect(files.write('/.bashrc', 'x')).rejects.toThrow('can name "shells" or the path in `unlock`.');
});

describe('a command', () => {
  it('protects the code and the settings below a directory that its words name', async () => {
    const root = rootWith('hooks/check.sh', 'bin/run', 'data/a.db', 'src/a.ts');
    chmodSync(join(root, 'bin/run'), 0o755);
    const line = `cd hooks && ./check.sh "late one.py" --config=./c.json ; bin/run src data/a.db /usr/bin/env ../x.sh`;
    protectCommand(line, root);
    for (const path of ['/hooks/check.sh', '/late one.py', '/hooks/late one.py', '/c.json', '/bin/run'])
      expect([path, await allowed(root, path)]).toEqual([path, 'r']);
    const sources = await collectSources(async (found) => {
      protectCommand(line, root);
      return [...found.files].map((path) => path.slice(root.length)).toSorted();
    });
    // A program may write its settings.
    expect(sources).toEqual([
      '/bin/run',
      '/check.sh',
      '/hooks/check.sh',
      '/hooks/late one.py',
      '/late one.py',
      '/src/check.sh',
      '/src/late one.py',
      '/x.sh',
    ]);
    for (const path of ['/src/a.ts', '/data/a.db', '/hooks/other.sh', '/src/b.ts'])
      expect([path, await allowed(root, path)]).toEqual([path, 'rwad']);
  });

  it.each([
    ['linux', 'r'],
    ['win32', 'rwad'],
  ] as const)('is code by its mode on %s: a tool may %s it', async (platform, can) => {
    const root = rootWith('bin/run');
    chmodSync(join(root, 'bin/run'), 0o755);
    protectCommand('bin/run', root, platform);
    expect(await allowed(root, '/bin/run')).toBe(can);
  });
});

describe('unlock', () => {
  it('opens a name, a file, or a directory, and nothing else', async () => {
    const root = rootWith();
    const unlock = ['.env*', '/.vscode/settings.json', '/.idea/'];
    for (const [path, can] of [
      ['/.env', 'rwad'],
      ['/.envrc', 'r'],
      ['/.vscode/settings.json', 'rwad'],
      ['/.vscode/tasks.json', 'r'],
      ['/.vscode/settings.json.d/x', 'r'],
      ['/.idea/a/b', 'rwad'],
      ['/a/.idea/b', 'r'],
    ] as const)
      expect([path, await allowed(root, path, unlock)]).toEqual([path, can]);
    await expect(diskFiles(root, { unlock }).write('/.vscode', 'x')).rejects.toBeDefined();
  });

  it('tells which access it opens: that of no other', () => {
    const files = (unlock?: readonly string[]) => diskFiles('/srv', unlock === undefined ? {} : { unlock });
    expect([files().isUnlocked, files([]).isUnlocked]).toEqual([undefined, undefined]);
    const { isUnlocked } = files(['editors', '/.env']);
    for (const [path, access] of [
      ['/.vscode/tasks.json', '-w'],
      ['/.env', 'rw'],
      ['/.env.local', '--'],
      ['/.ssh/config', '--'],
      ['/a.md', '--'],
    ] as const) {
      const opened = (['read', 'write'] as const).map((way) => isUnlocked?.(path, way) === true);
      expect([path, ...opened]).toEqual([path, access.startsWith('r'), access.endsWith('w')]);
    }
  });

  it('opens the way to a path that is unlocked, and not what else is there', async () => {
    const root = rootWith();
    const files = diskFiles(root, { unlock: ['/.vscode/own/a.json'] });
    await files.write('/.vscode/own/a.json', 'x');
    await expect(files.write('/.idea/own/a.json', 'x')).rejects.toMatchObject(refused);
    await expect(files.write('/.vscode/own/b.json', 'x')).rejects.toMatchObject(refused);
    expect(existsSync(join(root, '.idea'))).toBe(false);
  });

  it.each(['tasks', '', '/', '.env', './a'])('refuses %j', (name) => {
    expect(() => diskFiles('/', { unlock: [name] })).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.stringContaining('editors, shells') as unknown,
      }) as Error,
    );
  });
});

it('is documented, each line with its reason', () => {
  const page = readFileSync(
    new URL('../../../../../docs/reference/protected-files.md', import.meta.url),
    'utf8',
  );
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const names = [...protectedNames, loadedFile, bareRepository];
  expect(rows.map(([, name, , why, read]) => [name, why, read])).toEqual(
    names.map(({ name, why, unreadable }) => [`\`${name}\``, why, unreadable ? 'no' : 'yes']),
  );
  for (const [index, { patterns, except = [] }] of names.entries()) {
    const found = [...(rows[index]?.[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, pattern]) => pattern);
    expect(patterns.length === 0 ? [] : found).toEqual([...patterns, ...except]);
  }
});

it('opens protected files to a plugin that names its own', async () => {
  const files = diskFiles(rootWith('.shallot/a'));
  const own = { own: true };
  expect(await files.readText('/.shallot/a', own)).toMatchObject({ text: '.shallot/a' });
  await files.append('/.shallot/log', 'x', own);
  await files.write('/.shallot/log', 'y', own);
  expect(await files.stat('/.shallot/log', own)).toMatchObject({ size: 1 });
  expect(await files.remove('/.shallot/log', own)).toBe(true);
});
