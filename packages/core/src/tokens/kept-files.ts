import type { ToolMessage } from '../contract/messages.ts';
import type { ToolResult } from '../contract/tool.ts';
import { markOf, withMark } from './with-mark.ts';

/** Notes in a result the files of the session that keep the parts left out of it. */
export function withKeptFiles(result: ToolResult, paths: readonly string[]): ToolResult {
  return withMark(result, 'files', [...paths]);
}

/** Returns the paths of the files that keep the parts left out of a result, for tools that read files. */
export function keptFilesOf(message: Pick<ToolMessage, 'metadata'>): readonly string[] {
  const files = markOf(message, 'files');
  return Array.isArray(files) ? files.filter((path) => typeof path === 'string') : [];
}
