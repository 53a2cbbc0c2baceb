import assert from 'node:assert/strict';

import type { Files } from '@shallot/core/files';

import { rejectsWith } from '../conformance.ts';
import type { FilesCheck } from './content-checks.ts';

/** Names that look special but must be treated as plain names. */
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

export function pathChecks(): FilesCheck[] {
  return [
    ...plainNames.map(plainNameCheck),
    ...badPaths.map(badPathCheck),
    {
      name: 'lists files and directories by path, one level or all',
      async check(files) {
        for (const path of ['/b.md', '/a/y/z.md', '/a/x.md', '/a-b', '/c/d', '/C.md']) {
          await files.write(path, path);
        }
        assert.deepEqual(await files.list('/'), [
          { path: '/C.md', kind: 'file' },
          { path: '/a', kind: 'directory' },
          { path: '/a-b', kind: 'file' },
          { path: '/b.md', kind: 'file' },
          { path: '/c', kind: 'directory' },
        ]);
        assert.deepEqual(await files.list('/a'), await files.list('/a/'));
        assert.deepEqual(await files.list('/a', { recursive: true }), [
          { path: '/a/x.md', kind: 'file' },
          { path: '/a/y', kind: 'directory' },
          { path: '/a/y/z.md', kind: 'file' },
        ]);
      },
    },
    {
      name: 'lists nothing in a missing directory',
      async check(files) {
        assert.deepEqual(await files.list('/'), []);
        assert.deepEqual(await files.list('/none', { recursive: true }), []);
      },
    },
    {
      name: 'takes all spellings of a path for one',
      async check(files) {
        await files.write('//a/./b', 'x');
        assert.equal((await files.readText('/a//b')).text, 'x');
        assert.deepEqual(await files.list('/./a'), [{ path: '/a/b', kind: 'file' }]);
      },
    },
    {
      name: 'refuses a directory as a file',
      async check(files) {
        await files.write('/a/b', 'x');
        for (const [what, work] of fileOperations(files, '/a')) await rejectsWith(work(), 'FILE_KIND', what);
        for (const path of ['/', '/a/']) {
          for (const [what, work] of fileOperations(files, path)) {
            await rejectsWith(work(), 'FILE_PATH', `${what} ${path}`);
          }
        }
        assert.equal((await files.readText('/a/b')).text, 'x');
      },
    },
    {
      name: 'refuses a file as a directory',
      async check(files) {
        await files.write('/a', 'x');
        await rejectsWith(files.list('/a'), 'FILE_KIND', 'list');
        await rejectsWith(files.write('/a/b', 'x'), 'FILE_KIND', 'write');
        await rejectsWith(files.append('/a/b/c', 'x'), 'FILE_KIND', 'append');
        assert.equal(await files.stat('/a/b'), undefined);
        assert.equal((await files.readText('/a')).text, 'x');
      },
    },
    {
      name: 'reads within a directory what is in it, and nothing else',
      async check(files) {
        await files.write('/a/b/c.md', 'x');
        await files.write('/ab', 'y');
        for (const within of ['/', '/a', '/a/', '/a/b']) {
          assert.equal((await files.readText('/a/b/c.md', { within })).text, 'x');
          assert.equal((await files.stat('/a/b/c.md', { within }))?.size, 1);
        }
        assert.equal(await files.stat('/a/none', { within: '/a' }), undefined);
        for (const [path, within] of [
          ['/ab', '/a'],
          ['/a/b/c.md', '/a/b/c.md'],
          ['/a/b/c.md', '/c'],
          ['/a/../ab', '/a'],
        ] as const) {
          await rejectsWith(files.stat(path, { within }), 'FILE_PATH', `stat ${path}`);
          await rejectsWith(files.read(path, { within }), 'FILE_PATH', `read ${path}`);
          await rejectsWith(files.readText(path, { within }), 'FILE_PATH', `readText ${path}`);
        }
      },
    },
  ];
}

function plainNameCheck(name: string): FilesCheck {
  return {
    name: `takes the name ${shown(name)} literally`,
    async check(files) {
      const path = `/in/${name}`;
      const revision = await files.write(path, name);
      assert.deepEqual(await files.readText(path), { text: name, revision });
      assert.deepEqual(await files.list('/', { recursive: true }), [
        { path: '/in', kind: 'directory' },
        { path, kind: 'file' },
      ]);
      assert.equal(await files.remove(path), true);
    },
  };
}

function badPathCheck(path: string): FilesCheck {
  return {
    name: `refuses the path ${shown(path)} everywhere`,
    async check(files) {
      await rejectsWith(files.list(path), 'FILE_PATH', 'list');
      for (const [what, work] of fileOperations(files, path)) await rejectsWith(work(), 'FILE_PATH', what);
    },
  };
}

type Operation = readonly [name: string, work: () => Promise<unknown>];

function fileOperations(files: Files, path: string): Operation[] {
  return [
    ['stat', () => files.stat(path)],
    ['read', () => files.read(path)],
    ['readText', () => files.readText(path)],
    ['write', () => files.write(path, 'x')],
    ['append', () => files.append(path, 'x')],
    ['remove', () => files.remove(path)],
  ];
}

function shown(text: string): string {
  return text.length > 40
    ? `${JSON.stringify(text.slice(0, 8))}… (${text.length} characters)`
    : JSON.stringify(text);
}
