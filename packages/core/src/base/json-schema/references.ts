import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { findCycle } from './find-cycle.ts';
import { pointedAt, valueKeywords } from './keywords.ts';

/** Describes the references that certainly point nowhere. A schema may define its own names by `$id` and `$anchor`. */
export function unresolved(root: JsonObject): string[] {
  const nodes = objectsIn(root);
  const names = new Set(
    nodes.flatMap(({ $id, id, $anchor, $dynamicAnchor }) =>
      [$id, id, $anchor, $dynamicAnchor].filter((each) => typeof each === 'string'),
    ),
  );
  const hasInnerNames = nodes.some(({ $id, id }) => typeof $id === 'string' || typeof id === 'string');
  return nodes.flatMap(({ $ref: reference }) => {
    if (typeof reference !== 'string') return [];
    const isPointer = reference === '#' || reference.startsWith('#/');
    const isKnown = isPointer
      ? hasInnerNames || pointedAt(root, reference) !== undefined
      : hasInnerNames || names.has(reference.replace(/^#/, ''));
    return isKnown ? [] : [`the $ref ${JSON.stringify(reference.slice(0, 200))} leads nowhere in the schema`];
  });
}

/**
 * Describes the references that lead back to themselves without descending into the value: their check would never end.
 */
export function refersToItself(root: JsonObject): string[] {
  const done = new Set<JsonObject>();
  return objectsIn(root).flatMap((start) => {
    const { $ref: reference } = start;
    if (done.has(start) || typeof reference !== 'string') return [];
    if (findCycle(start, (schema) => sameValue(root, schema), done) === undefined) return [];
    return [`the $ref ${JSON.stringify(reference.slice(0, 200))} leads back to itself`];
  });
}

/** Returns the schemas that apply to the same value. */
function sameValue(root: JsonObject, node: JsonObject): JsonObject[] {
  const { $ref: reference, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise } = node;
  const target = typeof reference === 'string' ? pointedAt(root, reference) : undefined;
  const { dependentSchemas, dependencies } = node;
  const byMember = [dependentSchemas, dependencies].map((each) =>
    isJsonObject(each) ? Object.values(each) : [],
  );
  const all = [target, allOf, anyOf, oneOf, not, condition, then, otherwise, ...byMember].flat();
  return all.filter(isJsonObject);
}

/** Returns all objects in a schema except data, such as the values of `enum` and `const`. */
function objectsIn(root: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) open.push(...(value as readonly JsonValue[]));
    if (!isJsonObject(value)) continue;
    found.push(value);
    for (const [key, member] of Object.entries(value)) {
      if (!valueKeywords.has(key) && member !== undefined) open.push(member);
    }
  }
  return found;
}
