import { expect, test } from 'vitest';

import { contentOf, fileBytesIn, inWords, readFiles, sizeOf } from './attached-file.ts';

const file = (name: string, content: BlobPart, type = ''): File => new File([content], name, { type });

test('files become parts with their media types, and sources of programs are text', async () => {
  const read = await readFiles(
    [
      file('a.png', new Uint8Array([137, 80, 0, 255]), 'image/png'),
      file('b.ts', 'const é = 1;', 'video/mp2t'),
      file('c.bin', new Uint8Array([0, 1])),
      file('d.json', '{}', 'application/json'),
    ],
    [],
    1000,
  );
  expect(read.problem).toBeUndefined();
  expect(read.files.map(({ name, mediaType }) => [name, mediaType])).toEqual([
    ['a.png', 'image/png'],
    ['b.ts', 'text/plain'],
    ['c.bin', 'application/octet-stream'],
    ['d.json', 'application/json'],
  ]);
  expect(read.files.map(sizeOf)).toEqual([4, 13, 2, 2]);
  expect(Buffer.from(read.files[1]?.data ?? '', 'base64').toString()).toBe('const é = 1;');
});

test('files that are too large together are left out, and the reason has the limit', async () => {
  const first = await readFiles([file('a', 'x'.repeat(600))], [], 1000);
  const second = await readFiles([file('b', 'y'.repeat(500)), file('c', 'z'.repeat(400))], first.files, 1000);
  expect(second.files.map(({ name }) => name)).toEqual(['a', 'c']);
  expect(second.problem).toBe('b has 500 bytes: the files of a message may have 1 kB.');
});

test('a body has room for the files that are promised', async () => {
  const most = fileBytesIn(10_000_000);
  expect([most, inWords(most)]).toEqual([7_450_848, '7.4 MB']);
  const { files } = await readFiles([file('a', new Uint8Array(most))], [], most);
  expect(JSON.stringify({ input: contentOf('Look', files) }).length).toBeLessThan(10_000_000);
  expect(fileBytesIn(1000)).toBe(0);
});

test('a message may be files alone', () => {
  const image = { type: 'file', mediaType: 'image/png', data: '', name: 'a.png' } as const;
  expect(contentOf('Look', [])).toBe('Look');
  expect(contentOf('Look', [image])).toEqual([{ type: 'text', text: 'Look' }, image]);
  expect(contentOf(' ', [image])).toEqual([image]);
});
