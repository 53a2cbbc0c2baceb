import { memoryFiles } from '@shallot/core/files';
import { describe, expect, it } from 'vitest';

import { testTools } from '../test/tools.ts';

async function project() {
  const files = memoryFiles();
  const contents = {
    '/.gitignore': 'node_modules/\n*.log\n!keep.log\n',
    '/README.md': '# Onion\n\nPeel the onion.\n',
    '/src/a.ts': 'const a = 1;\n// TODO: peel\nexport { a };\n',
    '/src/b.test.ts': 'TODO\n',
    '/src/deep/c.ts': 'import a;\r\n// todo\r\n',
    '/src/deep/.gitignore': 'd.ts\n',
    '/src/deep/d.ts': 'TODO\n',
    '/node_modules/x/index.ts': 'TODO\n',
    '/trace.log': 'TODO\n',
    '/keep.log': 'kept\n',
    '/image.png': '\x89PNG\r\n\x1a\n\0TODO\n',
  };
  for (const [path, text] of Object.entries(contents)) await files.write(path, text);
  return files;
}

describe('ls', () => {
  it('lists a directory, without what is ignored, which it counts', async () => {
    await using tools = await testTools({}, await project());
    expect((await tools.ls({})).text).toBe(
      [
        '/.gitignore (30 bytes)',
        '/README.md (25 bytes)',
        '/image.png (15 bytes)',
        '/keep.log (5 bytes)',
        '/src/',
        '[2 ignored entries are not shown.]',
      ].join('\n'),
    );
    expect((await tools.ls({ path: 'node_modules' })).text).toBe('/node_modules/x/');
    expect((await tools.ls({ path: '/none' })).text).toBe('[/none is empty or does not exist.]');
    expect((await tools.ls({ path: '/README.md' })).isError).toBe(true);
  });

  it('writes names with control and hidden characters so that a model can name them', async () => {
    const files = memoryFiles();
    const names = ['/a\nb', '/a\u202eb', '/"q"', '/é 😀'];
    for (const name of names) await files.write(name, 'x');
    await using tools = await testTools({}, files);
    const lines = (await tools.ls({})).text.split('\n');
    expect(lines).toEqual([
      String.raw`"/\"q\"" (1 bytes)`,
      String.raw`"/a\nb" (1 bytes)`,
      String.raw`"/a\u202eb" (1 bytes)`,
      '/é 😀 (1 bytes)',
    ]);
  });

  it('says what it left out at its limit, and how to see it', async () => {
    const files = memoryFiles();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await files.write(`/${name}`, '');
    await using tools = await testTools({ maxResults: 2 }, files);
    expect((await tools.ls({ skip: 1 })).text).toBe(
      '/b (0 bytes)\n/c (0 bytes)\n[2 entries are shown, and there are more. Call it again with skip 3, or narrow the search.]',
    );
    expect((await tools.ls({ skip: 3 })).text).toBe('/d (0 bytes)\n/e (0 bytes)');
  });
});

describe('glob', () => {
  it.each([
    ['**/*.ts', ['/src/a.ts', '/src/b.test.ts', '/src/deep/c.ts']],
    ['/src/*.ts', ['/src/a.ts', '/src/b.test.ts']],
    ['src/**', ['/src/a.ts', '/src/b.test.ts', '/src/deep/.gitignore', '/src/deep/c.ts']],
    ['*.{md,log}', ['/README.md', '/keep.log']],
    ['**/[a-b]*.ts', ['/src/a.ts', '/src/b.test.ts']],
    ['**/?.ts', ['/src/a.ts', '/src/deep/c.ts']],
    ['**/.*', ['/.gitignore', '/src/deep/.gitignore']],
    ['**/@(a|c).ts', ['/src/a.ts', '/src/deep/c.ts']],
  ])('finds by %s', async (pattern, found) => {
    await using tools = await testTools({}, await project());
    expect((await tools.glob({ pattern })).message.data).toEqual({ files: found, isMore: false });
  });

  it('searches below a directory, also an ignored one that is named', async () => {
    await using tools = await testTools({}, await project());
    expect((await tools.glob({ pattern: '*.ts', path: '/src/deep' })).message.data).toMatchObject({
      files: ['/src/deep/c.ts'],
    });
    expect((await tools.glob({ pattern: '**', path: '/node_modules' })).message.data).toMatchObject({
      files: ['/node_modules/x/index.ts'],
    });
  });

  it('goes on where it stopped at its limit', async () => {
    await using tools = await testTools({ maxResults: 2 }, await project());
    expect((await tools.glob({ pattern: '**/*.ts' })).text).toContain('Call it again with skip 2');
    expect((await tools.glob({ pattern: '**/*.ts', skip: 2 })).text).toMatch(
      /^\/src\/deep\/c\.ts\n\[3 ignored/,
    );
  });

  it.each(['!*.ts', '!(a)', '', 'a'.repeat(600)])('refuses the pattern %.20s by name', async (pattern) => {
    await using tools = await testTools({}, await project());
    expect((await tools.glob({ pattern })).isError).toBe(true);
  });
});

describe('grep', () => {
  it('takes a line without its CRLF and the byte order mark', async () => {
    const files = memoryFiles();
    await files.write('/a', '\ufefffoo;\r\nbar;\r\n');
    await using tools = await testTools({}, files);
    expect((await tools.grep({ pattern: '^...;$' })).text).toBe('/a\n1: foo;\n2: bar;');
    expect((await tools.grep({ pattern: 'foo' })).text).toBe('/a\n1: foo;');
    expect((await tools.grep({ pattern: String.raw`\r$`, output: 'counts' })).text).toBe('/a: 2');
  });

  it('finds lines by a text, in files that are neither ignored nor binary', async () => {
    await using tools = await testTools({}, await project());
    expect((await tools.grep({ pattern: 'TODO' })).text).toBe(
      [
        '/src/a.ts',
        '2: // TODO: peel',
        '/src/b.test.ts',
        '1: TODO',
        '[One file is binary and was not searched. 3 ignored entries were left out.]',
      ].join('\n'),
    );
    expect((await tools.grep({ pattern: 'a.a', literal: true })).text).toContain(
      '[No line matches, in 8 files. The text itself was searched for; without literal, the pattern is a regular expression.',
    );
    expect((await tools.grep({ pattern: 'const (zebra|okapi)' })).text).toContain(
      '[No line matches, in 8 files. The pattern is a regular expression; with literal: true, the text itself is searched for.',
    );
    expect((await tools.grep({ pattern: 'zebra' })).text).toContain(
      '[No line matches, in 8 files. One file is binary',
    );
    expect((await tools.grep({ pattern: 'peel|export' })).text).toContain(
      '2: // TODO: peel\n3: export { a };',
    );
  });

  it('finds lines by a regular expression, in either case, with the lines around them', async () => {
    await using tools = await testTools({}, await project());
    const { text } = await tools.grep({
      pattern: '^// todo',
      ignore_case: true,
      context: 1,
      path: 'src',
    });
    expect(text.split('\n').slice(0, 7)).toEqual([
      '/src/a.ts',
      '1- const a = 1;',
      '2: // TODO: peel',
      '3- export { a };',
      '/src/deep/c.ts',
      '1- import a;',
      '2: // todo',
    ]);
  });

  it.each([
    ['*.md', '/README.md'],
    ['src/**/*.ts', '/src/a.ts'],
  ])('searches only files that fit %s, and one file that is named', async (glob, first) => {
    await using tools = await testTools({}, await project());
    expect((await tools.grep({ pattern: 'e', glob })).text.split('\n')[0]).toBe(first);
    expect((await tools.grep({ pattern: 'kept', path: '/keep.log' })).text).toBe('/keep.log\n1: kept');
  });

  it('separates places of one file, and goes on where it stopped', async () => {
    const files = memoryFiles();
    const lines = Array.from({ length: 20 }, (_, index) => (index % 6 === 0 ? `hit ${index}` : `${index}`));
    await files.write('/f', lines.join('\n'));
    await using tools = await testTools({ maxResults: 2 }, files);
    expect((await tools.grep({ pattern: 'hit', context: 1 })).text).toBe(
      '/f\n1: hit 0\n2- 1\n--\n6- 5\n7: hit 6\n8- 7\n[2 matches are shown, and there are more. Call it again with skip 2, or narrow the search.]',
    );
    expect((await tools.grep({ pattern: 'hit', skip: 2 })).text).toBe('/f\n13: hit 12\n19: hit 18');
  });

  it('cuts long lines, and says when only their beginning was searched', async () => {
    const files = memoryFiles();
    await files.write('/f', `${'x'.repeat(100_000)}needle\nneedle ${'y'.repeat(1000)}\n`);
    await using tools = await testTools({}, files);
    const { text } = await tools.grep({ pattern: 'ne+dle' });
    expect(text).toMatch(/^\/f\n2: needle y{293}…\n\[One long line was searched in its beginning only\.\]$/);
    expect((await tools.grep({ pattern: 'needle' })).message.data).toMatchObject({ matches: 2 });
  });

  it.each([
    ['(', 'With literal: true'],
    [String.raw`(a)\1`, 'without back-references'],
    ['(?=a)', 'cannot be used'],
    ['(a{30}){30}', 'too large'],
    ['a\nb', 'line break'],
    ['', 'is empty'],
    ['a'.repeat(2000), 'at most 1000'],
  ])('refuses the pattern %.20j by name', async (pattern, why) => {
    await using tools = await testTools({}, await project());
    const { isError, text } = await tools.grep({ pattern });
    expect([isError, text]).toEqual([true, expect.stringContaining(why)]);
  });
});
