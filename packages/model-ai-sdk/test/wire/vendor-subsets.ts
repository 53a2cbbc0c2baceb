import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type { JsonObject, JsonValue } from '@shallot/core';
import { toStrictJsonSchema } from 'openai/lib/transform';

import { isJsonObject } from '../../src/sdk/metadata.ts';

/** Returns whether OpenAI's SDK would send a schema in strict mode: nothing is left to close, nothing is refused. */
export function isStrictForOpenAi(schema: JsonObject): boolean {
  try {
    return isDeepStrictEqual(toStrictJsonSchema(schema), schema);
  } catch {
    return false;
  }
}

/** Returns whether Anthropic's SDK knows all keywords of a schema: unknown ones are moved into a description. */
export function isKnownToAnthropic(schema: JsonObject): boolean {
  const { $schema: _, ...sent } = JSON.parse(JSON.stringify(schema), withoutTypeOfChoices) as JsonObject;
  return isDeepStrictEqual(transformJSONSchema(schema), sent);
}

/** Where the values are listed, that SDK leaves their type out: it says nothing more. */
function withoutTypeOfChoices(_key: string, value: JsonValue): JsonValue {
  if (!isJsonObject(value) || !('enum' in value || 'const' in value)) return value;
  const { type: _, ...others } = value;
  return others;
}

/** The keywords that the SDK of Gemini lists in a comment of its types. */
export function keywordsOfGemini(): readonly string[] {
  const types = join(dirname(fileURLToPath(import.meta.resolve('@google/genai'))), '..', 'genai.d.ts');
  const list = /only the\s+following\s+properties are supported:([^;]*?)The non-standard/.exec(
    readFileSync(types, 'utf8'),
  );
  return [...(list?.[1] ?? '').matchAll(/`([$\w]+)`/g)].flatMap(([, keyword]) => keyword ?? []);
}

/** Returns the faults of a schema by that comment: references stand alone, and a cycle ends at an optional member. */
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
