import { isPromise } from '../../base/is-promise.ts';
import { sameJson } from '../../base/json.ts';
import type { Validated } from '../../base/schema.ts';
import { messageOf } from '../../base/thrown.ts';
import type { JournalledCall } from '../../contract/store.ts';
import { errorResult } from '../../contract/tool-result.ts';
import type { Tool, ToolCall, ToolResult } from '../../contract/tool.ts';

/** A call with validated arguments, ready to be executed. */
export interface CheckedCall {
  readonly call: ToolCall;
  readonly tool: Tool;
  /** The schema's output for exactly `call.input`. */
  readonly args: unknown;
}

/** A call that can be executed, or the error result that the model gets instead. */
export type CallCheck = CheckedCall | { readonly result: ToolResult };

/** Finds the tool of a call among the offered tools, and validates the arguments. */
export function checkCall(tools: readonly Tool[], call: ToolCall): CallCheck | Promise<CallCheck> {
  const { name, raw } = call;
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) {
    const names = tools.map((each) => each.name);
    const offer = names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`;
    return { result: errorResult(`There is no tool "${name}". ${offer}`) };
  }
  if (raw !== undefined)
    return { result: errorResult(`The arguments of ${name} are not valid JSON: ${raw.slice(0, 500)}`) };
  const accept = (checked: Validated): CallCheck =>
    checked.ok
      ? { call, tool, args: checked.value }
      : { result: errorResult(`The arguments of ${name} are not valid:\n${checked.issues}`) };
  // A validator that throws is treated like invalid arguments.
  const fail = (error: unknown): CallCheck =>
    accept({ ok: false, issues: `They could not be validated: ${messageOf(error)}` });
  try {
    const checking = tool.validate(call.input);
    return isPromise(checking) ? checking.then(accept, fail) : accept(checking);
  } catch (error) {
    return fail(error);
  }
}

export function isSameCall(a: JournalledCall, b: JournalledCall): boolean {
  return a.name === b.name && sameJson(a.input, b.input);
}
