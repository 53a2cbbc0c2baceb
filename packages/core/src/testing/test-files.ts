import { describe, expect, test } from 'vitest';

import type { Files } from '../files/files.ts';

type CreateFiles = () => Files | Promise<Files>;

export interface TestFilesOptions {
  /** The size limit of what `create` gives, in bytes. Without it the limit is not tested. */
  readonly maxBytes?: number;
}

/** Names that are only names, however they look. */
const plainNames = [
  'a..b.txt',
  '[...slug].md',
  '...',
  '%2e%2e',
  '%2e%2e%2fx',
  '%00',
  '__proto__',
  'constructor',
  ' spaced ',
  'quote\'".txt',
  '-rf',
  '~',
  '$HOME',
  '日本語 😀.md',
  'a'.repeat(255),
];

const badPaths = [
  '',
  'relative.txt',
  './a',
  '../a',
  '/..',
  '/../a',
  '/a/../../b',
  '/a/..',
  '/nul\0.txt',
  '/half \ud800 a pair',
  `/${'a'.repeat(256)}`,
  `/${'é'.repeat(128)}`,
  '/a/'.repeat(2000),
];

/**
 * The contract of `Files` as a vitest suite: call it in a test file. `create` gives files of which none is there yet,
 * each time others.
 */
export function testFiles(create: CreateFiles, { maxBytes }: TestFilesOptions = {}): void {
  describe('reading and writing', () => {
    testContent(create);
    testAppend(create);
    testRemove(create);
    if (maxBytes !== undefined) testLimit(create, maxBytes);
  });
  describe('revisions', () => {
    testRevisions(create);
  });
  describe('listing', () => {
    testListing(create);
  });
  describe('paths', () => {
    testPaths(create);
  });
}

function testContent(create: CreateFiles): void {
  test('what was written is read, as bytes and as text, with one revision', async () => {
    const files = await create();
    const revision = await files.write('/notes/today.md', 'Grüße 😀');
    expect(await files.readText('/notes/today.md')).toEqual({ text: 'Grüße 😀', revision });
    expect(await files.stat('/notes/today.md')).toEqual({ size: 12, revision });
    const { bytes } = await files.read('/notes/today.md');
    expect(Buffer.from(bytes).toString()).toBe('Grüße 😀');
  });

  test('bytes are kept as they are, and are not shared with whoever wrote or read them', async () => {
    const files = await create();
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await files.write('/data.bin', bytes);
    bytes.fill(0);
    const read = await files.read('/data.bin');
    expect(Array.from(read.bytes.subarray(0, 3))).toEqual([0, 1, 2]);
    read.bytes.fill(7);
    expect((await files.read('/data.bin')).bytes[255]).toBe(255);
  });

  test('an empty file is a file', async () => {
    const files = await create();
    await files.write('/empty', '');
    expect(await files.stat('/empty')).toMatchObject({ size: 0 });
    expect(await files.readText('/empty')).toMatchObject({ text: '' });
  });

  test('a large file is whole', async () => {
    const files = await create();
    const text = 'sixteen letters '.repeat(65_536);
    await files.write('/large.txt', text);
    expect((await files.readText('/large.txt')).text === text).toBe(true);
  });

  test('text is without its byte order mark, and what is not UTF-8 is not text', async () => {
    const files = await create();
    await files.write('/bom.md', '\uFEFF# Title');
    expect(await files.readText('/bom.md')).toMatchObject({ text: '# Title' });
    await files.write('/latin1.txt', Uint8Array.of(0x47, 0xfc, 0x6e));
    await expect(files.readText('/latin1.txt')).rejects.toMatchObject({ code: 'FILE_KIND' });
  });
}

function testAppend(create: CreateFiles): void {
  test('appending makes the file and adds to its end', async () => {
    const files = await create();
    await files.append('/log/history.md', 'one\n');
    await files.append('/log/history.md', Buffer.from('two\n'));
    const revision = await files.append('/log/history.md', '');
    expect(await files.readText('/log/history.md')).toEqual({ text: 'one\ntwo\n', revision });
  });

  test('appends and writes that are made at once all take effect, in order', async () => {
    const files = await create();
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index}\n`);
    await Promise.all(lines.map((line) => files.append('/log', line)));
    expect(await files.readText('/log')).toMatchObject({ text: lines.join('') });
    await Promise.all(lines.map((line) => files.write('/last', line)));
    expect(await files.readText('/last')).toMatchObject({ text: 'line 49\n' });
  });
}

function testRemove(create: CreateFiles): void {
  test('what is not there is not found', async () => {
    const files = await create();
    expect(await files.stat('/none')).toBeUndefined();
    expect(await files.stat('/no/such/directory')).toBeUndefined();
    expect(await files.remove('/none')).toBe(false);
    await expect(files.read('/none')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(files.readText('/no/such')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  test('a removed file is gone, and its place is free', async () => {
    const files = await create();
    await files.write('/a/b', 'old');
    expect(await files.remove('/a/b')).toBe(true);
    expect(await files.remove('/a/b')).toBe(false);
    expect(await files.stat('/a/b')).toBeUndefined();
    await files.write('/a/b', 'new', { ifRevision: null });
    expect(await files.readText('/a/b')).toMatchObject({ text: 'new' });
  });
}

function testLimit(create: CreateFiles, maxBytes: number): void {
  test('what is over the limit is refused and changes nothing', async () => {
    const files = await create();
    await files.write('/full', 'x'.repeat(maxBytes));
    await expect(files.append('/full', 'x')).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    await expect(files.write('/full', 'x'.repeat(maxBytes + 1))).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
    });
    expect(await files.stat('/full')).toMatchObject({ size: maxBytes });
  });
}

function testRevisions(create: CreateFiles): void {
  test('every change gives another one, however quick and alike the changes are', async () => {
    const files = await create();
    const revisions: string[] = [];
    for (let round = 0; round < 30; round += 1) {
      revisions.push(await files.write('/a', round % 2 === 0 ? 'same' : 'size'));
      revisions.push(await files.append('/a', '!'));
      if (round % 10 === 9) await files.remove('/a');
    }
    expect(new Set(revisions).size).toBe(60);
  });

  test('reading leaves it as it is', async () => {
    const files = await create();
    const revision = await files.write('/a', 'a');
    await files.write('/b', 'b');
    await files.list('/');
    expect((await files.read('/a')).revision).toBe(revision);
    expect(await files.stat('/a')).toMatchObject({ revision });
  });

  test('a write for another revision than the present one is refused and changes nothing', async () => {
    const files = await create();
    const first = await files.write('/a', 'first', { ifRevision: null });
    const second = await files.write('/a', 'second', { ifRevision: first });
    const refused = { code: 'FILE_CONFLICT' };
    await expect(files.write('/a', 'x', { ifRevision: first })).rejects.toMatchObject(refused);
    await expect(files.write('/a', 'x', { ifRevision: null })).rejects.toMatchObject(refused);
    await expect(files.write('/b', 'x', { ifRevision: second })).rejects.toMatchObject(refused);
    await expect(files.write('/c/d', 'x', { ifRevision: second })).rejects.toMatchObject(refused);
    expect(await files.readText('/a')).toEqual({ text: 'second', revision: second });
    expect(await files.list('/', { recursive: true })).toEqual([{ path: '/a', kind: 'file' }]);
  });

  test('of several writers for one revision exactly one wins', async () => {
    const files = await create();
    const revision = await files.write('/a', 'start');
    const writes = ['1', '2', '3', '4', '5'].map((text) => files.write('/a', text, { ifRevision: revision }));
    const settled = await Promise.allSettled(writes);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const created = await Promise.allSettled(
      ['1', '2', '3'].map((text) => files.write('/new', text, { ifRevision: null })),
    );
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
}

function testListing(create: CreateFiles): void {
  test('shows files and directories by path, one level or all', async () => {
    const files = await create();
    for (const path of ['/b.md', '/a/y/z.md', '/a/x.md', '/a-b', '/c/d']) await files.write(path, path);
    expect(await files.list('/')).toEqual([
      { path: '/a', kind: 'directory' },
      { path: '/a-b', kind: 'file' },
      { path: '/b.md', kind: 'file' },
      { path: '/c', kind: 'directory' },
    ]);
    expect(await files.list('/a')).toEqual(await files.list('/a/'));
    expect(await files.list('/a', { recursive: true })).toEqual([
      { path: '/a/x.md', kind: 'file' },
      { path: '/a/y', kind: 'directory' },
      { path: '/a/y/z.md', kind: 'file' },
    ]);
  });

  test('of a directory that is not there is empty', async () => {
    const files = await create();
    expect(await files.list('/')).toEqual([]);
    expect(await files.list('/none', { recursive: true })).toEqual([]);
  });
}

function testPaths(create: CreateFiles): void {
  test.each(plainNames)('%j is a name like any other', async (name) => {
    const files = await create();
    const path = `/in/${name}`;
    const revision = await files.write(path, name);
    expect(await files.readText(path)).toEqual({ text: name, revision });
    expect(await files.list('/', { recursive: true })).toEqual([
      { path: '/in', kind: 'directory' },
      { path, kind: 'file' },
    ]);
    expect(await files.remove(path)).toBe(true);
  });

  test.each(badPaths)('%j is refused by everything', async (path) => {
    const files = await create();
    const refused = { code: 'FILE_PATH' };
    await expect(files.list(path)).rejects.toMatchObject(refused);
    await expect(files.stat(path)).rejects.toMatchObject(refused);
    await expect(files.read(path)).rejects.toMatchObject(refused);
    await expect(files.readText(path)).rejects.toMatchObject(refused);
    await expect(files.write(path, 'x')).rejects.toMatchObject(refused);
    await expect(files.append(path, 'x')).rejects.toMatchObject(refused);
    await expect(files.remove(path)).rejects.toMatchObject(refused);
  });

  test.each(['/', '/a/'])('%j names no file', async (path) => {
    const files = await create();
    await expect(files.read(path)).rejects.toMatchObject({ code: 'FILE_PATH' });
    await expect(files.write(path, 'x')).rejects.toMatchObject({ code: 'FILE_PATH' });
  });

  test('one file has one path, however it is spelled', async () => {
    const files = await create();
    await files.write('//a/./b', 'x');
    expect(await files.readText('/a//b')).toMatchObject({ text: 'x' });
    expect(await files.list('/./a')).toEqual([{ path: '/a/b', kind: 'file' }]);
  });

  test('a directory is not a file', async () => {
    const files = await create();
    await files.write('/a/b', 'x');
    const refused = { code: 'FILE_KIND' };
    await expect(files.stat('/a')).rejects.toMatchObject(refused);
    await expect(files.read('/a')).rejects.toMatchObject(refused);
    await expect(files.write('/a', 'x')).rejects.toMatchObject(refused);
    await expect(files.append('/a', 'x')).rejects.toMatchObject(refused);
    await expect(files.remove('/a')).rejects.toMatchObject(refused);
    expect(await files.readText('/a/b')).toMatchObject({ text: 'x' });
  });

  test('a file is not a directory', async () => {
    const files = await create();
    await files.write('/a', 'x');
    const refused = { code: 'FILE_KIND' };
    await expect(files.list('/a')).rejects.toMatchObject(refused);
    await expect(files.write('/a/b', 'x')).rejects.toMatchObject(refused);
    await expect(files.append('/a/b/c', 'x')).rejects.toMatchObject(refused);
    expect(await files.stat('/a/b')).toBeUndefined();
    expect(await files.readText('/a')).toMatchObject({ text: 'x' });
  });
}
