import { mkdtemp, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { diskFiles, memoryFiles, type Files } from '@shallot/core/files';
import { describe, expect, it } from 'vitest';

import { testTools } from '../test/tools.ts';

async function filled(files: Files): Promise<Files> {
  await files.write('/a.ts', 'one\ntea\nthree\ntea\nfive\n');
  await files.write('/src/b.ts', 'tea\n');
  await files.write('/src/c.py', 'tea = 1\n');
  await files.write('/src/deep/d.md', 'coffee\n');
  return files;
}

const onDisk = async (): Promise<Files> => filled(diskFiles(await mkdtemp(join(tmpdir(), 'search-'))));
const inMemory = async (): Promise<Files> => filled(memoryFiles());

describe.each([
  ['on disk', onDisk],
  ['in memory', inMemory],
])('grep %s', (_, make) => {
  it('shows the files that match, or how often each does', async () => {
    await using tools = await testTools({ maxResults: 2 }, await make());
    const files = await tools.grep({ pattern: 'tea', output: 'files' });
    expect(files.text).toBe(
      '/a.ts\n/src/b.ts\n[2 files are shown, and there are more. Call it again with skip 2, or narrow the search.]',
    );
    expect((await tools.grep({ pattern: 'tea', output: 'files', skip: 2 })).text).toBe('/src/c.py');
    expect((await tools.grep({ pattern: 't.a', output: 'counts', type: 'ts' })).text).toBe(
      '/a.ts: 2\n/src/b.ts: 1',
    );
    expect((await tools.grep({ pattern: 'milk', output: 'files' })).text).toContain(
      'No line matches, in 4 files.',
    );
  });

  it('shows other numbers of lines before and after', async () => {
    await using tools = await testTools({}, await make());
    expect((await tools.grep({ pattern: 'three', path: '/a.ts', before: 1 })).text).toBe(
      '/a.ts\n2- tea\n3: three',
    );
    expect((await tools.grep({ pattern: 'three', path: '/a.ts', after: 1 })).text).toBe(
      '/a.ts\n3: three\n4- tea',
    );
    expect((await tools.grep({ pattern: 'three', path: '/a.ts', context: 2, before: 0 })).text).toBe(
      '/a.ts\n3: three\n4- tea\n5- five',
    );
  });

  it('searches files of a type', async () => {
    await using tools = await testTools({}, await make());
    expect((await tools.grep({ pattern: 'tea', type: 'py' })).text).toBe('/src/c.py\n1: tea = 1');
    expect((await tools.grep({ pattern: 'tea', type: 'cobol' })).isError).toBe(true);
  });

  it.each(['^tea$', String.raw`\Atea\z`, '(?i)TEA$', '^[^x]ea'])(
    'finds lines by %s as it does in one line',
    async (pattern) => {
      await using tools = await testTools({}, await make());
      expect((await tools.grep({ pattern, path: '/a.ts', output: 'counts' })).text).toBe('/a.ts: 2');
    },
  );
});

describe('glob', () => {
  it('sorts files by their last change if that is asked for', async () => {
    const root = await mkdtemp(join(tmpdir(), 'search-'));
    await using tools = await testTools({ maxResults: 2 }, await filled(diskFiles(root)));
    for (const [index, name] of ['src/b.ts', 'a.ts', 'src/c.py', 'src/deep/d.md'].entries())
      await utimes(join(root, name), 1000 + index, 1000 + index);
    expect((await tools.glob({ pattern: '**/*', sort: 'time' })).text).toBe(
      '/src/deep/d.md\n/src/c.py\n[2 files are shown, and there are more. Call it again with skip 2, or narrow the search.]',
    );
    expect((await tools.glob({ pattern: '**/*', sort: 'time', skip: 2 })).text).toBe('/a.ts\n/src/b.ts');
  });

  it('says what a pattern of one level would find below', async () => {
    await using tools = await testTools({}, await inMemory());
    expect((await tools.glob({ pattern: '*.py' })).text).toBe(
      '[No file matches. The pattern matches in / itself only; **/*.py also finds one file in directories below.]',
    );
    expect((await tools.glob({ pattern: '*.ts' })).text).toContain('**/*.ts also finds one file');
    expect((await tools.glob({ pattern: '**/*.ts' })).text).toBe('/a.ts\n/src/b.ts');
    expect((await tools.glob({ pattern: '*.md', path: '/src/deep' })).text).toBe('/src/deep/d.md');
  });
});
