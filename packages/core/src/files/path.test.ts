import { expect, test } from 'vitest';

import { isWindowsName, splitPath } from './path.ts';

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
