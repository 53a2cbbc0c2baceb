import { isPromise } from '../../base/is-promise.ts';
import type { ToolCall, ToolResult } from '../../contract/tool.ts';
import type { ExecutionRequest } from './execution.ts';
import { passResult } from './pass-result.ts';
import { resultByReference } from './result-by-reference.ts';
import type { ToolCallState } from './tool-call-state.ts';

/**
 * Makes a result what the journal keeps and the layers get: it passes the taps on results, and what is too large of it then
 * becomes a file. Returns a promise only if something has to be waited for.
 */
export function finishResult(
  toolCall: ToolCallState,
  call: ToolCall,
  { id: { pass }, frame }: ExecutionRequest,
  result: ToolResult,
): ToolResult | Promise<ToolResult> {
  const { run } = toolCall;
  const refer = (passed: ToolResult): ToolResult | Promise<ToolResult> =>
    resultByReference(run, { call, pass, frame, tool: toolCall.toolNamed(call.name) }, passed);
  const passing = passResult(run, call, result, frame);
  return isPromise(passing) ? passing.then(refer) : refer(passing);
}
