import type { ToolMessage } from '../contract/messages.ts';
import type { ToolResult } from '../contract/tool.ts';
import { markOf, withMark } from './with-mark.ts';

/** Notes in a result which files of the session keep what is left out of it. */
export function withKeptFiles(result: ToolResult, paths: readonly string[]): ToolResult {
  return withMark(result, 'files', [...paths]);
}

/** Returns the paths of the files that keep what is left out of a result, for tools that read files. */
export function keptFilesOf(message: Pick<ToolMessage, 'metadata'>): readonly string[] {
  const files = markOf(message, 'files');
  return Array.isArray(files) ? files.filter((path) => typeof path === 'string') : [];
}
