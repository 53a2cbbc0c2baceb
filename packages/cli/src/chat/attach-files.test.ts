import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { attachFiles, isOutside } from './attach-files.ts';

const outside = mkdtempSync(join(tmpdir(), 'attach-'));
const folder = join(outside, 'folder');
mkdirSync(join(folder, 'src'), { recursive: true });
for (const [name, content] of Object.entries({
  'secret.txt': 'no',
  'folder/notes.md': 'one\n```\ntwo\n```\n',
  'folder/a file.txt': 'spaced',
  'folder/Makefile': 'all:',
  'folder/cat.PNG': Buffer.from([0x89, 0x50]),
  'folder/data.bin': Buffer.from([0, 1, 2, 0xff]),
  'folder/big.txt': 'x'.repeat(300_000),
  'folder/big.png': Buffer.alloc(6 * 1024 * 1024),
}))
  writeFileSync(join(outside, name), content);
symlinkSync(join(outside, 'secret.txt'), join(folder, 'link.txt'));
afterAll(() => rmSync(outside, { recursive: true }));

const text = (value: string) => ({ type: 'text', text: value });

describe('a message with files', () => {
  it.each([
    ['plain', 'plain'],
    ['mail to a@b.org, @ann and \\@src/x', 'mail to a@b.org, @ann and @src/x'],
    ['See @notes.md.', [text('See @notes.md.'), text('notes.md:\n````\none\n```\ntwo\n```\n````')]],
    ['@"a file.txt"', [text('@"a file.txt"'), text('a file.txt:\n```\nspaced\n```')]],
    ['@Makefile?', [text('@Makefile?'), text('Makefile:\n```\nall:\n```')]],
    [
      'Who is @./cat.PNG or @cat.PNG',
      [
        text('Who is @./cat.PNG or @cat.PNG'),
        { type: 'file', mediaType: 'image/png', data: 'iVA=', name: 'cat.PNG' },
      ],
    ],
  ])('%j has what it mentions', (typed, content) => {
    const input = typeof content === 'string' ? content : { role: 'user', content };
    expect(attachFiles(typed, folder)).toEqual({ input });
  });

  it.each([
    ['@../secret.txt', 'is outside of'],
    ['@/etc/passwd', 'is outside of'],
    ['@../nothing/there.txt', 'is outside of'],
    ['@link.txt', 'is outside of'],
    ['@src/../../secret.txt', 'is outside of'],
    ['@none.md', 'does not exist. To write it as text, put a backslash before the @.'],
    ['@"no file"', 'does not exist.'],
    ['@notes.md/x', 'does not exist.'],
    ['@src', 'is a directory.'],
    ['@data.bin', 'is neither text in UTF-8 nor an image'],
    ['@big.txt', 'is too large: 293 kB, of at most 256 kB.'],
    ['@big.png', 'is too large: 6,144 kB, of at most 5,120 kB.'],
    ['@\u001b[2J.md', 'does not exist.'],
  ])('%j is refused', (typed, problem) => {
    const attached = attachFiles(`See ${typed}`, folder);
    expect(attached).toEqual({ problems: [expect.stringContaining(problem) as string] });
    // oxlint-disable-next-line no-control-regex -- control characters are what it is about
    expect(JSON.stringify(attached)).not.toMatch(/\\u001b|\u001b/);
  });
});

it.each([
  [win32, 'C:\\work\\src\\a.ts', false],
  [win32, 'c:\\WORK\\a.ts', false],
  [win32, 'C:\\work\\..notes', false],
  [win32, 'C:\\worker\\a.ts', true],
  [win32, 'D:\\work\\a.ts', true],
  [win32, '\\\\host\\work\\a.ts', true],
  [posix, '/work/src/a.ts', false],
  [posix, '/work/..notes', false],
  [posix, '/worker/a.ts', true],
  [posix, '/WORK/a.ts', true],
])('a path may be outside of the folder (%#)', (platform, path, outside) => {
  expect(isOutside(path, platform === win32 ? 'C:\\work' : '/work', platform)).toBe(outside);
});
