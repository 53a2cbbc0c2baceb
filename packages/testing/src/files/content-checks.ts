import assert from 'node:assert/strict';

import type { Files } from '@shallot/core/files';

import { rejectsWith } from '../conformance.ts';

/** A requirement for all implementations of files, checked on empty ones. */
export interface FilesCheck {
  readonly name: string;
  readonly check: (files: Files) => Promise<void>;
}

export function contentChecks(maxBytes: number | undefined): FilesCheck[] {
  return [
    {
      name: 'reads what was written, as bytes and as text, with one revision',
      async check(files) {
        const revision = await files.write('/notes/today.md', 'Grüße 😀');
        assert.deepEqual(await files.readText('/notes/today.md'), { text: 'Grüße 😀', revision });
        const stat = await files.stat('/notes/today.md');
        assert.deepEqual([stat?.size, stat?.revision], [12, revision]);
        const { bytes } = await files.read('/notes/today.md');
        assert.equal(Buffer.from(bytes).toString(), 'Grüße 😀');
      },
    },
    {
      name: 'keeps bytes as they are, and shares them with nobody',
      async check(files) {
        const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
        await files.write('/data.bin', bytes);
        bytes.fill(0);
        const read = await files.read('/data.bin');
        assert.deepEqual(Array.from(read.bytes.subarray(0, 3)), [0, 1, 2], 'it kept the array of the writer');
        read.bytes.fill(7);
        assert.equal((await files.read('/data.bin')).bytes[255], 255, 'it gave the reader its own array');
      },
    },
    {
      name: 'keeps an empty file and a large one',
      async check(files) {
        await files.write('/empty', '');
        assert.equal((await files.stat('/empty'))?.size, 0);
        assert.equal((await files.readText('/empty')).text, '');
        const text = 'sixteen letters '.repeat(65_536);
        await files.write('/large.txt', text);
        assert.ok((await files.readText('/large.txt')).text === text, 'the large file is not whole');
      },
    },
    {
      name: 'gives text without its byte order mark, and refuses as text what is not UTF-8',
      async check(files) {
        await files.write('/bom.md', '\uFEFF# Title');
        assert.equal((await files.readText('/bom.md')).text, '# Title');
        await files.write('/latin1.txt', Uint8Array.of(0x47, 0xfc, 0x6e));
        await rejectsWith(files.readText('/latin1.txt'), 'FILE_KIND', 'Latin-1');
      },
    },
    {
      name: 'reads parts of a file, with the revision of the whole',
      async check(files) {
        const revision = await files.write('/parts', 'abcdef');
        const part = async (start?: number, length?: number): Promise<string> => {
          const options = {
            ...(start === undefined ? {} : { start }),
            ...(length === undefined ? {} : { length }),
          };
          const read = await files.read('/parts', options);
          assert.equal(read.revision, revision);
          return Buffer.from(read.bytes).toString();
        };
        assert.deepEqual(
          [
            await part(),
            await part(2),
            await part(0, 2),
            await part(4, 9),
            await part(6, 1),
            await part(9),
            await part(1, 0),
          ],
          ['abcdef', 'cdef', 'ab', 'ef', '', '', ''],
        );
      },
    },
    {
      name: 'does not find missing files',
      async check(files) {
        assert.equal(await files.stat('/none'), undefined);
        assert.equal(await files.stat('/no/such/directory'), undefined);
        assert.equal(await files.remove('/none'), false);
        await rejectsWith(files.read('/none'), 'FILE_NOT_FOUND', 'read');
        await rejectsWith(files.readText('/no/such'), 'FILE_NOT_FOUND', 'readText');
      },
    },
    {
      name: 'removes a file and frees its place',
      async check(files) {
        await files.write('/a/b', 'old');
        assert.equal(await files.remove('/a/b'), true);
        assert.equal(await files.remove('/a/b'), false);
        assert.equal(await files.stat('/a/b'), undefined);
        await files.write('/a/b', 'new', { ifRevision: null });
        assert.equal((await files.readText('/a/b')).text, 'new');
      },
    },
    {
      name: 'removes a directory with all that is in it, if asked to',
      async check(files) {
        for (const path of ['/a/b/c', '/a/b/d/e', '/a/bb', '/a/f']) await files.write(path, path);
        await rejectsWith(files.remove('/a/b'), 'FILE_KIND', 'a directory without `recursive`');
        for (const root of ['/', '//', '/.'])
          await rejectsWith(files.remove(root, { recursive: true }), 'FILE_PATH', 'the root');
        assert.equal(await files.remove('/a/b/', { recursive: true }), true);
        assert.equal(await files.remove('/a/b/', { recursive: true }), false);
        const left = await files.list('/', { recursive: true });
        assert.deepEqual(
          left.map(({ path }) => path),
          ['/a', '/a/bb', '/a/f'],
        );
        assert.equal(await files.remove('/a/f', { recursive: true }), true);
        assert.equal(await files.remove('/none/', { recursive: true }), false);
      },
    },
    {
      name: 'makes a file by appending, and adds to its end',
      async check(files) {
        await files.append('/log/history.md', 'one\n');
        await files.append('/log/history.md', Buffer.from('two\n'));
        const revision = await files.append('/log/history.md', 'three\n');
        assert.deepEqual(await files.readText('/log/history.md'), { text: 'one\ntwo\nthree\n', revision });
      },
    },
    {
      name: 'lets all appends and writes that are made at once take effect, in order',
      async check(files) {
        const lines = Array.from({ length: 50 }, (_, index) => `line ${index}\n`);
        await Promise.all(lines.map((line) => files.append('/log', line)));
        assert.equal((await files.readText('/log')).text, lines.join(''));
        await Promise.all(lines.map((line) => files.write('/last', line)));
        assert.equal((await files.readText('/last')).text, 'line 49\n');
      },
    },
    ...(maxBytes === undefined ? [] : [limitCheck(maxBytes)]),
  ];
}

function limitCheck(maxBytes: number): FilesCheck {
  return {
    name: 'refuses what is over the limit, and changes nothing',
    async check(files) {
      await files.write('/full', 'x'.repeat(maxBytes));
      await rejectsWith(files.append('/full', 'x'), 'FILE_TOO_LARGE', 'append');
      await rejectsWith(files.write('/full', 'x'.repeat(maxBytes + 1)), 'FILE_TOO_LARGE', 'write');
      assert.equal((await files.stat('/full'))?.size, maxBytes);
      const { bytes } = await files.read('/full', { start: maxBytes - 1, length: maxBytes });
      assert.equal(bytes.length, 1);
    },
  };
}
