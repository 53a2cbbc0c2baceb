import { expect, test } from 'vitest';

import { makeProject, modelModule } from '../../test/test-project.ts';
import { loadPluginOptions } from './load-plugin-options.ts';
import { offlineModel } from './offline-model.ts';

test('what a config says of a plugin is read without anything that it names', async () => {
  const project = makeProject({
    'notes/a.md': 'x',
    'base.yaml': 'plugins: [{ use: "@shallot/plugin-skills", options: { sources: [a] } }]',
    'shallot.config.yaml': [
      'extends: ./base.yaml',
      'model: ./no-model.ts',
      'settings: { headers: { key: { $env: NOT_SET } } }',
      'files: ./notes',
      'plugins:',
      '  - use: skills',
      '    id: more',
      '    options: { sources: [{ $env: WHERE }] }',
      '  - { use: skills, id: off, enabled: false }',
      '  - memory',
      '  - { use: ./skills.ts }',
    ].join('\n'),
  });
  const { entries, files, path, env } = await loadPluginOptions('skills', {
    cwd: project.directory,
    env: { WHERE: 'b' },
  });
  expect(entries).toMatchObject([
    { id: 'skills', options: { sources: ['a'] }, directory: project.directory },
    { id: 'more', options: { sources: ['b'] }, directory: project.directory },
  ]);
  expect(env).toEqual({ WHERE: 'b' });
  expect(path).toBe(`${project.directory}/shallot.config.yaml`);
  expect(await files.readText('/a.md')).toMatchObject({ text: 'x' });
});

test('what a plugin takes from the environment has to be there', async () => {
  const project = makeProject({
    'shallot.config.yaml': 'plugins: [{ use: skills, options: { a: { $env: NOT_SET } } }]',
  });
  await expect(loadPluginOptions('skills', { cwd: project.directory, env: {} })).rejects.toMatchObject({
    code: 'CONFIG_ENV',
  });
});

test('what a plugin names as a model is made from the directory of its entry, and a model is itself', async () => {
  const project = makeProject({
    'base/base.yaml': 'plugins: [skills]',
    'base/model.mjs': modelModule,
    'shallot.config.yaml': 'extends: ./base/base.yaml',
  });
  const { entries } = await loadPluginOptions('skills', { cwd: project.directory, env: {} });
  expect(await entries[0]?.resolveModel('./model.mjs')).toMatchObject({ id: 'test/model' });
  expect(await entries[0]?.resolveModel(offlineModel)).toBe(offlineModel);
});
