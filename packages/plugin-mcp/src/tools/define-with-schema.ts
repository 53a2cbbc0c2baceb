import {
  defineTool,
  type JsonObject,
  type JsonSchema,
  type Schema,
  type Tool,
  type ToolDefinition,
} from '@shallot/core';

import { isJsonObject } from '../is-json-object.ts';

/** A tool, and why its arguments are not checked here, if they are not. */
export interface DefinedTool {
  readonly tool: Tool;
  readonly unchecked?: string;
}

/**
 * Defines a tool with a schema that is passed on to models as the server wrote it. One that cannot be read here is passed on
 * all the same: the server checks the arguments itself.
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

/** Lets every object through, and describes itself by a schema that nothing here can read. */
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
