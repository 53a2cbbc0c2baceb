import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { isSealed, sealed } from './seal.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-seal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const text = 'rules:\n  - allow: read\n';

it('a sealed text is recognized beside its key, and no other', () => {
  const folder = makeFolder();
  const file = join(folder, 'rules.yaml');
  const own = sealed(text, file);
  const [line = ''] = own.slice(text.length).split('\n');
  expect(own).toBe(`${text}${line}\n`);
  expect(line).toMatch(/^# seal: [\w-]{43}$/);
  expect(isSealed(own, file)).toBe(true);
  expect(isSealed(sealed('', file), file)).toBe(true);
  // The text may quote a seal; the last one counts.
  expect(isSealed(sealed(own, file), file)).toBe(true);
  for (const other of [
    text,
    '',
    `x${own}`,
    own.replace('allow', 'alloW'),
    `${own}more\n`,
    own.trimEnd(),
    line,
    `${text}# seal: \n`,
    `${text}# seal: ${'A'.repeat(43)}\n`,
  ])
    expect([other, isSealed(other, file)]).toEqual([other, false]);
});

it('another directory has another key, and seals nothing before it has one', () => {
  const [one, other] = [join(makeFolder(), 'rules.yaml'), join(makeFolder(), 'rules.yaml')];
  const own = sealed(text, one);
  expect(isSealed(own, other)).toBe(false);
  sealed(text, other);
  expect(isSealed(own, other)).toBe(false);
  expect(isSealed(own, one)).toBe(true);
});

it('the key is made once, for its owner alone, with the directories above it', () => {
  const folder = makeFolder();
  const file = join(folder, 'deep', 'er', 'rules.yaml');
  const first = sealed(text, file);
  const beside = join(folder, 'deep', 'er');
  const key = join(beside, 'seal.key');
  expect(readdirSync(beside)).toEqual(['seal.key']);
  expect(Buffer.from(readFileSync(key, 'utf8'), 'base64url')).toHaveLength(32);
  const modes = [key, beside].map((path) => statSync(path).mode & 0o777);
  expect(process.platform === 'win32' ? [0o600, 0o700] : modes).toEqual([0o600, 0o700]);
  expect(sealed(text, file)).toBe(first);
  expect(sealed('else', file)).not.toContain(first.slice(text.length));
});

it('where no key can be kept, sealing fails, and leaves nothing behind', () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'file'), '');
  expect(() => sealed(text, join(folder, 'file', 'rules.yaml'))).toThrow(
    'EEXIST: file already exists, mkdir',
  );
  expect(readdirSync(folder)).toEqual(['file']);
  expect(existsSync(join(folder, 'seal.key'))).toBe(false);
});
