import { describe, expect, it } from 'vitest';

import type { ToolContext } from '../../contract/tool.ts';
import type { Files } from '../../files/files.ts';
import { memoryFiles } from '../../files/memory-files.ts';
import { readResult } from './read-result.ts';

const path = '/results/s/c.1.0123456789abcdef.txt';

async function read(
  args: { readonly path?: string; readonly offset?: number; readonly find?: string },
  { maxResultTokens = 10, files = memoryFiles() }: { maxResultTokens?: number; files?: Files } = {},
): Promise<unknown> {
  const context = { files, maxResultTokens } as ToolContext;
  return readResult.execute({ path, ...args }, context);
}

async function filesWith(text: string): Promise<Files> {
  const files = memoryFiles();
  await files.write(path, text);
  return files;
}

describe('a page of a kept result', () => {
  it('has at least a thousand characters, and says where the next one begins', async () => {
    const text = 'x'.repeat(1500);
    const files = await filesWith(text);
    expect(await read({}, { files })).toBe(
      `${text.slice(0, 1000)}\n[Characters 0 to 1000 of 1500 are shown. Call read_result with offset 1000 for what follows.]`,
    );
    expect(await read({ offset: 1000 }, { files })).toBe(
      `${text.slice(0, 500)}\n[Characters 1000 to 1500 of 1500 are shown. This is the end.]`,
    );
  });

  it('has two characters per token of the limit', async () => {
    const files = await filesWith('x'.repeat(5000));
    expect(await read({}, { files, maxResultTokens: 1000.25 })).toContain('Characters 0 to 2000 of 5000');
  });

  it.each([
    [10, '[The result has only 10 characters.]'],
    [11, '[The result has only 10 characters.]'],
    [9, '9\n[Characters 9 to 10 of 10 are shown. This is the end.]'],
  ])('from character %i of ten', async (offset, expected) => {
    expect(await read({ offset }, { files: await filesWith('0123456789') })).toBe(expected);
  });

  it('does not begin after the only character', async () => {
    expect(await read({ offset: 1 }, { files: await filesWith('x') })).toBe(
      '[The result has only 1 characters.]',
    );
  });

  it('of an empty result is its end', async () => {
    expect(await read({}, { files: await filesWith('') })).toBe(
      '\n[Characters 0 to 0 of 0 are shown. This is the end.]',
    );
  });

  it.each([
    [{ find: 'b' }, 'b1\nb2\n[Characters 3 to 8 of 8 are shown. This is the end.]'],
    [{ find: '2' }, 'b2\n[Characters 6 to 8 of 8 are shown. This is the end.]'],
    [{ find: 'a' }, 'a1\nb1\nb2\n[Characters 0 to 8 of 8 are shown. This is the end.]'],
    [{ find: 'b', offset: 4 }, 'b2\n[Characters 6 to 8 of 8 are shown. This is the end.]'],
    [{ find: '1', offset: 4 }, '1\nb2\n[Characters 4 to 8 of 8 are shown. This is the end.]'],
    [{ find: 'c' }, '["c" does not occur from character 0 on.]'],
    [{ find: 'a', offset: 1 }, '["a" does not occur from character 1 on.]'],
  ])('begins with the line of what is looked for: %o', async (args, expected) => {
    expect(await read(args, { files: await filesWith('a1\nb1\nb2') })).toBe(expected);
  });
});

it.each([
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['pdf', 'application/pdf'],
])('a kept %s is shown as a file', async (extension, mediaType) => {
  const files = memoryFiles();
  const named = `/results/s/c.1.0123456789abcdef.${extension}`;
  await files.write(named, new Uint8Array([1, 2, 3]));
  expect(await read({ path: named }, { files })).toEqual({
    content: [
      { type: 'text', text: `${named} is ${mediaType}.` },
      { type: 'file', mediaType, data: 'AQID' },
    ],
  });
});

it('other files are not read', async () => {
  const files = memoryFiles();
  await files.write('/notes.txt', 'secret');
  await expect(read({ path: '/notes.txt' }, { files })).rejects.toMatchObject({
    code: 'FILE_PATH',
    message: '"/notes.txt" is not the path of a kept result. Use the path that a result names: /results/….',
  });
});

it.each([
  [{ path }, true],
  [{ path, offset: 0 }, true],
  [{ path, offset: -1 }, false],
  [{ path, offset: 1.5 }, false],
  [{ path, find: '' }, false],
  [{ path, find: 'x' }, true],
  [{ offset: 1 }, false],
  [{ path, limit: 5 }, false],
])('its arguments are checked: %o', async (args, isValid) => {
  expect(await readResult.validate(args)).toMatchObject({ ok: isValid });
  expect(readResult.locations?.({ path })).toEqual([{ path }]);
});
