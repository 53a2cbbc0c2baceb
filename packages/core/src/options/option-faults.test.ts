import { describe, expect, it } from 'vitest';

import { asStandardSchema, type SchemaIssue } from '../base/schema.ts';
import { optionFaults, type OptionFault } from './option-faults.ts';

const perDay = { type: 'object', properties: { perDay: { type: 'number' }, perHour: { type: 'number' } } };
const schema = asStandardSchema({
  type: 'object',
  properties: { limits: perDay, level: { type: 'string' } },
});
/** A schema that allows any key. */
const open = asStandardSchema({ type: 'object' });

const required = 'Required';

function faults(issues: readonly SchemaIssue[], given: unknown, by = schema): string[] {
  return optionFaults(issues, given, by).map(inShort);
}

function inShort({ path, part, words }: OptionFault): string {
  return `${part} ${path.join('.')}: ${words}`;
}

const notInLimits = 'key limits.perday: there is no such option; did you mean "perDay"?';

describe('an issue of a schema', () => {
  it.each<[string, SchemaIssue, unknown, string[]]>([
    [
      'with unknown keys is a fault of each of them',
      { path: ['limits'], message: 'unrecognized', keys: ['perday', 'x'] },
      { limits: { perday: 3, x: 1 } },
      [notInLimits, 'key limits.x: there is no such option; known: perDay, perHour'],
    ],
    [
      'about an option that does not exist stays a fault of the key',
      { path: ['limits', 'perday'], message: 'there is no such option; known: a' },
      { limits: { perday: 3 } },
      ['key limits.perday: there is no such option; known: a'],
    ],
    [
      'at a key that the schema does not know is one of the key',
      { path: ['limits', 'perday'], message: 'never' },
      { limits: { perday: 3 } },
      [notInLimits],
    ],
    [
      'at a known key is one of the value',
      { path: ['limits', 'perDay'], message: 'not a number' },
      { limits: { perDay: 'many' } },
      ['value limits.perDay: not a number'],
    ],
    [
      'about a missing option is one of the mistyped key',
      { path: ['limits', 'perDay'], message: required },
      { limits: { perHour: 1, perday: 3 } },
      [notInLimits],
    ],
    [
      'about a missing option without such a key stays one of the value',
      { path: ['limits', 'perDay'], message: required },
      { limits: { perHour: 1 } },
      ['value limits.perDay: Required'],
    ],
    [
      'about the options as a whole is one of the value',
      { path: [], message: 'too few' },
      { '': 1 },
      ['value : too few'],
    ],
    [
      'inside a string is one of the value',
      { path: ['level', 'length'], message: 'too long' },
      { level: 'loud' },
      ['value level.length: too long'],
    ],
  ])('%s', (_, issue, given, expected) => {
    expect(faults([issue], given)).toEqual(expected);
  });

  it.each<[string, SchemaIssue, unknown, string]>([
    [
      'names unknown keys without a proposal',
      { path: [], message: 'unrecognized', keys: ['leve'] },
      { leve: 1 },
      'key leve: there is no such option',
    ],
    [
      'names a key that the issue calls the fault',
      { path: ['level'], message: 'never', isKey: true },
      { level: 1 },
      'key level: there is no such option',
    ],
    ['keeps a fault of a value', { path: ['level'], message: 'bad' }, { level: 1 }, 'value level: bad'],
    ['keeps a missing option', { path: ['level'], message: required }, { leve: 1 }, 'value level: Required'],
  ])('of a schema that allows any key %s', (_, issue, given, expected) => {
    expect(faults([issue], given, open)).toEqual([expected]);
  });
});

describe('issues of a schema', () => {
  const misspelt = { limits: { perday: 3 } };
  const unknown: SchemaIssue = { path: ['limits'], message: 'unrecognized', keys: ['perday'] };
  const missing: SchemaIssue = { path: ['limits', 'perDay'], message: required };

  it('report a mistyped key once', () => {
    expect(faults([unknown, missing], misspelt)).toEqual([notInLimits]);
    expect(faults([missing, unknown], misspelt)).toEqual([notInLimits]);
  });

  it('report each of several keys and all faults of a value', () => {
    const given = { a: 1, limits: { a: 1, perDay: 'many' } };
    const issues: SchemaIssue[] = [
      { path: [], message: 'unrecognized', keys: ['a', 'b'] },
      { path: ['limits'], message: 'unrecognized', keys: ['a'] },
      { path: ['limits', 'perDay'], message: 'not a number' },
      { path: ['limits', 'perDay'], message: 'too large' },
    ];
    expect(faults(issues, given)).toEqual([
      'key a: there is no such option; known: limits, level',
      'key b: there is no such option; known: limits, level',
      'key limits.a: there is no such option; known: perDay, perHour',
      'value limits.perDay: not a number',
      'value limits.perDay: too large',
    ]);
  });

  it('keep a fault of a value at the path of an unknown key', () => {
    const given = { limits: { perDay: 1 } };
    const key: SchemaIssue = { path: ['limits', 'perDay'], message: 'never', isKey: true };
    const value: SchemaIssue = { path: ['limits', 'perDay'], message: 'bad' };
    expect(faults([value, key, value], given, open)).toEqual([
      'value limits.perDay: bad',
      'key limits.perDay: there is no such option',
      'value limits.perDay: bad',
    ]);
  });
});
