import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type { JsonObject, JsonValue } from '@shallot/core';
import { toStrictJsonSchema } from 'openai/lib/transform';

import { isJsonObject } from '../../src/sdk/metadata.ts';

/**
 * Returns true if OpenAI's SDK would send a schema in strict mode unchanged: all its objects are closed, and nothing is
 * refused.
 */
export function isStrictForOpenAi(schema: JsonObject): boolean {
  try {
    return isDeepStrictEqual(toStrictJsonSchema(schema), schema);
  } catch {
    return false;
  }
}

/** Returns true if Anthropic's SDK supports all keywords of a schema. It moves unsupported ones into a description. */
export function isKnownToAnthropic(schema: JsonObject): boolean {
  const { $schema: _, ...sent } = JSON.parse(JSON.stringify(schema), withoutTypeOfChoices) as JsonObject;
  return isDeepStrictEqual(transformJSONSchema(schema), sent);
}

/** Removes the type of listed values, as that SDK does, because it is redundant there. */
function withoutTypeOfChoices(_key: string, value: JsonValue): JsonValue {
  if (!isJsonObject(value) || !('enum' in value || 'const' in value)) return value;
  const { type: _, ...others } = value;
  return others;
}

/** Returns the keywords that a comment in the types of Gemini's SDK lists as supported. */
export function keywordsOfGemini(): readonly string[] {
  const types = join(dirname(fileURLToPath(import.meta.resolve('@google/genai'))), '..', 'genai.d.ts');
  const list = /only the\s+following\s+properties are supported:([^;]*?)The non-standard/.exec(
    readFileSync(types, 'utf8'),
  );
  return [...(list?.[1] ?? '').matchAll(/`([$\w]+)`/g)].flatMap(([, keyword]) => keyword ?? []);
}

/**
 * Returns the faults of a schema by that comment: a reference has no other keywords beside it, and a cycle must go
 * through an optional member.
 */
export function faultsForGemini(root: JsonObject): readonly string[] {
  const faults = 'definitions' in root ? ['it has definitions'] : [];
  const walk = (value: JsonValue | undefined, path: readonly JsonObject[]): void => {
    if (!isJsonObject(value)) return;
    if (path.includes(value)) {
      faults.push('a circle does not end');
      return;
    }
    const inner = [...path, value];
    const { $ref: reference, properties = {}, required = [], items, anyOf = [], oneOf = [] } = value;
    if (typeof reference === 'string') {
      const isAlone = path.length === 0 || Object.keys(value).every((key) => key.startsWith('$'));
      if (!isAlone) faults.push(`${reference} has something beside it`);
      const name = /^#\/\$defs\/(.*)$/.exec(reference)?.[1];
      walk(name === undefined ? root : (root['$defs'] as JsonObject)[name], inner);
    }
    for (const [name, member] of Object.entries(properties as JsonObject)) {
      if ((required as readonly JsonValue[]).includes(name)) walk(member, inner);
    }
    for (const each of [items, ...(anyOf as JsonValue[]), ...(oneOf as JsonValue[])]) walk(each, inner);
  };
  walk(root, []);
  return faults;
}
