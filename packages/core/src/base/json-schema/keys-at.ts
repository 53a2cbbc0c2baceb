import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** Returns the keys that a JSON Schema allows at a path; undefined if it names none, or allows any. */
export function keysAt(schema: JsonObject, path: readonly (string | number)[]): string[] | undefined {
  let current = branches(schema, schema);
  for (const segment of path) {
    current = current
      .flatMap((branch) => inside(branch, segment))
      .flatMap((child) => branches(child, schema));
  }
  const named = current.flatMap(({ properties }) => (isJsonObject(properties) ? [properties] : []));
  if (named.length === 0 || current.some(allowsAny)) return undefined;
  return [...new Set(named.flatMap((properties) => Object.keys(properties)))];
}

/** Returns a schema with all schemas that it refers to or combines. */
function branches(schema: JsonValue | undefined, root: JsonObject, depth = 0): JsonObject[] {
  // Limited, because a schema may refer to itself.
  if (!isJsonObject(schema) || depth > 10) return [];
  const { $ref, anyOf, oneOf, allOf } = schema;
  const referred = typeof $ref === 'string' && $ref.startsWith('#') ? [follow(root, $ref)] : [];
  const parts = [...referred, ...[anyOf, oneOf, allOf].flatMap((list) => (isJsonList(list) ? list : []))];
  return [schema, ...parts.flatMap((part) => branches(part, root, depth + 1))];
}

function follow(root: JsonObject, ref: string): JsonValue | undefined {
  let current: JsonValue | undefined = root;
  for (const key of ref.split('/').slice(1)) current = isJsonObject(current) ? current[key] : undefined;
  return current;
}

function inside(schema: JsonObject, segment: string | number): JsonValue[] {
  const { properties, items, prefixItems, additionalProperties } = schema;
  const named = isJsonObject(properties) ? properties[String(segment)] : undefined;
  if (named !== undefined) return [named];
  if (/^\d+$/.test(String(segment))) {
    const place = isJsonList(prefixItems) ? prefixItems[Number(segment)] : undefined;
    const item = place ?? items;
    if (item !== undefined) return [item];
  }
  return additionalProperties === undefined ? [] : [additionalProperties];
}

function allowsAny({ additionalProperties, patternProperties }: JsonObject): boolean {
  return (additionalProperties ?? false) !== false || patternProperties !== undefined;
}
