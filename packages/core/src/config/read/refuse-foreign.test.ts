import { chownSync, lchownSync, statSync, symlinkSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { brief, errorOf, makeProject } from '../../../test/test-project.ts';
import { loadConfig } from '../load-config.ts';
import { findConfig } from './find-config.ts';
import { refuseForeign } from './refuse-foreign.ts';

const isRoot = process.geteuid?.() === 0;

/** A file that is not root's, and its owner. */
function ownedFile(): { readonly file: string; readonly owner: number } {
  const file = makeProject({ 'shallot.config.yaml': 'model: a/b' }).path('shallot.config.yaml');
  if (isRoot) chownSync(file, 4711, 4711);
  return { file, owner: statSync(file).uid };
}

describe('a config that a search came upon', () => {
  it('may be the own one', () => {
    const { file, owner } = ownedFile();
    expect(() => refuseForeign(file, '/', owner)).not.toThrow();
  });

  it('may not be that of another user', () => {
    const { file, owner } = ownedFile();
    expect(() => refuseForeign(file, '/', owner + 1)).toThrow(
      `shallot.config.yaml belongs to the user ${owner}, not to you (${owner + 1}), root, or the owner of /`,
    );
  });

  it('may be root’s', () => {
    expect(() => refuseForeign('/', process.cwd(), 4712)).not.toThrow();
  });

  it('may belong to the owner of the directory where the search began', () => {
    const { file, owner } = ownedFile();
    const start = makeProject({ a: '' });
    if (isRoot) chownSync(start.directory, owner, owner);
    expect(() => refuseForeign(file, start.directory, owner + 1)).not.toThrow();
  });

  // Only root can give a file away.
  describe.runIf(isRoot)('and was planted above', () => {
    it('is refused with the way out, and read when it is named', async () => {
      const project = makeProject({ 'shallot.config.yaml': 'model: a/b', 'app/a.txt': '' });
      const file = project.path('shallot.config.yaml');
      chownSync(file, 4711, 4711);
      const error = await errorOf(findConfig(project.path('app')));
      expect(brief(project, error)).toEqual([
        'CONFIG_FOREIGN shallot.config.yaml shallot.config.yaml belongs to the user 4711, not to you (0), root, ' +
          'or the owner of app, where the search started. It was not read, because a config can run code. ' +
          'If you trust it, name it with --config, or with `path` in code.',
      ]);
      expect((await loadConfig({ cwd: project.path('app'), path: file })).config.model).toBe('a/b');
    });

    it('is found in a project that is mounted with its owner', async () => {
      const project = makeProject({ 'shallot.config.yaml': 'model: a/b', 'app/a.txt': '' });
      for (const path of ['shallot.config.yaml', 'app']) chownSync(project.path(path), 4711, 4711);
      expect(await findConfig(project.path('app'))).toBe(project.path('shallot.config.yaml'));
    });

    it('is refused when only the link to it is foreign, and so is a `.env`', async () => {
      const project = makeProject({ 'real.yaml': 'model: a/b', 'app/a.txt': '' });
      symlinkSync(project.path('real.yaml'), project.path('shallot.config.yaml'));
      lchownSync(project.path('shallot.config.yaml'), 4711, 4711);
      expect((await errorOf(findConfig(project.path('app')))).code).toBe('CONFIG_FOREIGN');

      lchownSync(project.path('shallot.config.yaml'), 0, 0);
      writeFileSync(project.path('.env'), 'A=1');
      chownSync(project.path('.env'), 4711, 4711);
      const error = await errorOf(loadConfig({ cwd: project.path('app') }));
      expect(error).toMatchObject({ code: 'CONFIG_FOREIGN', at: { file: project.path('.env') } });
    });
  });
});
