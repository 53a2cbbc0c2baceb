import type { JsonObject, JsonValue } from '@shallot/core';

import { isJsonObject } from '../../src/sdk/metadata.ts';

/**
 * The form in which a request asks for an answer of a given shape. `tool` means a tool whose arguments are the answer.
 */
export interface SentSchema {
  readonly how: 'strict' | 'schema' | 'tool' | 'words' | 'nothing';
  readonly schema?: JsonObject;
}

/** Finds that form in the body of a request of any protocol. */
export function sentSchema(text: string): SentSchema {
  const body = JSON.parse(text) as JsonValue;
  for (const [path, strictPath] of places) {
    const schema = at(body, path);
    if (!isJsonObject(schema)) continue;
    return { how: strictPath !== undefined && at(body, strictPath) === true ? 'strict' : 'schema', schema };
  }
  const tool = toolsOf(body).find(({ name }) => name === 'json');
  if (tool !== undefined) return { how: 'tool', schema: tool.schema };
  if (/Answer with JSON that fits|Return JSON that conforms/.test(text)) return { how: 'words' };
  return { how: 'nothing' };
}

/** The paths at which bodies have a schema, each with the path of the flag for strict mode. */
const places: readonly (readonly [string, string?])[] = [
  ['text.format.schema', 'text.format.strict'],
  ['response_format.json_schema.schema', 'response_format.json_schema.strict'],
  ['response_format.json_schema'],
  ['output_config.format.schema'],
  ['additionalModelRequestFields.output_config.format.schema'],
  ['generationConfig.responseJsonSchema'],
  ['responseFormat.schema'],
];

function at(value: JsonValue, path: string): JsonValue | undefined {
  return path
    .split('.')
    .reduce<JsonValue | undefined>((found, key) => (isJsonObject(found) ? found[key] : undefined), value);
}

function toolsOf(body: JsonValue): { readonly name: unknown; readonly schema: JsonObject }[] {
  const lists = [at(body, 'tools'), at(body, 'toolConfig.tools')];
  return lists.flatMap((list) => {
    if (!Array.isArray(list)) return [];
    return (list as readonly JsonObject[]).flatMap((tool) => {
      const spec = [tool['function'], tool['toolSpec'], tool].find(isJsonObject) ?? tool;
      const schema = [at(spec, 'inputSchema.json'), spec['parameters'], spec['input_schema']].find(
        isJsonObject,
      );
      return schema === undefined ? [] : [{ name: spec['name'], schema }];
    });
  });
}
