import { expect, it } from 'vitest';

import type { JsonObject } from '../json.ts';
import { findCycle } from './find-cycle.ts';

/** Schemas of which each leads to the next on two ways, which meet again. */
function diamonds(count: number): JsonObject {
  let schema: JsonObject = { title: 'last' };
  for (let index = 0; index < count; index += 1)
    schema = { allOf: [{ not: schema }, { not: schema }], title: `${index}` };
  return schema;
}

it('a schema to which many ways lead is searched once', () => {
  const searched: JsonObject[] = [];
  const next = (schema: JsonObject): JsonObject[] => {
    searched.push(schema);
    return [schema['allOf'] ?? [], schema['not'] ?? []].flat() as JsonObject[];
  };
  const done = new Set<JsonObject>();
  expect(findCycle(diamonds(5), next, done)).toBeUndefined();
  expect(searched).toHaveLength(5 * 3 + 1);
  expect(done).toEqual(new Set(searched));
});
