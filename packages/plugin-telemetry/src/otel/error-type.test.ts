import { ShallotError } from '@shallot/core';
import { expect, it } from 'vitest';

import { errorType } from './error-type.ts';

class Refused extends Error {}

it.each<readonly [string, unknown]>([
  ['MODEL_AUTH', new ShallotError('MODEL_AUTH', { message: 'no key' })],
  ['hitl/UNKNOWN_TOOL', new ShallotError('hitl/UNKNOWN_TOOL', { message: 'not there' })],
  ['ECONNRESET', Object.assign(new Error('reset by 10.0.0.1'), { code: 'ECONNRESET' })],
  ['Error', Object.assign(new Error('no'), { code: 'user 4711 is not known' })],
  ['TypeError', new TypeError('no')],
  ['AbortError', new DOMException('given up', 'AbortError')],
  ['Refused', new Refused('no')],
  ['_OTHER', 'a text that says more than a type'],
  ['_OTHER', undefined],
])('the error type is %s, and never a message', (type, error) => {
  expect(errorType(error)).toBe(type);
});
