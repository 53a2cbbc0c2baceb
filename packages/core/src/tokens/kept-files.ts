import type { JsonObject } from '../base/json.ts';
import type { ToolMessage } from '../contract/messages.ts';
import type { ToolResult } from '../contract/tool.ts';

/** The core's key in the metadata of results and messages. */
const key = 'shallot';

/** Notes in a result which files of the session keep what is left out of it. */
export function withKeptFiles(result: ToolResult, paths: readonly string[]): ToolResult {
  const own = result.metadata?.[key];
  const noted = { ...(isObject(own) ? own : {}), files: [...paths] };
  return { ...result, metadata: { ...result.metadata, [key]: noted } };
}

/** Returns the paths of the files that keep what is left out of a result, for tools that read files. */
export function keptFilesOf({ metadata }: Pick<ToolMessage, 'metadata'>): readonly string[] {
  const own = metadata?.[key];
  const files = isObject(own) ? own['files'] : undefined;
  return Array.isArray(files) ? files.filter((path) => typeof path === 'string') : [];
}

function isObject(value: JsonObject[string] | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
