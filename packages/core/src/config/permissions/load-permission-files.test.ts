import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { brief, errorOf, makeProject, type TestProject } from '../../../test/test-project.ts';
import { loadConfig } from '../load-config.ts';
import { loadPermissionFiles } from './load-permission-files.ts';

const own = '.config/shallot/permissions.yaml';

/** A project in the home directory of a person. */
function projectAtHome(files: Readonly<Record<string, string>>, config = ''): TestProject {
  const project = makeProject({ 'shallot.config.yaml': `model: offline\n${config}`, ...files });
  vi.stubEnv('HOME', project.directory);
  onTestFinished(() => void vi.unstubAllEnvs());
  return project;
}

async function load(project: TestProject) {
  return loadPermissionFiles(await loadConfig({ cwd: project.directory }));
}

describe('the permissions of a person', () => {
  it('are read from their home directory', async () => {
    const project = projectAtHome({
      [own]: 'ask: [shell]\ndeny: [edit]\nmaxMode: read-only\n',
      '.shallot/permissions.yaml': 'allow: [read]\n',
    });
    const { person, project: kept, unlocked } = await load(project);
    expect(person).toEqual({
      from: project.path(own),
      ask: ['shell'],
      deny: ['edit'],
      maxMode: 'read-only',
    });
    expect(kept?.list()).toEqual(['read']);
    expect(unlocked).toEqual([]);
  });

  it('are absent without a file, and empty in an empty one', async () => {
    expect(await load(projectAtHome({}, 'unlock: [.env*]\n'))).toMatchObject({ unlocked: ['.env*'] });
    expect(await load(projectAtHome({}))).not.toHaveProperty('person');
    const project = projectAtHome({ [own]: '' });
    expect((await load(project)).person).toEqual({ from: project.path(own), ask: [], deny: [] });
  });

  it.each([
    ['[shell]\n', ['CONFIG_INVALID .config/shallot/permissions.yaml:1:1 The file is ["shell"]; write an ']],
    [
      'ask: [shell]\naks: [edit]\n',
      ['CONFIG_INVALID .config/shallot/permissions.yaml:2:6 There is no key "aks"; did you mean "ask"?'],
    ],
    [
      'deny: [5, "edit("]\nallow: [edit]\ndefault: ask\n',
      [
        'CONFIG_INVALID .config/shallot/permissions.yaml:1:8 deny[0] is 5; ',
        'CONFIG_INVALID .config/shallot/permissions.yaml:1:11 deny[1] is "edit("; ',
        'CONFIG_INVALID .config/shallot/permissions.yaml:2:8 allow is ["edit"]; write nothing: rules of a person only narrow.',
        'CONFIG_INVALID .config/shallot/permissions.yaml:3:10 default is "ask"; write nothing: rules of a person only narrow.',
      ],
    ],
  ])('are refused as a whole if they are not valid: %j', async (text, expected) => {
    const project = projectAtHome({ [own]: text });
    expect(brief(project, await errorOf(load(project)))).toEqual(
      expected.map((start) => expect.stringContaining(start) as string),
    );
  });

  it('are refused in something that is no file', async () => {
    const project = projectAtHome({ [`${own}/deep`]: '' });
    expect(brief(project, await errorOf(load(project)))).toEqual([
      expect.stringMatching(
        /^CONFIG_INVALID \.config\/shallot\/permissions\.yaml .* is not a regular file\./,
      ),
    ]);
  });
});
