import { expect, test } from 'vitest';

import { isWindowsName } from './path.ts';

test.each(['a.txt', 'a..b', '[...slug]', 'console', 'com10', '日本'])('%j is a name on Windows', (name) => {
  expect(isWindowsName(name)).toBe(true);
});

test.each(['..\\x', 'C:', 'a.txt:stream', 'x.', 'x ', 'NUL', 'con.txt', 'Com1', 'a?', 'a\tb'])(
  '%j means something else there',
  (name) => {
    expect(isWindowsName(name)).toBe(false);
  },
);
