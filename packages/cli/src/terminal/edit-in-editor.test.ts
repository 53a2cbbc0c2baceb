import { expect, it } from 'vitest';

import { quotePath } from './edit-in-editor.ts';

it.each([
  ['linux', "/tmp/Ann's notes.md", String.raw`'/tmp/Ann'\''s notes.md'`],
  ['darwin', '/tmp/$HOME.md', "'/tmp/$HOME.md'"],
  ['win32', String.raw`C:\Temp\Ann's notes.md`, String.raw`"C:\Temp\Ann's notes.md"`],
] as const)('a path is quoted for the shell of %s: %s', (platform, path, quoted) => {
  expect(quotePath(path, platform)).toBe(quoted);
});
