import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { ShallotError } from '../base/errors.ts';
import { isBusy, storeError } from './sqlite-errors.ts';

const sqlite = (errcode: number): Error => Object.assign(new Error('said'), { errcode });
const system = (code: string): Error => Object.assign(new Error('said'), { code, syscall: 'open' });

it('only a lock of another connection is busy', () => {
  expect([5, 6, 5 + 256, 1, 8, 10, 19].map((code) => isBusy(sqlite(code)))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  for (const other of [
    system('EBUSY'),
    { errcode: 5 },
    undefined,
    Object.assign(new Error('x'), { errcode: '5' }),
  ])
    expect(isBusy(other)).toBe(false);
});

it.each([
  [sqlite(5), 'STORE_FAILED', true, 'is locked by another process (said). Try again later.'],
  [sqlite(6), 'STORE_FAILED', true, 'is locked by another process (said). Try again later.'],
  [sqlite(8), 'STORE_FAILED', false, 'is read-only (said). Make the file'],
  [sqlite(8 + 256), 'STORE_FAILED', false, 'is read-only'],
  [sqlite(10), 'STORE_FAILED', false, 'cannot be read or written (said). Check the disk'],
  [sqlite(13), 'STORE_FAILED', false, 'cannot grow: the disk is full (said). Free some space'],
  [sqlite(14), 'STORE_FAILED', false, 'cannot be'],
  [sqlite(11), 'STORE_DAMAGED', false, 'is damaged: SQLite says: said.'],
  [sqlite(26), 'STORE_DAMAGED', false, 'is damaged: SQLite says: said.'],
  [sqlite(1), 'STORE_DAMAGED', false, 'is damaged: SQLite says: said.'],
  [sqlite(19), 'STORE_DAMAGED', false, 'is damaged: SQLite says: said.'],
  [sqlite(21), 'STORE_FAILED', false, 'failed (said). See the cause.'],
  [system('ENOSPC'), 'STORE_FAILED', false, 'the disk is full'],
  [system('EDQUOT'), 'STORE_FAILED', false, 'the disk is full'],
  [system('EROFS'), 'STORE_FAILED', false, 'is read-only'],
  [system('EACCES'), 'STORE_FAILED', false, 'cannot be'],
  [new Error('said'), 'STORE_FAILED', false, 'failed (said)'],
  [
    Object.assign(new Error('said'), { code: 'ERR_OUT_OF_RANGE' }),
    'STORE_DAMAGED',
    false,
    'an unexpected number: said',
  ],
])('%s becomes an error of the store', (error, code, transient, message) => {
  expect(storeError('/none/sessions.db', error)).toMatchObject({
    code,
    transient,
    cause: error,
    message: expect.stringContaining(message) as string,
  });
});

it('an error of the store stays as it is', () => {
  const error = new ShallotError('STORE_CONFLICT', { message: 'x' });
  expect(storeError('/none/sessions.db', error)).toBe(error);
});

it('a database that is a directory is named as such', () => {
  const root = mkdtempSync(join(tmpdir(), 'shallot-errors-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  expect(storeError(root, sqlite(14)).message).toContain(
    'is a directory (said). Name a file, such as sessions.db in it.',
  );
});
