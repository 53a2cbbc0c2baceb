import { expect, it } from 'vitest';

import type { JsonObject } from '../json.ts';
import { refersToItself, unresolved } from './references.ts';

const nowhere = (reference: string): string => `the $ref "${reference}" leads nowhere in the schema`;
const back = (reference: string): string => `the $ref "${reference}" leads back to itself`;

it.each<[JsonObject, readonly string[]]>([
  [{ $ref: '#' }, []],
  [{ $ref: '#/$defs/a', $defs: { a: {} } }, []],
  [{ $ref: '#/$defs/b', $defs: { a: {} } }, [nowhere('#/$defs/b')]],
  [{ items: [{ $ref: '#/gone' }] }, [nowhere('#/gone')]],
  [{ $ref: '#name', $defs: { a: { $anchor: 'name' } } }, []],
  [{ $ref: '#name', $defs: { a: { $dynamicAnchor: 'name' } } }, []],
  [{ $ref: '#name', $defs: { a: { $anchor: 7 } } }, [nowhere('#name')]],
  [{ $ref: 'name' }, [nowhere('name')]],
  [{ $ref: 'https://example.com/a.json' }, [nowhere('https://example.com/a.json')]],
  // Names inside of the schema may be relative to each other, which only the validator resolves.
  [{ $ref: 'other', $defs: { a: { $id: 'https://example.com/a' } } }, []],
  [{ $ref: '#/gone', $defs: { a: { id: 'a' } } }, []],
  [{ $ref: '#/gone', $defs: { a: { $id: 7, id: null } } }, [nowhere('#/gone')]],
  [{ const: { $ref: '#/gone' }, enum: [{ $ref: '#/gone' }], default: { $ref: '#/gone' } }, []],
  [{ $ref: 7, properties: { $ref: { type: 'string' } } }, []],
])('of the references in %j these lead nowhere: %j', (schema, faults) => {
  expect(unresolved(schema)).toEqual(faults);
});

it.each<[JsonObject, readonly string[]]>([
  [{ $ref: '#' }, [back('#')]],
  [{ properties: { next: { $ref: '#' } } }, []],
  [{ items: { $ref: '#' }, additionalProperties: { $ref: '#' } }, []],
  ...['allOf', 'anyOf', 'oneOf'].map((keyword): [JsonObject, readonly string[]] => [
    { [keyword]: [{ $ref: '#' }] },
    [back('#')],
  ]),
  ...['not', 'if', 'then', 'else'].map((keyword): [JsonObject, readonly string[]] => [
    { [keyword]: { $ref: '#' } },
    [back('#')],
  ]),
  ...['dependentSchemas', 'dependencies'].map((keyword): [JsonObject, readonly string[]] => [
    { [keyword]: { a: { $ref: '#' }, b: ['a'] } },
    [back('#')],
  ]),
  [{ dependencies: [{ $ref: '#' }] }, []],
  [{ $ref: '#/gone' }, []],
  [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, [back('#/$defs/a')]],
  [{ $ref: '#/$defs/a', $defs: { a: { properties: { b: { $ref: '#/$defs/a' } } } } }, []],
])('of the references in %j these lead back to themselves: %j', (schema, faults) => {
  expect(refersToItself(schema)).toEqual(faults);
});
