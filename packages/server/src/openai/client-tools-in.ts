import type { JsonSchema } from '@shallot/core';

import { member } from '../http/member.ts';
import type { ClientTool } from '../work/client-tools.ts';
import { invalid, type SentItem } from './sent-text.ts';

/**
 * Reads the tools of a request, which its client executes.
 *
 * @throws `server/REQUEST_INVALID` for other kinds of tools, and for functions without names
 */
export function clientToolsIn(tools: readonly SentItem[]): readonly ClientTool[] {
  return tools.map((tool) => {
    // Chat completions nest the function in a member; responses do not.
    const called: unknown = tool['function'] ?? tool;
    const [name, description, parameters] = ['name', 'description', 'parameters'].map((key) =>
      member(called, key),
    );
    if (tool['type'] !== 'function' || typeof name !== 'string')
      throw invalid(
        `A tool of the request is of the type ${JSON.stringify(tool['type'])}. The agent has tools of its own; send functions with names.`,
      );
    const isSchema = typeof parameters === 'object' && parameters !== null;
    return {
      name,
      description: typeof description === 'string' && description !== '' ? description : name,
      // The type is safe: a body is JSON, and the schema is checked when it is compiled.
      input: isSchema ? (parameters as JsonSchema) : { type: 'object', properties: {} },
    };
  });
}

/**
 * Reads the schema that an answer must match; undefined if the answer is text.
 *
 * @throws `server/REQUEST_INVALID`
 */
export function schemaIn(format: SentItem | undefined): JsonSchema | undefined {
  const type = format?.['type'];
  if (type === undefined || type === 'text') return undefined;
  if (type === 'json_object') return { type: 'object' };
  const schema = member(format?.['json_schema'], 'schema') ?? format?.['schema'];
  if (type === 'json_schema' && typeof schema === 'object' && schema !== null)
    // The type is safe: a body is JSON, and the agent checks the schema when it compiles it.
    return schema as JsonSchema;
  throw invalid(
    `The format of the answer is ${JSON.stringify(type)}. Send text, json_object, or json_schema with a schema.`,
  );
}
