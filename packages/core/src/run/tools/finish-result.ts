import { isPromise } from '../../base/is-promise.ts';
import type { ToolCall, ToolResult } from '../../contract/tool.ts';
import type { ExecutionRequest } from './execution.ts';
import { passResult } from './pass-result.ts';
import { resultByReference } from './result-by-reference.ts';
import type { ToolCallState } from './tool-call-state.ts';

/**
 * Prepares a result for the journal and the layers: passes it through the taps on results, then moves parts that are too
 * large to files. Returns a promise only if it has to wait.
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
