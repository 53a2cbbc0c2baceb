import { expect, it } from 'vitest';

import { ShallotError } from '../base/errors.ts';
import { errorsBeside, noteErrorsBeside } from './errors-beside.ts';

const others = [new ShallotError('MODEL_EMPTY', { message: 'no answer' })];

it('errors are kept beside the error that they were noted for, and beside no other', () => {
  const error = new Error('down');
  noteErrorsBeside(error, others);
  expect(errorsBeside(error)).toBe(others);
  expect(errorsBeside(new Error('down'))).toEqual([]);
});

it.each([['a string'], [undefined], [null], [7]])(
  'nothing is kept beside %j, which is thrown, too',
  (thrown) => {
    noteErrorsBeside(thrown, others);
    expect(errorsBeside(thrown)).toEqual([]);
  },
);
