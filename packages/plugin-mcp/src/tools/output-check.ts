import type { CallToolResult, Tool as ServerTool } from '@modelcontextprotocol/client';
import type { JsonSchema } from '@shallot/core';
import { messageOf, schemaCheck, type SchemaCheck } from '@shallot/core/plugin';

/** What is wrong with a result, if anything is. */
export type CheckOutput = (result: CallToolResult) => Promise<string | undefined>;

/** The check of a tool's results, or why there is none. */
export interface OutputCheck {
  readonly check?: CheckOutput;
  readonly unchecked?: string;
}

/**
 * Results of a tool with an `outputSchema` have data that match it, says the protocol, and clients should check that. What
 * failed has no data to check.
 */
export function outputCheck({ outputSchema }: ServerTool): OutputCheck {
  if (outputSchema === undefined) return {};
  // It came out of JSON.
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
