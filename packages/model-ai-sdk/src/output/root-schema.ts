import type { JsonObject, JsonValue } from '@shallot/core';
import { modelError } from '@shallot/core/model';

import { isJsonObject } from '../sdk/metadata.ts';

/** What may stand beside a `$ref` without saying anything of the value. */
export const annotations: ReadonlySet<string> = new Set([
  '$schema',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
]);

/** More references than this one after the other are a circle. */
const maxSteps = 50;

/**
 * A schema with its root written out where the root is only a reference, as some schema libraries write recursive types:
 * providers look for the type of the root, and follow no reference to find it.
 */
export function withOwnRoot(schema: JsonObject): JsonObject {
  let root = schema;
  for (let step = 0; step < maxSteps; step += 1) {
    const { $ref: reference, ...others } = root;
    if (typeof reference !== 'string' || !Object.keys(others).every((key) => annotations.has(key)))
      return root;
    const target = referenced(schema, reference) ?? identified(schema, reference);
    if (!isJsonObject(target) || target === schema) return root;
    root = { ...target, ...others };
  }
  return schema;
}

/** What a reference inside a schema points to: `#`, or a JSON pointer behind it. Undefined for all others. */
export function referenced(schema: JsonObject, reference: string): JsonValue | undefined {
  if (reference === '#') return schema;
  if (!reference.startsWith('#/')) return undefined;
  let found: JsonValue | undefined = schema;
  for (const segment of reference.slice(2).split('/')) {
    const key = unescaped(segment);
    if (key === undefined || typeof found !== 'object' || found === null || !Object.hasOwn(found, key))
      return undefined;
    found = Array.isArray(found) ? (found as readonly JsonValue[])[Number(key)] : (found as JsonObject)[key];
  }
  return found;
}

/** The definition that has this `$id`. */
function identified({ $defs = {} }: JsonObject, id: string): JsonValue | undefined {
  return Object.values(isJsonObject($defs) ? $defs : {}).find(
    (definition) => isJsonObject(definition) && definition['$id'] === id,
  );
}

function unescaped(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    // A reference that leads nowhere.
    return undefined;
  }
}

/** @throws `MODEL_BAD_REQUEST` for a root that is no object */
export function refuseOtherRoots(schema: JsonObject, provider: string): void {
  if (schema['type'] === 'object') return;
  const found = ['anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'const'].find((keyword) => keyword in schema);
  const shown =
    'type' in schema ? `the type ${JSON.stringify(schema['type'])}` : (found ?? 'no type').slice(0, 100);
  throw modelError('MODEL_BAD_REQUEST', {
    message: `The output schema has ${shown} at its root, and ${provider} supports only objects. Make it a member of an object, for example { answer: … }, and read output.answer.`,
  });
}
