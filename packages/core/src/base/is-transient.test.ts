import { expect, it } from 'vitest';

import { ShallotError } from './errors.ts';
import { isTransient } from './is-transient.ts';

const shallot = (transient: boolean): Error => new ShallotError('MODEL_EMPTY', { message: 'x', transient });
const nested = (error: unknown, depth: number): unknown =>
  depth === 0 ? error : { cause: nested(error, depth - 1) };

it.each([408, 409, 425, 429, 500, 503, 599])('an error with the status %d may pass', (status) => {
  expect([isTransient({ status }), isTransient({ statusCode: status })]).toEqual([true, true]);
});

it.each([200, 400, 404, 499])('an error with the status %d stays', (status) => {
  expect([isTransient({ status }), isTransient({ statusCode: status })]).toEqual([false, false]);
});

it.each([
  [shallot(true), true],
  [shallot(false), false],
  [{ isRetryable: true, status: 400 }, true],
  [{ isRetryable: false, status: 500 }, false],
  [{ isRetryable: 'yes', code: 'ECONNRESET' }, true],
  [{ statusCode: 400, status: 500 }, false],
  [{ code: 'ECONNRESET' }, true],
  [{ code: 'ENOENT' }, false],
  [{ code: 'ENOENT', cause: { code: 'ETIMEDOUT' } }, true],
  [{ code: 5, cause: { code: 'EPIPE' } }, true],
  [nested({ code: 'EPIPE' }, 4), true],
  [nested({ code: 'EPIPE' }, 5), false],
  ['ECONNRESET', false],
  [null, false],
  [undefined, false],
])('%j may pass: %s', (error, may) => {
  expect(isTransient(error)).toBe(may);
});

it('an error that cannot be read stays', () => {
  const error = {
    get status(): number {
      throw new Error('broken');
    },
  };
  expect(isTransient(error)).toBe(false);
});
