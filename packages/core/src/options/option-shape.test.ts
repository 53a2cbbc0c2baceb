import { describe, expect, it } from 'vitest';

import {
  asSentence,
  isUnknownOption,
  issueSentence,
  readOptions,
  shapeSchema,
  unknownOption,
} from './option-shape.ts';
import { option } from './options-schema.ts';

const shape = {
  path: option.text().required(),
  limit: option.integer({ min: 1 }).default(5),
  note: option.text(),
  at: option.code('a Date', (value): value is Date => value instanceof Date),
};

describe('options of a function', () => {
  it('are what was given, with defaults, frozen', () => {
    const options = readOptions('f', shape, { path: 'a', note: undefined });
    expect(options).toStrictEqual({ path: 'a', limit: 5 });
    expect(Object.isFrozen(options)).toBe(true);
  });

  it('are refused with all that is wrong', () => {
    const given = { pth: 'a', limit: 0, zzzzzzzz: 1, note: null };
    expect(() => readOptions('f', shape, given)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: [
          'There is no option "pth" of f; did you mean "path"?',
          'There is no option "zzzzzzzz" of f; known: path, limit, note, at.',
          'The option "limit" of f is 0; write a whole number of at least 1.',
          'The option "note" of f is null; write a string.',
        ].join('\n'),
      }),
    );
    expect(() => readOptions('f', shape, {})).toThrow('The option "path" of f is missing; write a string.');
  });

  it('have a JSON Schema of what a file can hold', () => {
    expect(shapeSchema(shape)).toStrictEqual({
      type: 'object',
      properties: {
        path: { type: 'string' },
        limit: { type: 'integer', minimum: 1, default: 5 },
        note: { type: 'string' },
      },
      required: ['path'],
      additionalProperties: false,
    });
    expect(shapeSchema({ note: option.text() })).not.toHaveProperty('required');
  });
});

it('an issue is a sentence about its subject', () => {
  expect(unknownOption('a', undefined)).toBe('there is no such option');
  expect(unknownOption('a', [])).toBe('there is no such option; known: none');
  expect([isUnknownOption(unknownOption('a', [])), isUnknownOption('it is 1')]).toEqual([true, false]);
  expect(issueSentence('it is 1; write it', 'The option', 'x')).toBe('The option is 1; write it.');
  expect(issueSentence(unknownOption('a', undefined), 'x', 'option "a"')).toBe('There is no option "a".');
  expect(['a', 'a.', 'a?', 'a!'].map(asSentence)).toEqual(['a.', 'a.', 'a?', 'a!']);
});
