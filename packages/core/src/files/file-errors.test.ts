import { describe, expect, it } from 'vitest';

import { ShallotError } from '../base/errors.ts';
import { checkFileRevision, checkSize, fileFailed } from './file-errors.ts';

function systemError(code: string, message = `${code}: it failed, open '/srv/a\nb'`): Error {
  return Object.assign(new Error(message), { code });
}

describe('an error of the system', () => {
  it.each([
    ['EACCES', false, ' Check the owner of the file and its directory.'],
    ['EPERM', false, ' Check the owner of the file and its directory.'],
    ['EROFS', false, ' The disk is read-only.'],
    ['ENOSPC', false, ' The disk is full: free some space.'],
    ['EDQUOT', false, ' The quota is used up: free some space.'],
    ['EMFILE', true, ' Too many files are open: do less in parallel, or raise `ulimit -n`.'],
    ['ENFILE', true, ' Too many files are open on this machine.'],
    ['EBUSY', true, ''],
    ['EAGAIN', true, ''],
    ['EINTR', true, ''],
    ['EIO', false, ''],
  ])('%s is passed on without paths of the machine (transient: %s)', (code, transient, advice) => {
    const cause = systemError(code);
    expect(fileFailed('/a', 'read', cause)).toMatchObject({
      code: 'FILE_FAILED',
      message: `Could not read "/a": ${code}: it failed.${advice}`,
      cause,
      transient,
    });
  });

  it('without a code is passed on, and one of our own stays as it is', () => {
    expect(fileFailed('/a', 'write', new Error('no'))).toMatchObject({
      message: 'Could not write "/a": no.',
      transient: false,
    });
    const own = new ShallotError('FILE_PATH', { message: 'a path' });
    expect(fileFailed('/a', 'write', own)).toBe(own);
  });
});

it('a size is refused beyond the limit', () => {
  expect(() => checkSize('/a', 10, 10)).not.toThrow();
  expect(() => checkSize('/a', 11, 10)).toThrow('"/a" has 11 bytes; the limit is 10.');
});

it.each([
  [undefined, undefined, undefined],
  [undefined, 'one', undefined],
  ['one', 'one', undefined],
  [null, undefined, undefined],
  [null, 'one', '"/a" already exists, at revision one. Read it again.'],
  ['one', undefined, '"/a" no longer exists; its revision was one. Read it again.'],
  ['one', 'two', '"/a" is at revision two, not one: it has changed since it was read. Read it again.'],
])('the revision %j is expected, and %j is found: %s', (expected, found, message) => {
  const failed: unknown[] = [];
  try {
    checkFileRevision('/a', expected, found);
  } catch (error) {
    failed.push(error);
  }
  expect(failed).toMatchObject(message === undefined ? [] : [{ code: 'FILE_CONFLICT', message }]);
});
