import {
  defineTool,
  type JsonObject,
  type JsonSchema,
  type Schema,
  type Tool,
  type ToolDefinition,
} from '@shallot/core';

import { isJsonObject } from '../is-json-object.ts';

/** A tool, and the reason why its arguments are not validated locally, if so. */
export interface DefinedTool {
  readonly tool: Tool;
  readonly unchecked?: string;
}

/**
 * Defines a tool with the server's schema, which models get unchanged. If it cannot be compiled here, the arguments are
 * validated only by the server.
 */
export function defineWithSchema(
  definition: Omit<ToolDefinition<JsonSchema>, 'input'>,
  inputSchema: JsonSchema,
): DefinedTool {
  try {
    return { tool: defineTool({ ...definition, input: inputSchema }) };
  } catch (error) {
    const tool = defineTool<Schema<JsonObject>>({ ...definition, input: uncheckedSchema(inputSchema) });
    return { tool, unchecked: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns a schema that accepts every object, and describes itself by the given JSON Schema. */
function uncheckedSchema(schema: JsonSchema): Schema<JsonObject> {
  const json = (): JsonSchema => ({ ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'shallot-mcp',
      validate: (value) =>
        isJsonObject(value) ? { value } : { issues: [{ message: 'the arguments must be an object' }] },
      jsonSchema: { input: json, output: json },
    },
  };
}
