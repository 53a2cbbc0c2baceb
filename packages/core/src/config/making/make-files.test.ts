import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { brief, errorOf, makeProject, type TestProject } from '../../../test/test-project.ts';
import { memoryFiles } from '../../files/memory-files.ts';
import { sessionDirectories } from '../../files/session-place.ts';
import { loadConfig } from '../load-config.ts';
import { doubtsAboutFiles, filesInDirectories, filesMaker, unlockedFiles } from './make-files.ts';

function projectWith(config: string, files: Readonly<Record<string, string>> = {}): TestProject {
  return makeProject({ 'shallot.config.yaml': `model: offline\n${config}\n`, ...files });
}

describe('the files of directories', () => {
  it('are opened once, except through others, which are asked each time', async () => {
    const project = projectWith('', { 'a/x.md': 'here' });
    const open = filesInDirectories(await loadConfig({ cwd: project.directory }));
    const root = project.path('a');
    const plain = open?.(root);
    expect(open?.(root)).toBe(plain);
    expect(open?.(project.directory)).not.toBe(plain);
    expect(await plain?.stat('/x.md')).toMatchObject({ size: 4 });
    expect(await open?.(root, () => memoryFiles()).stat('/x.md')).toBeUndefined();
  });

  it.each([
    ['files: ./a', true],
    ['files: memory', false],
    ['files: { use: ./files.mjs }', false],
  ])('are opened only if the files are a directory: %s', async (config, isOpen) => {
    const loaded = await loadConfig({ cwd: projectWith(config).directory });
    expect(filesInDirectories(loaded) !== undefined).toBe(isOpen);
  });
});

describe('the files of a config', () => {
  it.each([
    ['', 'config'],
    ['files: ./notes', 'notes'],
  ])('are those of its directory, or of another one: %s', async (config, found) => {
    const project = projectWith(config, { 'where.md': 'config', 'notes/where.md': 'notes' });
    const files = await filesMaker(await loadConfig({ cwd: project.directory }))();
    expect((await files.readText('/where.md')).text).toBe(found);
  });

  it('may be in memory', async () => {
    const loaded = await loadConfig({ cwd: projectWith('files: memory', { 'a.md': '' }).directory });
    expect(await (await filesMaker(loaded)()).stat('/a.md')).toBeUndefined();
  });

  it('keep what plugins write for sessions beside the config', async () => {
    const project = projectWith('files: ./notes');
    const files = await filesMaker(await loadConfig({ cwd: project.directory }))();
    await files.write(`/${sessionDirectories[0]}/a.md`, 'kept');
    expect(readFileSync(project.path(`.shallot/${sessionDirectories[0]}/a.md`), 'utf8')).toBe('kept');
  });

  it.each([
    ['files: ./notes', true],
    ['', true],
    ['files: memory', false],
    ['files: { use: ./files.mjs }', false],
  ])('are unlocked only in a directory: %s', async (config, isAllowed) => {
    const project = projectWith(`${config}\nunlock: [.env*]`, { '.env': 'A=1', 'notes/.env': 'A=1' });
    const loaded = await loadConfig({ cwd: project.directory });
    const text = Promise.resolve()
      .then(() => filesMaker(loaded)())
      .then((files) => files.readText('/.env'))
      .then(({ text: read }) => read);
    const shown = isAllowed ? text : errorOf(text).then((error) => brief(project, error));
    expect(String(await shown)).toMatch(
      isAllowed ? /^A=1$/ : /^CONFIG_INVALID shallot.config.yaml:3:1 unlock opens files/,
    );
  });
});

describe('doubts about files', () => {
  const doubts = async (project: TestProject): Promise<string[]> => {
    const { merged } = await loadConfig({ cwd: project.directory });
    return doubtsAboutFiles(merged.files).flatMap((error) => brief(project, error));
  };

  it.each(['', 'files: memory', 'files: { use: ./files.mjs }', 'files: ./notes', 'files: ./.shallot'])(
    'are none for %j',
    async (config) => {
      expect(await doubts(projectWith(config, { 'notes/a.md': '' }))).toEqual([]);
    },
  );

  it.each<[string, string[]]>([
    ['./.shallot/files', []],
    ['./.shallot-files', ['If you meant another directory, fix the path.']],
    ['./ntoes', ['Did you mean notes?']],
    ['./gone/deep', ['If you meant another directory, fix the path.']],
  ])('are raised about a missing directory, unless the agent creates it: %s', async (path, advice) => {
    const project = projectWith(`files: ${path}`, { 'notes/a.md': '' });
    const message = `FILE_NOT_FOUND shallot.config.yaml:2:8 files is "${path}", which does not exist; it is created when the first file is written.`;
    expect(await doubts(project)).toEqual(advice.map((each) => `${message} ${each}`));
  });

  it('are errors about a file in the place of a directory', async () => {
    const project = projectWith('files: ./notes', { notes: '' });
    expect(brief(project, await errorOf(doubts(project)))).toEqual([
      'CONFIG_INVALID shallot.config.yaml:2:8 files is "./notes", which is not a directory. Write the path of a directory.',
    ]);
  });

  it('name the protected files that are unlocked', async () => {
    const warnings = async (config: string): Promise<string[]> => {
      const project = projectWith(config);
      const { merged } = await loadConfig({ cwd: project.directory });
      return unlockedFiles(merged.unlock).flatMap((error) => brief(project, error));
    };
    expect(await warnings('')).toEqual([]);
    expect(await warnings('unlock: []')).toEqual([]);
    expect(await warnings('unlock: [.env*, .git]')).toEqual([
      'FILE_UNLOCKED shallot.config.yaml:2:9 unlock opens protected files to plugins and tools: .env*, .git.',
    ]);
  });
});
