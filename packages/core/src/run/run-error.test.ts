import { describe, expect, it } from 'vitest';

import { ShallotError } from '../base/errors.ts';
import type { Blame } from './parts/blames.ts';
import type { Signs } from './parts/signs.ts';
import { runError } from './run-error.ts';
import type { RunTerms } from './run-terms.ts';

const terms = { parts: { model: { id: 'test/m' } } } as RunTerms;

function errorOf(thrown: unknown, blame?: Blame): ShallotError {
  return runError(terms, { blames: { of: () => blame } } as unknown as Signs, thrown);
}

const at = { file: 'shallot.json', line: 3 };
const inHook: Blame = { plugin: 'audit', hook: 'beforeModel', at };

describe('an error of a run', () => {
  it.each<[string, unknown, Blame | undefined, object]>([
    [
      'of a hook names plugin, hook and place',
      new Error('no'),
      inHook,
      {
        code: 'PLUGIN_FAILED',
        message: 'beforeModel of the plugin audit threw: no',
        plugin: 'audit',
        hook: 'beforeModel',
        at,
      },
    ],
    [
      'of aroundRun names its plugin',
      new Error('no'),
      { plugin: 'audit' },
      {
        code: 'PLUGIN_FAILED',
        message: 'aroundRun of the plugin audit threw: no',
        plugin: 'audit',
        hook: undefined,
      },
    ],
    [
      'of the model names the model',
      new Error('no'),
      {},
      { code: 'MODEL_FAILED', message: 'The model test/m failed: no', plugin: undefined, transient: false },
    ],
    [
      'of the model that may pass says so',
      Object.assign(new Error('no'), { code: 'ECONNRESET' }),
      {},
      { code: 'MODEL_FAILED', transient: true },
    ],
    [
      'of the core asks to be reported',
      new Error('no'),
      undefined,
      { code: 'INTERNAL', message: 'The core failed: no. Please report this.' },
    ],
  ])('%s', (_, thrown, blame, expected) => {
    const error = errorOf(thrown, blame);
    expect(error).toMatchObject(expected);
    expect(error.cause).toBe(thrown);
  });

  it.each<[string, ConstructorParameters<typeof ShallotError>[1], Blame | undefined, object]>([
    [
      'in a hook of another plugin names that one',
      { message: 'no', plugin: 'limits', hook: 'wrapToolCall', transient: true, retryAt: 5 },
      inHook,
      {
        message: 'beforeModel of audit: no',
        plugin: 'audit',
        hook: 'beforeModel',
        at,
        transient: true,
        retryAt: 5,
      },
    ],
    [
      'in aroundRun of another plugin names that one',
      { message: 'no' },
      { plugin: 'audit' },
      { message: 'aroundRun of audit: no', plugin: 'audit', hook: undefined },
    ],
    [
      'of the plugin itself says what it says, and where',
      { message: 'no', plugin: 'audit', at: { file: 'other.json' } },
      inHook,
      { message: 'no', plugin: 'audit', hook: 'beforeModel', at: { file: 'other.json' } },
    ],
    [
      'of nobody else keeps its plugin and hook',
      { message: 'no', plugin: 'limits', hook: 'wrapToolCall' },
      undefined,
      { message: 'no', plugin: 'limits', hook: 'wrapToolCall', transient: false },
    ],
    ['of the model says what it says', { message: 'no' }, {}, { message: 'no', plugin: undefined }],
  ])('with a code of its own %s', (_, parts, blame, expected) => {
    const errors = [new Error('beside')] as never;
    const thrown = new ShallotError('STORE_FAILED', { ...parts, errors });
    const error = errorOf(thrown, blame);
    expect(error).toMatchObject({ code: 'STORE_FAILED', errors, ...expected });
    expect(error.cause).toBe(thrown);
  });

  it('of the core that has a cause is thrown as it is, but not one of a plugin', () => {
    const thrown = new ShallotError('TOOL_FAILED', { message: 'no', cause: new Error('inner') });
    expect(errorOf(thrown)).toBe(thrown);
    expect(errorOf(thrown, inHook).cause).toBe(thrown);
  });
});
