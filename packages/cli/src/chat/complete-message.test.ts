import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { attachFiles } from './attach-files.ts';
import { completeMention } from './complete-mention.ts';
import { completeMessage } from './complete-message.ts';

const outside = mkdtempSync(join(tmpdir(), 'complete-'));
const folder = join(outside, 'folder');
mkdirSync(join(folder, 'src/keys'), { recursive: true });
mkdirSync(join(folder, 'my notes'));
mkdirSync(join(folder, 'smiles'));
for (const name of [
  'secret.txt',
  'folder/README.md',
  'folder/.env',
  'folder/src/index.ts',
  'folder/src/input.ts',
  'folder/smiles/😀.txt',
  'folder/smiles/😁.txt',
  'folder/my notes/a b.md',
  'folder/cafe\u0301.md',
])
  writeFileSync(join(outside, name), 'x');
symlinkSync(join(outside, 'secret.txt'), join(folder, 'out.txt'));
symlinkSync(join(folder, 'nothing'), join(folder, 'broken'));
symlinkSync(join(folder, 'src'), join(folder, 'linked'));
afterAll(() => rmSync(outside, { recursive: true }));

/** A text after Tab; `|` is the cursor. */
function tab(typed: string): string {
  const cursor = typed.indexOf('|');
  const from = { text: typed.replace('|', ''), cursor };
  const { draft } = completeMessage(from, { names: ['/plugins', '/pending'], folder });
  return `${draft.text.slice(0, draft.cursor)}|${draft.text.slice(draft.cursor)}`;
}

describe('Tab in a message', () => {
  it.each([
    ['@REA|', '@README.md |'],
    ['See @sr|', 'See @src/|'],
    ['See\n@src/k|, please', 'See\n@src/keys/|, please'],
    ['@src/in|', '@src/in|'],
    ['@src/ind|', '@src/index.ts |'],
    ['@./src/../REA|', '@./src/../README.md |'],
    ['@linked/ind|', '@linked/index.ts |'],
    ['@smiles/😀|', '@smiles/😀.txt |'],
    ['@my|', '@"my notes/|'],
    ['@"my notes/a|', '@"my notes/a b.md" |'],
    ['@"REA|', '@"README.md" |'],
    ['@caf\u00e9|', '@cafe\u0301.md |'],
    ['@.e|', '@.env |'],
    ['/pl|', '/plugins |'],
    ['/p|', '/p|'],
  ])('%j becomes %j', (typed, completed) => {
    expect(tab(typed)).toBe(completed);
  });

  it.each([
    '|',
    'plain|',
    'a@REA|',
    '@|nothing',
    '@out|',
    '@bro|',
    '@../sec|',
    '@/et|',
    '@nothing/x|',
    '@README.md/|',
  ])('%j stays', (typed) => {
    expect(tab(typed)).toBe(typed);
  });

  it('splits no character of which two names share a half', () => {
    expect(tab('@smiles/|')).toBe('@smiles/|');
  });

  it('lists what can be mentioned, without hidden files', () => {
    const names = ['README.md', 'cafe\u0301.md', 'linked/', 'my notes/', 'smiles/', 'src/'];
    expect(completeMention('@', folder)?.choices).toEqual(names);
    expect(completeMention('@.', folder)?.choices).toEqual(['.env']);
  });

  it.skipIf(process.platform === 'win32')('offers no name that a mention cannot contain', () => {
    const odd = mkdtempSync(join(outside, 'odd-'));
    for (const name of ['"quoted".md', 'line\nfeed.md', 'plain.md']) writeFileSync(join(odd, name), 'x');
    expect(completeMention('@', odd)?.choices).toEqual(['plain.md']);
  });

  it('takes a backslash for a slash on Windows alone', () => {
    expect(completeMention(String.raw`@src\ind`, folder, 'win32')?.text).toBe('@src/index.ts ');
    expect(completeMention(String.raw`@src\ind`, folder, 'linux')?.choices).toEqual([]);
  });

  it('completes to mentions that attach the file', () => {
    for (const typed of ['@REA', '@"my notes/a', '@src/ind', '@caf']) {
      const text = completeMention(typed, folder)?.text ?? '';
      expect(attachFiles(text.trim(), folder)).toMatchObject({ input: { content: [{}, {}] } });
    }
  });
});
