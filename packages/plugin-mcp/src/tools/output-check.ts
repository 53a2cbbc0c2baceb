import type { CallToolResult, Tool as ServerTool } from '@modelcontextprotocol/client';
import type { JsonSchema } from '@shallot/core';
import { messageOf, schemaCheck, type SchemaCheck } from '@shallot/core/plugin';

/** Returns the fault of a result; undefined if it is valid. */
export type CheckOutput = (result: CallToolResult) => Promise<string | undefined>;

/** The validator of a tool's results, or the reason why there is none. */
export interface OutputCheck {
  readonly check?: CheckOutput;
  readonly unchecked?: string;
}

/**
 * Returns the validator of a tool with an `outputSchema`; the protocol asks clients to validate results. Error results
 * have no data to validate.
 */
export function outputCheck({ outputSchema }: ServerTool): OutputCheck {
  if (outputSchema === undefined) return {};
  // It was parsed from JSON.
  const read = reading(outputSchema as JsonSchema);
  if (typeof read === 'string') return { unchecked: read };
  const check: CheckOutput = async ({ structuredContent, isError }) => {
    if (isError === true) return undefined;
    if (structuredContent === undefined) return 'it has no structuredContent';
    const checked = await read.validate(structuredContent);
    return checked.ok ? undefined : checked.issues;
  };
  return { check };
}

function reading(schema: JsonSchema): SchemaCheck | string {
  try {
    return schemaCheck(schema);
  } catch (error) {
    return messageOf(error);
  }
}
