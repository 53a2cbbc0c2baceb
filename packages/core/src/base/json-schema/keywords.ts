import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** Keywords that hold schemas, in the drafts 4 to 2020-12: one schema, a list of schemas, or an object of schemas. */
export const schemaKeywords: Readonly<Record<'one' | 'list' | 'members', ReadonlySet<string>>> = {
  one: new Set([
    'additionalItems',
    'additionalProperties',
    'contains',
    'contentSchema',
    'else',
    'if',
    'items',
    'not',
    'propertyNames',
    'then',
    'unevaluatedItems',
    'unevaluatedProperties',
  ]),
  list: new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']),
  members: new Set([
    '$defs',
    'definitions',
    'dependentSchemas',
    'dependencies',
    'patternProperties',
    'properties',
  ]),
};

/** Keywords whose value is data, even if it looks like a schema. */
export const valueKeywords: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/** Schemas in `$defs` and `definitions` apply only where a reference points to them. */
const definitions: ReadonlySet<string> = new Set(['$defs', 'definitions']);

/**
 * Returns the schemas that a schema applies to a value or its members, including the target of its `$ref`. `isMember`
 * filters properties. Booleans and definitions are omitted.
 */
export function subschemas(
  root: JsonObject,
  schema: JsonObject,
  isMember: (name: string) => boolean = () => true,
): JsonObject[] {
  const found: (JsonValue | undefined)[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === '$ref' && typeof value === 'string') found.push(pointedAt(root, value));
    else if (Array.isArray(value) && schemaKeywords.list.has(keyword)) found.push(...(value as JsonValue[]));
    else if (!isJsonObject(value) || definitions.has(keyword)) continue;
    else if (schemaKeywords.one.has(keyword)) found.push(value);
    else if (schemaKeywords.members.has(keyword)) {
      const names = Object.keys(value).filter((name) => keyword !== 'properties' || isMember(name));
      found.push(...names.map((name) => value[name]));
    }
  }
  return found.filter(isJsonObject);
}

/**
 * Returns the value at a reference within the schema: `#`, or `#/` with a JSON pointer. Undefined for any other
 * reference, and if there is no value.
 */
export function pointedAt(root: JsonObject, reference: string): JsonValue | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const segment of reference.slice(2).split('/')) {
    const key = unescaped(segment);
    if (key === undefined || typeof found !== 'object' || found === null || !Object.hasOwn(found, key))
      return undefined;
    found = Reflect.get(found, key);
  }
  return found as JsonValue;
}

function unescaped(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    // Not a valid URI component.
    return undefined;
  }
}
