import { mkdirSync, symlinkSync } from 'node:fs';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { brief, errorOf, makeProject } from '../../../test/test-project.ts';
import { findConfig } from './find-config.ts';

describe('findConfig', () => {
  it.each([
    'shallot.config.yaml',
    'shallot.config.yml',
    'shallot.config.json',
    'shallot.config.ts',
    'shallot.config.mts',
    'shallot.config.js',
    'shallot.config.mjs',
    '.shallotrc',
    '.shallotrc.yaml',
    '.shallotrc.yml',
    '.shallotrc.json',
    '.shallotrc.ts',
    '.shallotrc.mts',
    '.shallotrc.js',
    '.shallotrc.mjs',
  ])('finds %s without running it', async (name) => {
    const project = makeProject({ [name]: 'throw new Error("was run")' });
    expect(await findConfig(project.directory)).toBe(project.path(name));
  });

  it('finds the config in a package.json', async () => {
    const project = makeProject({
      'package.json': '{ "name": "app", "shallot": { "model": "./model.ts" } }',
    });
    expect(await findConfig(project.directory)).toBe(project.path('package.json'));
  });

  it('takes what a plugin says of itself in its package.json for no config', async () => {
    const project = makeProject({
      'shallot.config.yaml': '',
      'plugin/package.json': '{ "shallot": { "plugin": "audit", "api": "^1.0.0" } }',
    });
    expect(await findConfig(project.path('plugin'))).toBe(project.path('shallot.config.yaml'));
  });

  it('looks in the directories above, and stops at the nearest', async () => {
    const project = makeProject({
      'shallot.config.yaml': 'name: outer',
      'app/shallot.config.yaml': 'name: inner',
      'app/package.json': '{ "name": "app" }',
      'app/src/deep/index.js': '',
    });
    expect(await findConfig(project.path('app/src/deep'))).toBe(project.path('app/shallot.config.yaml'));
  });

  it('looks in the home directory, and no further', async () => {
    const project = makeProject({ 'shallot.config.yaml': '', 'home/app/a.md': '', 'home/tea/a.md': '' });
    vi.stubEnv('HOME', project.path('home'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const missing = await errorOf(findConfig(project.path('home/app')));
    expect(missing).toMatchObject({ code: 'CONFIG_NOT_FOUND' });
    project.write({ 'home/shallot.config.yaml': '' });
    expect(await findConfig(project.path('home/app'))).toBe(project.path('home/shallot.config.yaml'));
    expect(await findConfig(project.path('home'))).toBe(project.path('home/shallot.config.yaml'));
    vi.stubEnv('HOME', project.path('home/app'));
    expect(await errorOf(findConfig(project.path('home/app')))).toMatchObject({ code: 'CONFIG_NOT_FOUND' });
  });

  it('stops at an empty file instead of going on to another directory', async () => {
    const project = makeProject({ 'shallot.config.yaml': 'name: outer', 'app/shallot.config.yaml': '\n' });
    expect(await findConfig(project.path('app'))).toBe(project.path('app/shallot.config.yaml'));
  });

  it('refuses two config files in one directory, and names both', async () => {
    const project = makeProject({ 'shallot.config.yaml': '', '.shallotrc.json': '{}' });
    const error = await errorOf(findConfig(project.directory));
    expect(brief(project, error)).toEqual([
      'CONFIG_AMBIGUOUS shallot.config.yaml . has more than one config: shallot.config.yaml, .shallotrc.json. ' +
        'Keep one, or name the file to use.',
    ]);
  });

  it('refuses a config file beside one in package.json', async () => {
    const project = makeProject({
      'shallot.config.ts': '',
      'package.json': '{ "shallot": { "name": "a" } }',
    });
    const error = await errorOf(findConfig(project.directory));
    expect(error.code).toBe('CONFIG_AMBIGUOUS');
    expect(error.message).toContain('shallot.config.ts, package.json (its "shallot")');
  });

  it('reports a file that cannot be read instead of passing over it', async () => {
    const project = makeProject({ 'shallot.config.yaml': '', 'app/package.json': '{}' });
    symlinkSync(project.path('nowhere.yaml'), project.path('app/shallot.config.yaml'));
    const error = await errorOf(findConfig(project.path('app')));
    expect(brief(project, error)).toEqual([
      expect.stringMatching(
        /^CONFIG_NOT_FOUND app\/shallot\.config\.yaml shallot\.config\.yaml exists but cannot be read: ENOENT.*Make it readable, or remove it\.$/,
      ),
    ]);
  });

  it('passes over directories with such names', async () => {
    const project = makeProject({ 'shallot.config.yaml': '' });
    mkdirSync(project.path('app/.shallotrc'), { recursive: true });
    expect(await findConfig(project.path('app'))).toBe(project.path('shallot.config.yaml'));
  });

  it('says where it looked, and which file has an ending that is not read', async () => {
    const project = makeProject({ 'shallot.config.cjs': 'module.exports = {}' });
    const error = await errorOf(findConfig(project.directory));
    expect(brief(project, error)).toEqual([
      'CONFIG_NOT_FOUND shallot.config.cjs No config file was found in . or above it (shallot.config.cjs exists, but ".cjs" is not a ' +
        'supported extension). Write a shallot.config.yaml, or name the file to use.',
    ]);
  });

  it('leaves a package.json alone that is none of its business', async () => {
    const project = makeProject({ 'shallot.config.yaml': '', 'app/package.json': '{ broken' });
    expect(await findConfig(project.path('app'))).toBe(project.path('shallot.config.yaml'));
  });

  it.each(['shallot.yaml', 'shallotrc.json', 'Shallot.Config.yml', '.shallot.ts'])(
    'proposes to rename %s, which is there',
    async (name) => {
      const project = makeProject({ [name]: 'name: a', '.shallot/sessions.db': '' });
      const [error] = brief(project, await errorOf(findConfig(project.directory)));
      expect(error).toContain(
        `(${name} exists: rename it to shallot.config.${name.split('.').at(-1) ?? ''})`,
      );
    },
  );

  describe('beside a package.json that cannot be parsed', () => {
    async function found(files: Readonly<Record<string, string>>, directory = ''): Promise<string> {
      const project = makeProject(files);
      const cwd = process.cwd();
      // cosmiconfig reads settings of its own from the working directory.
      process.chdir(project.path(directory));
      try {
        return (await findConfig(project.path(directory))).replace(`${project.directory}/`, '');
      } finally {
        process.chdir(cwd);
      }
    }

    it('finds the config all the same', async () => {
      const broken = '{ "dependencies": { "shallot": "^0.1.0", } }';
      expect(await found({ 'package.json': broken, 'shallot.config.yaml': '' })).toBe('shallot.config.yaml');
      expect(await found({ 'shallot.config.yaml': '', 'a/package.json': broken }, 'a')).toBe(
        'shallot.config.yaml',
      );
      await expect(found({ 'package.json': broken })).rejects.toMatchObject({ code: 'CONFIG_NOT_FOUND' });
    });

    it('says that the settings of cosmiconfig stop the search', async () => {
      const settings = { '.config/config.yaml': 'cosmiconfig: [', 'a/b.md': '' };
      await expect(found({ ...settings, 'package.json': '{}' })).rejects.toThrow(
        /^The search for a config failed: .*Name the config file to use\.$/s,
      );
      await expect(found(settings)).rejects.toThrow('The search for a config failed: ');
      expect(await found({ ...settings, 'shallot.config.yaml': '' })).toBe('shallot.config.yaml');
      await expect(found({ '.config/config.mjs': '' })).rejects.toThrow(
        'would load .config/config.mjs as settings of cosmiconfig',
      );
    });

    it('takes that for the config when it holds one, so that its fault is told', async () => {
      const files = { 'package.json': '{ "shallot": { "model": "./m.ts", } }' };
      expect(await found(files)).toBe('package.json');
    });
  });
});
