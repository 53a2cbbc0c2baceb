import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { diskFiles } from './disk-files.ts';
import type { Files } from './files.ts';
import { memoryFiles } from './memory-files.ts';
import { copyResults, isShownResult, resultPath, withResults } from './with-results.ts';

const name = 'c.1.0123456789abcdef.txt';
const { kept, shown } = resultPath('session', name);

async function filesWithResult() {
  const inner = memoryFiles();
  await inner.write(kept, 'line 1\nline 2\n', { own: true });
  await inner.write('/notes.md', 'notes');
  return { inner, files: withResults(inner, 'session') };
}

it('a kept result is read by the path that tools know', async () => {
  const { inner, files } = await filesWithResult();
  expect(shown).toMatch(/^\/results\/[^/]+\/c\.1\.0123456789abcdef\.txt$/);
  expect((await files.readText(shown)).text).toBe('line 1\nline 2\n');
  expect(Buffer.from((await files.read(shown)).bytes).toString()).toBe('line 1\nline 2\n');
  expect(await files.stat(shown)).toEqual(await inner.stat(kept, { own: true }));
  expect(await files.realPath?.(shown)).toBe(files.realPath === undefined ? undefined : shown);
});

it('a result that is gone is missing by the path that tools know', async () => {
  const { inner, files } = await filesWithResult();
  await inner.remove(kept, { own: true });
  expect(await files.stat(shown)).toBeUndefined();
  for (const read of [files.read(shown), files.readText(shown)])
    await expect(read).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
      message: expect.stringContaining(shown) as string,
    });
});

it('a session that has a copy of a result reads it when the result is gone', async () => {
  const { inner } = await filesWithResult();
  const gone = '/results/session/d.1.0123456789abcdef.txt';
  await copyResults(inner, [shown, gone, '/notes.md'], 'session', 'fork');
  await inner.remove(kept, { own: true });
  // A fork of the fork has one as well.
  await copyResults(inner, [shown], 'fork', 'next');
  for (const session of ['fork', 'next']) {
    const files = withResults(inner, session);
    expect((await files.readText(shown)).text).toBe('line 1\nline 2\n');
    expect((await files.stat(shown))?.size).toBe(14);
    expect(await files.stat(gone)).toBeUndefined();
  }
  expect(await inner.list('/.shallot/results/fork')).toHaveLength(1);
});

it('a kept result on a disk is read by that path alone, because its place is protected', async () => {
  const root = mkdtempSync(join(tmpdir(), 'shallot-results-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const inner = diskFiles(root);
  await inner.write(kept, 'line 1', { own: true });
  const files = withResults(inner, 'session');
  await expect(files.readText(kept)).rejects.toMatchObject({ code: 'FILE_PROTECTED' });
  expect((await files.readText(shown)).text).toBe('line 1');
  expect((await files.stat(shown))?.size).toBe(6);
  expect((await files.read(shown, { within: '/results', start: 5 })).bytes).toHaveLength(1);
  await copyResults(inner, [shown], 'session', 'fork');
  expect(await inner.stat(resultPath('fork', name).kept, { own: true })).toMatchObject({ size: 6 });
});

it('a kept result cannot be changed', async () => {
  const { files } = await filesWithResult();
  for (const change of [files.write(shown, 'x'), files.append(shown, 'x'), files.remove(shown)])
    await expect(change).rejects.toMatchObject({ code: 'FILE_PROTECTED' });
  expect((await files.readText(shown)).text).toBe('line 1\nline 2\n');
});

it('other files are those of the run, also beside results', async () => {
  const { inner, files } = await filesWithResult();
  expect((await files.readText('/notes.md')).text).toBe('notes');
  await files.write('/results/mine.txt', 'mine');
  await files.append('/results/mine.txt', '!');
  expect((await inner.readText('/results/mine.txt')).text).toBe('mine!');
  expect((await files.stat('/results/mine.txt'))?.size).toBe(5);
  await files.remove('/results/mine.txt');
  expect(await inner.stat('/results/mine.txt')).toBeUndefined();
  expect(files.identity).toBe(inner.identity ?? inner);
});

it('what the files of the run can do beyond the least, these can do as well', async () => {
  const inner = memoryFiles();
  const plain = withResults(inner, 'session');
  for (const name of ['smallFiles', 'realPath', 'isUnlocked', 'protect']) expect(name in plain).toBe(false);
  const calls: unknown[] = [];
  const identity = {};
  const able: Files = {
    ...inner,
    identity,
    root: '/srv',
    smallFiles: async (path) => (calls.push(['smallFiles', path]), undefined),
    realPath: async (path) => `/real${path}`,
    isUnlocked: (path, access) => (calls.push(['isUnlocked', path, access]), true),
    protect: (glob, kind) => void calls.push(['protect', glob, kind]),
  };
  const files = withResults(able, 'session');
  expect([files.identity, files.root, plain.identity]).toEqual([identity, '/srv', inner]);
  expect([await files.realPath?.('/a'), await files.realPath?.(shown)]).toEqual(['/real/a', shown]);
  expect(files.isUnlocked?.('/a', 'read')).toBe(true);
  files.protect?.('/b', 'state');
  await files.smallFiles?.('/c');
  expect(calls).toEqual([
    ['isUnlocked', '/a', 'read'],
    ['protect', '/b', 'state'],
    ['smallFiles', '/c'],
  ]);
});

it('a session that cannot have all results has none of them', async () => {
  const { inner } = await filesWithResult();
  const second = resultPath('session', 'd.1.0123456789abcdef.txt');
  await inner.write(second.kept, 'more', { own: true });
  const failing: Files = {
    ...inner,
    write: async (path, ...rest) => {
      if (path.includes('d.1.')) throw new Error('full');
      return inner.write(path, ...rest);
    },
  };
  await inner.write('/.shallot/results/other/kept.txt', 'x', { own: true });
  await expect(copyResults(failing, [shown, second.shown], 'session', 'fork')).rejects.toThrow('full');
  expect((await inner.list('/.shallot/results')).map(({ path }) => path)).toEqual([
    '/.shallot/results/other',
    '/.shallot/results/session',
  ]);
});

it('changes wait for the guard, and reads do not', async () => {
  const { inner } = await filesWithResult();
  const { promise, resolve } = Promise.withResolvers<void>();
  const files = withResults(inner, 'session', async (change) => (await promise, change()));
  const changes = [files.write('/a', 'a'), files.append('/b', 'b'), files.remove('/notes.md')];
  await new Promise(setImmediate);
  expect((await files.list('/', { recursive: true })).map(({ path }) => path)).toContain('/notes.md');
  expect(await files.stat('/a')).toBeUndefined();
  resolve();
  await Promise.all(changes);
  expect([await files.stat('/notes.md'), (await files.stat('/b'))?.size]).toEqual([undefined, 1]);
});

it.each([
  [shown, true],
  ['/results/session/c.1.0123456789abcdef.txt', true],
  ['/results/session/c.1.0123456789abcde.txt', false],
  ['/results/session/c.0123456789abcdef.txt', false],
  ['/results/c.1.0123456789abcdef.txt', false],
  ['/results/a/b/c.1.0123456789abcdef.txt', false],
  ['/other/session/c.1.0123456789abcdef.txt', false],
])('%s is the path of a kept result: %s', (path, is) => {
  expect(isShownResult(path)).toBe(is);
});
