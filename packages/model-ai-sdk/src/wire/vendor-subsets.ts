import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type { JsonObject, JsonValue } from '@shallot/core';
import { toStrictJsonSchema } from 'openai/lib/transform';

import { isJsonObject } from '../sdk/metadata.ts';

/** Whether a schema is one that OpenAI's SDK sends in strict mode: it has nothing left to close, and refuses nothing. */
export function isStrictForOpenAi(schema: JsonObject): boolean {
  try {
    return isDeepStrictEqual(toStrictJsonSchema(schema), schema);
  } catch {
    return false;
  }
}

/** Whether Anthropic's SDK knows all of a schema: what it does not know, it moves into a description. */
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

/** What that comment says against a schema: references stand alone, and a circle ends at a member that may be missing. */
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
