import { expect, it } from 'vitest';

import { ShallotError } from '../../base/errors.ts';
import { isTransient } from '../../base/is-transient.ts';
import { journalledFailure, revivedFailure } from './journalled-failure.ts';

const passes = { message: 'busy', transient: true };

it.each([
  [
    new ShallotError('shop/BUSY', { ...passes, retryAt: 5 }),
    { code: 'shop/BUSY', transient: true, retryAt: 5 },
  ],
  [new ShallotError('shop/BUSY', { ...passes, retryAt: Number.NaN }), { code: 'shop/BUSY', transient: true }],
  [new ShallotError('shop/CLOSED', { message: 'closed' }), { code: 'shop/CLOSED' }],
  [Object.assign(new Error('busy'), { status: 503 }), { transient: true }],
  [new Error('no honey'), {}],
  ['no honey', {}],
])('keeps of an error what layers decide by: %s', (error, failure) => {
  const kept = journalledFailure(error);
  expect(kept).toEqual(failure);
  const revived = revivedFailure(JSON.parse(JSON.stringify(kept)) as typeof kept, 'It failed.');
  const { transient: _transient, ...said } = failure as typeof kept;
  expect(revived).toMatchObject({ ...said, message: 'It failed.' });
  expect(isTransient(revived)).toBe('transient' in failure);
});
