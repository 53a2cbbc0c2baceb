import { describe, expect, it } from 'vitest';

import type { Touch } from '../contract/permissions/call-matcher.ts';
import { coversPart, coversTouch, coversWhole, type ReadCall } from './covers-part.ts';
import { fitsPattern } from './fits-pattern.ts';

const rule = (name: string, pattern?: string) => ({ text: name, name, pattern });
const touch = (what: string, subject = 'edit'): Touch => ({
  subject,
  access: 'write',
  what,
  covers: (pattern) => (pattern === 'unclear' ? undefined : pattern === '' || fitsPattern(pattern, what)),
  narrowest: undefined,
});
const plain: ReadCall = { tool: 'send', input: { to: 'me' }, subjects: [], touches: undefined };
const read: ReadCall = {
  tool: 'write_file',
  input: {},
  subjects: ['edit'],
  touches: [touch('a.ts'), touch('b.md')],
};
const unread: ReadCall = { ...read, touches: undefined };

describe('a rule', () => {
  it.each([
    [rule('send'), true],
    [rule('se*'), true],
    [rule('other'), false],
    [rule('send', 'to=me'), true],
    [rule('send', 'to=you'), false],
    [rule('send', 'nothing to compare'), undefined],
    [rule('other', 'to=me'), false],
  ])('%j covers a call without a matcher: %s', (given, covers) => {
    expect(coversPart(given, 'allow', plain)).toBe(covers);
    expect(coversWhole(given, 'allow', plain)).toBe(covers);
  });

  it.each([
    [rule('edit'), true],
    [rule('edit', '*.ts'), true],
    [rule('edit', '*.js'), false],
    [rule('edit', 'unclear'), undefined],
    [rule('write_file'), true],
    [rule('write_file', '*.md'), true],
    [rule('write_*', '*.js'), false],
    [rule('shell'), false],
    [rule('shell', '*.ts'), false],
    [rule('edit', ''), false],
  ])('%j covers a part of a call that its matcher reads: %s', (given, covers) => {
    expect(coversPart(given, 'deny', read)).toBe(covers);
  });

  it('of the tool alone covers a call as a whole, and one with a pattern does not', () => {
    expect(coversWhole(rule('write_file'), 'allow', read)).toBe(true);
    expect(coversWhole(rule('write_file', '*'), 'allow', read)).toBe(false);
    expect(coversWhole(rule('edit'), 'allow', read)).toBe(false);
  });

  it.each([
    [rule('edit'), undefined],
    [rule('edit', '*.ts'), undefined],
    [rule('write_file', '*.ts'), undefined],
    [rule('write_file'), true],
    [rule('shell'), false],
  ])('%j covers a call of which nobody knows what it touches: %s', (given, covers) => {
    expect(coversPart(given, 'deny', unread)).toBe(covers);
  });

  it('covers what a call touches by its word or by the tool', () => {
    expect(coversTouch(rule('edit'), 'ask', touch('a.ts'), read)).toBe(true);
    expect(coversTouch(rule('write_file', '*.ts'), 'ask', touch('a.ts'), read)).toBe(true);
    expect(coversTouch(rule('edit', '*.md'), 'ask', touch('a.ts'), read)).toBe(false);
    expect(coversTouch(rule('read'), 'ask', touch('a.ts'), read)).toBe(false);
  });
});
