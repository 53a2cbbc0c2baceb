import type { JsonObject, JsonValue } from '@shallot/core';
import { modelError, pointedAt } from '@shallot/core/model';

import { isJsonObject } from '../sdk/metadata.ts';

/** Keywords that may accompany a `$ref` without constraining the value. */
export const annotations: ReadonlySet<string> = new Set([
  '$schema',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
]);

/** More consecutive references than this are a cycle. */
const maxSteps = 50;

/**
 * Returns the schema with its root expanded if it is only a reference, as some libraries write recursive types:
 * providers do not follow references for the type of the root.
 */
export function withOwnRoot(schema: JsonObject): JsonObject {
  let root = schema;
  for (let step = 0; step < maxSteps; step += 1) {
    const { $ref: reference, ...others } = root;
    if (typeof reference !== 'string' || !Object.keys(others).every((key) => annotations.has(key)))
      return root;
    const target = pointedAt(schema, reference) ?? identified(schema, reference);
    if (!isJsonObject(target) || target === schema) return root;
    root = { ...target, ...others };
  }
  return schema;
}

/** Returns the definition with this `$id`; undefined if there is none. */
function identified({ $defs = {} }: JsonObject, id: string): JsonValue | undefined {
  return Object.values(isJsonObject($defs) ? $defs : {}).find(
    (definition) => isJsonObject(definition) && definition['$id'] === id,
  );
}

/** Refuses a schema whose root is not an object. @throws `MODEL_BAD_REQUEST` */
export function refuseOtherRoots(schema: JsonObject, provider: string): void {
  if (schema['type'] === 'object') return;
  const found = ['anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'const'].find((keyword) => keyword in schema);
  const shown =
    'type' in schema ? `the type ${JSON.stringify(schema['type'])}` : (found ?? 'no type').slice(0, 100);
  throw modelError('MODEL_BAD_REQUEST', {
    message: `The output schema has ${shown} at its root, and ${provider} supports only objects. Make it a member of an object, for example { answer: … }, and read output.answer.`,
  });
}
