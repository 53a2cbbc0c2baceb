import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../json.ts';
import { inspectorOf } from '../schema.ts';

/** The issues of a value, each as `path: message`. */
async function issuesOf(schema: JsonObject, value: unknown): Promise<string[]> {
  const inspected = await inspectorOf(schema)(value);
  return inspected.ok ? [] : inspected.issues.map(({ path, message }) => `${path.join('/')}: ${message}`);
}

const closed = (properties: JsonObject): JsonObject => ({ properties, additionalProperties: false });

describe('an issue', () => {
  it('stands at the innermost place', async () => {
    const schema = { properties: { a: { items: { properties: { b: { type: 'number' } } } } } };
    expect(await issuesOf(schema, { a: [{}, { b: 'x' }] })).toEqual([
      'a/1/b: Instance type "string" is invalid. Expected "number".',
    ]);
  });

  it('has the keys of its path as they are written', async () => {
    const schema = { properties: { 'a/b': { properties: { 'c~d e%': { type: 'number' } } } } };
    const inspected = await inspectorOf(schema)({ 'a/b': { 'c~d e%': 'x' } });
    expect(inspected).toMatchObject({ issues: [{ path: ['a/b', 'c~d e%'] }] });
  });

  it('of an unknown key is one, with the key like it, or with all known ones', async () => {
    const schema = { properties: { at: closed({ days: true, note: true }) } };
    expect(await issuesOf(schema, { at: { dais: 1 } })).toEqual([
      'at: there is no property "dais"; did you mean "days"?',
    ]);
    expect(await issuesOf(schema, { at: { completely: 1 } })).toEqual([
      'at: there is no property "completely"; known: days, note',
    ]);
    expect(await issuesOf(closed({}), { a: 1 })).toEqual([': there is no property "a"; known: none']);
    expect(await issuesOf({ additionalProperties: false }, { a: 1 })).toEqual([': there is no property "a"']);
    expect(await inspectorOf(closed({ a: true }))({ 'x "y"\nz': 1 })).toMatchObject({
      issues: [{ path: [], keys: ['x "y"\nz'] }],
    });
  });

  it('of a value that nothing fits is that of the value', async () => {
    const schema = { properties: { a: false, b: { type: 'number' } }, additionalProperties: false };
    expect(await issuesOf(schema, { a: 1, b: 'x' })).toEqual([
      'a: False boolean schema.',
      'b: Instance type "string" is invalid. Expected "number".',
    ]);
    expect(await issuesOf(schema, { c: 1, b: 'x' })).toEqual([
      'b: Instance type "string" is invalid. Expected "number".',
      ': there is no property "c"; known: a, b',
    ]);
  });

  it('of a name is that of the name alone', async () => {
    expect(await issuesOf({ propertyNames: { maxLength: 2 } }, { abc: 1 })).toEqual([
      ': Property name "abc" does not match schema.',
    ]);
  });

  it('of a condition is that of its branch', async () => {
    const schema = { if: { minimum: 10 }, then: { multipleOf: 10 }, else: { multipleOf: 2 } };
    expect(await issuesOf(schema, 15)).toEqual([': 15 is not a multiple of 10.']);
    expect(await issuesOf(schema, 3)).toEqual([': 3 is not a multiple of 2.']);
    expect(await issuesOf({ if: true, then: false }, 3)).toEqual([
      ': Instance does not match "then" schema.',
    ]);
  });

  it('has a thousand characters at most', async () => {
    const values = (length: number): JsonObject => ({ enum: ['x'.repeat(length)] });
    const [whole = ''] = await issuesOf(values(900), 1);
    const rest = whole.length - 2 - 900;
    const [longest = ''] = await issuesOf(values(1000 - rest), 1);
    expect(longest).toHaveLength(1002);
    expect(longest.endsWith('…')).toBe(false);
    const [cut = ''] = await issuesOf(values(1001 - rest), 1);
    expect(cut).toHaveLength(1003);
    expect(cut.endsWith('…')).toBe(true);
    // One of them is cut within a character.
    for (const before of ['', 'x']) {
      const [emoji = ''] = await issuesOf({ enum: [`${before}${'😀'.repeat(600)}`] }, 1);
      expect([emoji.length, emoji.isWellFormed()]).toEqual([1003, true]);
    }
  });
});
