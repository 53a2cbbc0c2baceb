import type { JsonObject } from '@shallot/core';
import { findCycle, pointedAt, subschemas } from '@shallot/core/model';

import { isJsonObject } from '../sdk/metadata.ts';
import { annotations } from './root-schema.ts';

/** Traits of a schema, at any depth, that some providers do not support. */
export interface SchemaFacts {
  /** An object with arbitrary member names. */
  readonly hasOpenObject: boolean;
  /** An array with a schema per index. */
  readonly hasTuple: boolean;
  readonly isRecursive: boolean;
  /** The recursion goes through required members. */
  readonly mustRecur: boolean;
  /** A reference that is not a JSON pointer, or has no target. */
  readonly hasOddReference: boolean;
  /** A reference with further constraints next to it. */
  readonly hasNarrowedReference: boolean;
  /** Definitions under `definitions`, as in drafts before 2019-09. */
  readonly hasOldDefinitions: boolean;
  /** A value without type or enum. */
  readonly hasUntyped: boolean;
}

const typing = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref'];

export function factsOfSchema(root: JsonObject): SchemaFacts {
  const nodes = reachable(root);
  const references = nodes.filter(({ $ref }) => $ref !== undefined);
  return {
    hasOpenObject: nodes.some(isOpenObject),
    hasTuple: nodes.some(({ prefixItems, items }) => prefixItems !== undefined || Array.isArray(items)),
    isRecursive: findCycle(root, (schema) => subschemas(root, schema)) !== undefined,
    mustRecur: findCycle(root, (schema) => requiredSchemas(root, schema)) !== undefined,
    hasOddReference: references.some(
      ({ $ref }) => typeof $ref !== 'string' || !isJsonObject(pointedAt(root, $ref)),
    ),
    hasNarrowedReference: references.some((node) =>
      Object.keys(node).some((key) => key !== '$ref' && !annotations.has(key)),
    ),
    hasOldDefinitions: nodes.some(({ definitions }) => definitions !== undefined),
    hasUntyped: nodes.some((node) => !typing.some((keyword) => keyword in node)),
  };
}

function isOpenObject({ type, properties, patternProperties, additionalProperties }: JsonObject): boolean {
  if (additionalProperties === true || isJsonObject(additionalProperties)) return true;
  if (isJsonObject(patternProperties)) return true;
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  return isObject && properties === undefined && additionalProperties !== false;
}

function reachable(root: JsonObject): JsonObject[] {
  const found = new Set([root]);
  // Iterating over a set includes members added meanwhile.
  for (const schema of found) for (const child of subschemas(root, schema)) found.add(child);
  return [...found];
}

/** Returns the schemas of required members and all other subschemas. */
function requiredSchemas(root: JsonObject, schema: JsonObject): JsonObject[] {
  const { required } = schema;
  const names = new Set<unknown>(Array.isArray(required) ? required : []);
  return subschemas(root, schema, (name) => names.has(name));
}
