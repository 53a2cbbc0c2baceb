import { expect, test } from 'vitest';

import {
  badPath,
  byPath,
  foldName,
  isWindowsName,
  quotePath,
  splitPath,
  splitRemoved,
  splitWithin,
} from './path.ts';

test.each(['a.txt', 'a..b', '[...slug]', 'console', 'com10', '日本'])('%j is a name on Windows', (name) => {
  expect(isWindowsName(name)).toBe(true);
});

test.each(['..\\x', 'C:', 'a.txt:stream', 'x.', 'x ', 'NUL', 'con.txt', 'Com1', 'a?', 'a\tb'])(
  '%j means something else there',
  (name) => {
    expect(isWindowsName(name)).toBe(false);
  },
);

test('a path with such a name is refused on Windows alone', () => {
  expect(() => splitPath('/a/NUL', 'file', 'win32')).toThrow(
    'a name with another meaning, or none, on Windows',
  );
  expect(splitPath('/a/b.txt', 'file', 'win32')).toEqual(['a', 'b.txt']);
  for (const platform of ['linux', 'darwin'] as const)
    expect(splitPath('/a/NUL', 'file', platform)).toEqual(['a', 'NUL']);
});

test.each(['tmp', 'lock', 'lock.steal', 'LOCK'])(
  'a name of locks and unfinished files is refused (%s)',
  (end) => {
    const name = `.shallot-0123456789abcdef.${end}`;
    for (const path of [`/${name}`, `/a/${name}`, `/${name}/a`]) {
      expect(() => splitPath(path)).toThrow(expect.objectContaining({ code: 'FILE_PATH' }) as Error);
      expect(() => splitPath(path, 'directory')).toThrow('reserved for temporary files');
    }
    expect(splitPath(`/a${name}`)).toEqual([`a${name}`]);
  },
);

const longPath = `/${'a/'.repeat(2047)}a`;

test('a path names a file, up to the limits of file systems', () => {
  expect([splitPath('/a/b'), splitPath('//a/./b')]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  expect(splitPath(`/${'n'.repeat(255)}`)).toEqual(['n'.repeat(255)]);
  expect(splitPath(longPath)).toHaveLength(2048);
});

test.each([
  ['does not start with "/"', 'a'],
  ['of type undefined does not start with "/"', undefined],
  ['is longer than 4096 bytes', `${longPath}b`],
  ['contains a NUL character', '/a\0'],
  ['contains half a surrogate pair', '/\ud800'],
  ['names a directory, not a file', '/a/'],
  ['names the root, not a file', '/.'],
  ['contains ".."', '/a/../b'],
  ['contains a name of more than 255 bytes', `/${'n'.repeat(256)}`],
  ['contains a name of more than 255 bytes', `/${'é'.repeat(128)}`],
])('a path that %s names no file', (fault, path) => {
  expect(() => splitPath(path as string)).toThrow(fault);
});

test.each(['/', '/a/', '/.', '//a//'])('%s names a directory', (path) => {
  expect(splitPath(path, 'directory')).toEqual(path.includes('a') ? ['a'] : []);
});

test('a path to remove may end like a directory if that is removed with all in it, but for the root', () => {
  expect([splitRemoved('/a/', true), splitRemoved('/a', true), splitRemoved('/a', false)]).toEqual([
    ['a'],
    ['a'],
    ['a'],
  ]);
  for (const [path, recursive] of [
    ['/a/', false],
    ['/', true],
    ['/.', true],
  ] as const)
    expect(() => splitRemoved(path, recursive)).toThrow(expect.objectContaining({ code: 'FILE_PATH' }));
});

test('a path within a directory is split there', () => {
  expect(splitWithin('/a/b/c', '/a/b/')).toEqual({ outer: ['a', 'b'], inner: ['c'] });
  expect(splitWithin('/a', '/')).toEqual({ outer: [], inner: ['a'] });
  for (const [path, directory] of [
    ['/a/b', '/a/b'],
    ['/a', '/a/b'],
    ['/a/c/d', '/a/b'],
    ['/ab/c', '/a'],
  ] as const)
    expect(() => splitWithin(path, directory)).toThrow(`The path "${path}" is not in "${directory}".`);
});

test('paths are compared by their characters alone', () => {
  const entries = ['/b', '/a/b', '/a-b', '/B', '/a', '/a'].map((path) => ({ path, kind: 'file' as const }));
  expect(entries.toSorted(byPath).map(({ path }) => path)).toEqual(['/B', '/a', '/a', '/a-b', '/a/b', '/b']);
});

test.each([
  ['A-Z~ ', 'a-z~ '],
  ['.E\u200bNV', '.env'],
  ['\uff21', 'a'],
  ['stra\u00dfe', 'strasse'],
  ['\u0130', 'i\u0307'],
])('%j is folded to %j', (name, folded) => {
  expect(foldName(name)).toBe(folded);
});

test('a control character is in no name on Windows', () => {
  expect([isWindowsName('a\u001f'), isWindowsName('a\u0020b')]).toEqual([false, true]);
});

test('a path is quoted, and cut if it is long', () => {
  expect([quotePath('a"b'), quotePath(7)]).toEqual([String.raw`"a\"b"`, 'of type number']);
  expect([quotePath('a'.repeat(200)), quotePath('a'.repeat(201))]).toEqual([
    `"${'a'.repeat(200)}"`,
    `"${'a'.repeat(200)}"…`,
  ]);
  expect(badPath('/a', 'is odd').message).toBe(
    'The path "/a" is odd. Use an absolute path such as "/notes/today.md".',
  );
});
