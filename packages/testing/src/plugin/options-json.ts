import { defineTool } from '@shallot/core';
import type { PluginDefinition } from '@shallot/core';
import type { StandardSchemaWithJson } from '@shallot/core/plugin';

/** Returns the JSON Schema of a plugin's options; undefined if neither the schema nor an installed converter gives one. */
export function optionsJson(
  options: NonNullable<PluginDefinition['options']>,
): Readonly<Record<string, unknown>> | undefined {
  const { jsonSchema }: Partial<StandardSchemaWithJson['~standard']> = options['~standard'];
  try {
    if (jsonSchema !== undefined) return jsonSchema.input({ target: 'draft-2020-12' });
    const tool = { name: 'options', description: 'The options.', input: options, execute: () => '' };
    return defineTool(tool).inputSchema;
  } catch {
    // The checks report why they need the schema.
    return undefined;
  }
}
