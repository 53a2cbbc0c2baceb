import { describe, expect, it } from 'vitest';

import {
  codeOf,
  combineErrors,
  formatError,
  formatLocation,
  isShallotError,
  ShallotError,
} from './errors.ts';
import { isTransient } from './is-transient.ts';
import { messageOf, reasonOf } from './thrown.ts';

const failed = new ShallotError('MODEL_FAILED', { message: 'It failed.' });
const busy = new ShallotError('MODEL_OVERLOADED', { message: 'Later.', transient: true });

describe('isShallotError', () => {
  it('recognises an error of another copy of the core by its brand', () => {
    const ofAnotherCopy = Object.assign(new Error('elsewhere'), {
      [Symbol.for('shallot.error')]: true,
      code: 'TOOL_FAILED',
    });
    expect(ofAnotherCopy).not.toBeInstanceOf(ShallotError);
    expect(isShallotError(ofAnotherCopy)).toBe(true);
    expect(isShallotError(ofAnotherCopy, 'TOOL_FAILED')).toBe(true);
  });

  it('tells codes apart', () => {
    expect(isShallotError(failed)).toBe(true);
    expect(isShallotError(failed, 'MODEL_FAILED')).toBe(true);
    expect(isShallotError(failed, 'TOOL_FAILED')).toBe(false);
  });

  it('leaves the brand true, so that other copies of the core recognise it', () => {
    expect(Reflect.get(failed, Symbol.for('shallot.error'))).toBe(true);
  });

  it.each([[new Error('plain')], [{ code: 'MODEL_FAILED' }], ['MODEL_FAILED'], [null], [undefined]])(
    'takes %o for no error of ours',
    (value) => expect(isShallotError(value)).toBe(false),
  );
});

describe('codeOf', () => {
  it('is the code of an error of ours, and empty for any other value', () => {
    expect([
      codeOf(failed),
      codeOf(Object.assign(new Error('plain'), { code: 'ENOENT' })),
      codeOf(null),
    ]).toEqual(['MODEL_FAILED', '', '']);
  });
});

describe('a ShallotError', () => {
  it('has what it was given, and says nothing of the rest', () => {
    const cause = new Error('inside');
    expect(
      new ShallotError('TOOL_FAILED', { message: 'It failed.', cause, transient: true, errors: [failed] }),
    ).toMatchObject({
      name: 'ShallotError',
      code: 'TOOL_FAILED',
      cause,
      transient: true,
      errors: [failed],
    });
    expect(failed).toMatchObject({ transient: false, errors: [], plugin: undefined });
    expect('cause' in failed).toBe(false);
  });
});

describe('isTransient', () => {
  it.each([
    [busy, true],
    [failed, false],
    [Object.assign(new Error('refused'), { isRetryable: true, statusCode: 400 }), true],
    [Object.assign(new Error('refused'), { isRetryable: false, statusCode: 503 }), false],
    ...[408, 409, 425, 429, 500, 502, 503, 529].map((statusCode) => [{ statusCode }, true] as const),
    ...[400, 401, 403, 404, 413, 422].map((statusCode) => [{ statusCode }, false] as const),
    [{ status: 503 }, true],
    [{ statusCode: 400, status: 503 }, false],
    [Object.assign(new Error('reset'), { code: 'ECONNRESET' }), true],
    [Object.assign(new Error('no such file'), { code: 'ENOENT' }), false],
    [new Error('plain'), false],
    ['a text', false],
    [undefined, false],
  ] as const)('%o: %s', (error, expected) => expect(isTransient(error)).toBe(expected));

  it('looks through causes, and ends with a chain that does not', () => {
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    expect(isTransient(new TypeError('fetch failed', { cause: reset }))).toBe(true);
    const circle = new Error('circle');
    circle.cause = circle;
    expect(isTransient(circle)).toBe(false);
  });

  it('believes what one of our errors says, whatever its cause', () => {
    const cause = { statusCode: 503 };
    expect(isTransient(new ShallotError('MODEL_FAILED', { message: 'Given up.', cause }))).toBe(false);
  });
});

describe('messageOf', () => {
  it.each([
    [new Error('it broke'), 'it broke'],
    [new TypeError(''), 'TypeError'],
    [{ message: 'like an error' }, 'like an error'],
    ['a text', 'a text'],
    [undefined, 'undefined'],
    [{ reason: 1 }, '{"reason":1}'],
    [1n, '[object BigInt]'],
  ])('makes a text of %o', (thrown, text) => expect(messageOf(thrown)).toBe(text));
});

describe('reasonOf', () => {
  it('is the message without its full stop', () => {
    expect(reasonOf(new Error('It broke. Mend it.'))).toBe('It broke. Mend it');
    expect(reasonOf(new Error('it broke'))).toBe('it broke');
  });
});

describe('combineErrors', () => {
  const at = { file: 'shallot.config.yaml', line: 2, column: 5 };
  const wrong = new ShallotError('CONFIG_INVALID', { message: 'It is 7.', at, plugin: 'memory' });

  it('lists several with their codes and places, and leaves one as it is', () => {
    const combined = combineErrors('The config is wrong', [wrong, failed]);
    expect(combined).toMatchObject({ code: 'SETUP_FAILED', errors: [wrong, failed] });
    expect(combined.message).toBe(
      'The config is wrong: 2 errors\n' +
        '  CONFIG_INVALID [memory] shallot.config.yaml:2:5: It is 7.\n' +
        '  MODEL_FAILED: It failed.',
    );
    expect(combineErrors('The config is wrong', [wrong])).toBe(wrong);
  });

  it('shows as much of a place as is known', () => {
    const error = new ShallotError('CONFIG_INVALID', { message: 'Empty.', at: { file: 'a.yaml' } });
    expect(formatError(error)).toBe('CONFIG_INVALID a.yaml: Empty.');
  });

  it.each([
    [{ file: 'a.yaml', line: 2, column: 5 }, 'a.yaml:2:5'],
    [{ file: 'a.yaml', line: 2 }, 'a.yaml:2'],
    [{ file: 'a.yaml', column: 5 }, 'a.yaml'],
    [{ file: 'a.yaml' }, 'a.yaml'],
  ])('writes the place %j as %s', (at, written) => {
    expect(formatLocation(at)).toBe(written);
  });
});
