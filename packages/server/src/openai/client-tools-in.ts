import type { JsonSchema } from '@shallot/core';

import { member } from '../http/member.ts';
import type { ClientTool } from '../work/client-tools.ts';
import { invalid, type SentItem } from './sent-text.ts';

/** Reads the tools of a request that its client executes. @throws `server/REQUEST_INVALID` for other kinds of tools */
export function clientToolsIn(tools: readonly SentItem[]): readonly ClientTool[] {
  return tools.map((tool) => {
    // The two APIs differ in where the function is.
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
      // Bodies are JSON, and the schema is compiled before it is used.
      input: isSchema ? (parameters as JsonSchema) : { type: 'object', properties: {} },
    };
  });
}

/** Reads the schema that an answer must match. @throws `server/REQUEST_INVALID` */
export function schemaIn(format: SentItem | undefined): JsonSchema | undefined {
  const type = format?.['type'];
  if (type === undefined || type === 'text') return undefined;
  if (type === 'json_object') return { type: 'object' };
  const schema = member(format?.['json_schema'], 'schema') ?? format?.['schema'];
  if (type === 'json_schema' && typeof schema === 'object' && schema !== null)
    // Bodies are JSON, and the agent checks schemas as it compiles them.
    return schema as JsonSchema;
  throw invalid(
    `The format of the answer is ${JSON.stringify(type)}. Send text, json_object, or json_schema with a schema.`,
  );
}
