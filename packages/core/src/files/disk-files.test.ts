import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { testFiles } from '../../../testing/src/files/test-files.ts';
import { diskFiles } from './disk-files.ts';
import { mountFiles } from './mount-files.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'shallot-files-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The files of these tests that are open. */
function openFiles(): readonly string[] {
  if (process.platform !== 'linux') return [];
  const paths = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // The descriptor that lists the directory is closed by now.
      return '';
    }
  });
  return paths.filter((path) => path.startsWith(base));
}

// Every operation must close its files, even if it fails.
afterEach(() => {
  const left = openFiles();
  if (left.length > 0) throw new Error(`left open: ${left.join(', ')}`);
});

let count = 0;

/** A root with something secret beside it. */
function newRoot(): { readonly root: string; readonly outside: string } {
  count += 1;
  const root = join(base, String(count), 'root');
  const outside = join(base, String(count), 'outside');
  mkdirSync(root, { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  return { root, outside };
}

const maxBytes = 2_000_000;

await testFiles(() => diskFiles(join(newRoot().root, 'made', 'when', 'needed'), { maxBytes }), { maxBytes });

describe('links', () => {
  test('that lead out of the root are refused by everything, and not listed', async () => {
    const { root, outside } = newRoot();
    symlinkSync(join(outside, 'secret.txt'), join(root, 'absolute'));
    symlinkSync('../outside/secret.txt', join(root, 'relative'));
    symlinkSync('relative', join(root, 'chain'));
    symlinkSync(outside, join(root, 'directory'));
    symlinkSync('../outside/new.txt', join(root, 'dangling'));
    symlinkSync('directory/../../outside/secret.txt', join(root, 'winding'));
    const files = diskFiles(root);
    const refused = { code: 'FILE_PATH' };
    for (const path of [
      '/absolute',
      '/relative',
      '/chain',
      '/directory/secret.txt',
      '/dangling',
      '/winding',
    ]) {
      await expect(files.stat(path)).rejects.toMatchObject(refused);
      await expect(files.read(path)).rejects.toMatchObject(refused);
      await expect(files.write(path, 'x')).rejects.toMatchObject(refused);
      await expect(files.append(path, 'x')).rejects.toMatchObject(refused);
    }
    await expect(files.remove('/directory/secret.txt')).rejects.toMatchObject(refused);
    await expect(files.list('/directory')).rejects.toMatchObject(refused);
    await expect(files.write('/directory/deep/new.txt', 'x')).rejects.toMatchObject(refused);
    expect(await files.list('/', { recursive: true })).toEqual([]);
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  test('that stay inside are followed, and stay links when their file is written', async () => {
    const { root } = newRoot();
    const files = diskFiles(root);
    await files.write('/docs/CLAUDE.md', 'one');
    symlinkSync('docs/CLAUDE.md', join(root, 'AGENTS.md'));
    symlinkSync(join(root, 'docs'), join(root, 'absolute'));
    symlinkSync('../AGENTS.md', join(root, 'docs', 'up'));
    await files.write('/AGENTS.md', 'two');
    await files.append('/absolute/up', '!');
    expect(await files.readText('/docs/CLAUDE.md')).toMatchObject({ text: 'two!' });
    expect(await files.stat('/absolute/CLAUDE.md')).toEqual(await files.stat('/AGENTS.md'));
    expect(await files.list('/', { recursive: true })).toEqual([
      { path: '/AGENTS.md', kind: 'file', link: true },
      { path: '/absolute', kind: 'directory', link: true },
      { path: '/docs', kind: 'directory' },
      { path: '/docs/CLAUDE.md', kind: 'file' },
      { path: '/docs/up', kind: 'file', link: true },
    ]);
    expect(await files.list('/absolute')).toEqual([
      { path: '/absolute/CLAUDE.md', kind: 'file' },
      { path: '/absolute/up', kind: 'file', link: true },
    ]);
  });

  test.skipIf(process.platform === 'win32')(
    'and whatever else cannot be opened are listed when all is asked for',
    async () => {
      const { root, outside } = newRoot();
      const files = diskFiles(root);
      await files.write('/a/b.md', 'x');
      symlinkSync(outside, join(root, 'a', 'out'));
      symlinkSync('nowhere', join(root, 'dangling'));
      symlinkSync('dangling', join(root, 'a', 'b.link'));
      execFileSync('mkfifo', [join(root, 'pipe')]);
      const other = (path: string) => ({ path, kind: 'other', link: true });
      expect(await files.list('/', { all: true })).toEqual([
        { path: '/a', kind: 'directory' },
        other('/dangling'),
        { path: '/pipe', kind: 'other' },
      ]);
      const mounted = mountFiles({ '/m/': files });
      expect(await mounted.list('/m/a', { all: true, recursive: true })).toEqual([
        other('/m/a/b.link'),
        { path: '/m/a/b.md', kind: 'file' },
        other('/m/a/out'),
      ]);
      expect(await files.list('/', { recursive: true })).toEqual([
        { path: '/a', kind: 'directory' },
        { path: '/a/b.md', kind: 'file' },
      ]);
    },
  );

  test('are followed within a directory only as far as they stay in it', async () => {
    const { root, outside } = newRoot();
    const files = diskFiles(root);
    await files.write('/.env', 'KEY=1', { own: true });
    await files.write('/pack/docs/a.md', 'a');
    await files.write('/pack/b.md', 'b');
    symlinkSync('pack', join(root, 'link'));
    symlinkSync('../b.md', join(root, 'pack', 'docs', 'up'));
    symlinkSync(join(root, 'pack', 'b.md'), join(root, 'pack', 'docs', 'absolute'));
    symlinkSync('../.env', join(root, 'pack', 'env'));
    symlinkSync(join(root, '.env'), join(root, 'pack', 'absolute-env'));
    symlinkSync('..', join(root, 'pack', 'parent'));
    symlinkSync(join(outside, 'secret.txt'), join(root, 'pack', 'secret'));
    for (const within of ['/pack', '/link']) {
      for (const path of ['docs/up', 'docs/absolute']) {
        expect(await files.readText(`${within}/${path}`, { within })).toMatchObject({ text: 'b' });
      }
      for (const path of ['env', 'absolute-env', 'parent/.env', 'secret']) {
        const refused = {
          code: 'FILE_PATH',
          message: expect.stringContaining(`out of "${within}"`) as string,
        };
        await expect(files.read(`${within}/${path}`, { within })).rejects.toMatchObject(refused);
        await expect(files.stat(`${within}/${path}`, { within })).rejects.toMatchObject(refused);
      }
    }
    expect(await files.readText('/pack/env', { own: true })).toMatchObject({ text: 'KEY=1' });
    const mounted = mountFiles({ '/m/': files });
    await expect(mounted.read('/m/pack/env', { within: '/m/pack' })).rejects.toMatchObject({
      code: 'FILE_PATH',
    });
    expect(await mounted.readText('/m/pack/env', { within: '/m', own: true })).toMatchObject({
      text: 'KEY=1',
    });
  });

  test('are not looked for within a directory that is missing, and nothing is made', async () => {
    const { root } = newRoot();
    const files = diskFiles(root);
    expect(await files.stat('/none/a', { within: '/none' })).toBeUndefined();
    await expect(files.read('/none/a', { within: '/none' })).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
    expect(readdirSync(root)).toEqual([]);
  });

  test('that dangle inside are made good by a write, and are nothing before', async () => {
    const { root } = newRoot();
    symlinkSync('new/place.txt', join(root, 'link'));
    const files = diskFiles(root);
    expect(await files.stat('/link')).toBeUndefined();
    expect(await files.list('/')).toEqual([]);
    await files.write('/link', 'x');
    expect(readFileSync(join(root, 'new', 'place.txt'), 'utf8')).toBe('x');
  });

  test('that go in circles are refused, and end a listing', async () => {
    const { root } = newRoot();
    symlinkSync('b', join(root, 'a'));
    symlinkSync('a', join(root, 'b'));
    symlinkSync('.', join(root, 'self'));
    const files = diskFiles(root);
    await expect(files.read('/a')).rejects.toMatchObject({ code: 'FILE_PATH' });
    await expect(files.read('/a/x')).rejects.toMatchObject({ code: 'FILE_PATH' });
    expect(await files.list('/', { recursive: true })).toEqual([
      { path: '/self', kind: 'directory', link: true },
    ]);
  });

  test('are removed themselves, never what they lead to', async () => {
    const { root, outside } = newRoot();
    symlinkSync(join(outside, 'secret.txt'), join(root, 'link'));
    expect(await diskFiles(root).remove('/link')).toBe(true);
    expect(readdirSync(root)).toEqual([]);
    expect(existsSync(join(outside, 'secret.txt'))).toBe(true);
  });

  test('to directories are no files', async () => {
    const { root } = newRoot();
    mkdirSync(join(root, 'd'));
    symlinkSync('d', join(root, 'link'));
    symlinkSync('..', join(root, 'd', 'up'));
    const files = diskFiles(root);
    for (const path of ['/link', '/d/up']) {
      await expect(files.read(path)).rejects.toMatchObject({ code: 'FILE_KIND' });
      await expect(files.write(path, 'x')).rejects.toMatchObject({ code: 'FILE_KIND' });
    }
  });

  test('may be the way to the root', async () => {
    const { root } = newRoot();
    symlinkSync(root, `${root}-link`);
    const files = diskFiles(`${root}-link`);
    await files.write('/a', 'x');
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('x');
  });
});

describe.skipIf(process.platform === 'win32')('what is no regular file', () => {
  test('is refused at once, without waiting for another end', async () => {
    const { root } = newRoot();
    execFileSync('mkfifo', [join(root, 'pipe')]);
    symlinkSync('pipe', join(root, 'link'));
    const files = diskFiles(root);
    for (const path of ['/pipe', '/link']) {
      await expect(files.stat(path)).rejects.toMatchObject({ code: 'FILE_KIND' });
      await expect(files.read(path)).rejects.toMatchObject({ code: 'FILE_KIND' });
      await expect(files.write(path, 'x')).rejects.toMatchObject({ code: 'FILE_KIND' });
      await expect(files.append(path, 'x')).rejects.toMatchObject({ code: 'FILE_KIND' });
    }
    await expect(files.remove('/pipe')).rejects.toMatchObject({ code: 'FILE_KIND' });
    expect(await files.list('/')).toEqual([]);
    expect(readdirSync(root).toSorted()).toEqual(['link', 'pipe']);
  });

  test('is refused when it is a device', async () => {
    const files = diskFiles('/dev');
    await expect(files.read('/zero')).rejects.toMatchObject({ code: 'FILE_KIND' });
    await expect(files.append('/null', 'x')).rejects.toMatchObject({ code: 'FILE_KIND' });
    await expect(files.write('/null', 'x')).rejects.toMatchObject({ code: 'FILE_KIND' });
  });
});

describe('writing', () => {
  test.skipIf(process.platform === 'win32')(
    'leaves nothing else behind, and keeps the mode of the file',
    async () => {
      const { root } = newRoot();
      const files = diskFiles(root);
      await files.write('/run.sh', '#!/bin/sh\n');
      chmodSync(join(root, 'run.sh'), 0o750);
      await files.write('/run.sh', '#!/bin/sh\necho\n');
      await expect(files.write('/run.sh', 'x', { ifRevision: 'other' })).rejects.toThrow('not other');
      await files.append('/run.sh', 'exit\n');
      expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o750);
      expect(readdirSync(root)).toEqual(['run.sh']);
    },
  );

  test('a change by another program gives another revision', async () => {
    const { root } = newRoot();
    const files = diskFiles(root);
    const revision = await files.write('/f', 'mine');
    writeFileSync(join(root, 'f'), 'else');
    utimesSync(join(root, 'f'), 1, 1);
    expect(await files.stat('/f')).not.toMatchObject({ revision });
    await expect(files.write('/f', 'x', { ifRevision: revision })).rejects.toMatchObject({
      code: 'FILE_CONFLICT',
    });
    expect(readFileSync(join(root, 'f'), 'utf8')).toBe('else');
  });

  test('a file with several links changes for all of them', async () => {
    const { root, outside } = newRoot();
    linkSync(join(outside, 'secret.txt'), join(root, 'hard'));
    await diskFiles(root).write('/hard', 'x');
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('x');
  });

  test('a part of a large file is read from where it begins', async () => {
    const { root } = newRoot();
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
    writeFileSync(join(root, 'f'), bytes);
    const files = diskFiles(root, { maxBytes: 100_000 });
    for (const [start, length] of [
      [1000, 100_000],
      [190_000, 65_537],
      [70_000, 65_536],
      [0, 65_537],
      [200_000, 10],
      [300_000, 10],
    ] as const)
      expect(Buffer.from((await files.read('/f', { start, length })).bytes)).toEqual(
        bytes.subarray(start, start + length),
      );
    expect((await files.read('/f', { start: 100_000 })).bytes).toHaveLength(100_000);
    await expect(files.read('/f', { start: 99_999 })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    await expect(files.read('/f', { start: 1, length: 100_001 })).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
    });
  });

  test('is refused where a revision is expected, and no file is', async () => {
    const { root } = newRoot();
    const files = diskFiles(join(root, 'none'));
    for (const path of ['/f', '/deep/f'])
      await expect(files.write(path, 'x', { ifRevision: 'one' })).rejects.toMatchObject({
        code: 'FILE_CONFLICT',
      });
    expect(existsSync(join(root, 'none'))).toBe(false);
    expect(await files.remove('/f')).toBe(false);
    await files.write('/deep/f', 'x', { ifRevision: null });
    await expect(files.write('/deep/f', 'y', { ifRevision: null })).rejects.toMatchObject({
      code: 'FILE_CONFLICT',
    });
  });

  test('shows the links of a file only if there are several', async () => {
    const { root } = newRoot();
    const files = diskFiles(root);
    await files.write('/f', 'abc');
    utimesSync(join(root, 'f'), 1, 2.5);
    expect(Object.keys((await files.stat('/f')) ?? {})).toEqual(['size', 'revision', 'modified']);
    expect(await files.stat('/f')).toMatchObject({ size: 3, modified: 2500 });
    linkSync(join(root, 'f'), join(root, 'g'));
    expect(await files.stat('/f')).toMatchObject({ links: 2 });
  });

  test('a file that is over the limit is not read', async () => {
    const { root } = newRoot();
    writeFileSync(join(root, 'f'), 'x'.repeat(11));
    await expect(diskFiles(root, { maxBytes: 10 }).read('/f')).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
    });
  });

  test('says what the system says, and for which path', async () => {
    const { root } = newRoot();
    writeFileSync(join(root, 'file'), '');
    const files = diskFiles(join(root, 'file'));
    await expect(files.read('/a.md')).rejects.toMatchObject({ code: 'FILE_FAILED' });
    await expect(files.read('/a.md')).rejects.toThrow('Could not read "/a.md": ENOTDIR');
  });
});
