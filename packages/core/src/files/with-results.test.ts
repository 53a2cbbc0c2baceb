import { expect, it } from 'vitest';

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
