import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ToolCall } from './tool.ts';

/** A person's answer to an approval request. */
export const decisionKinds = ['approve', 'edit', 'reject', 'respond'] as const;

export type DecisionKind = (typeof decisionKinds)[number];

/** An answer to the question whether a call may be executed. */
export type Decision =
  /** Executes the call as it was shown. */
  | { readonly decision: 'approve' }
  /** Executes another call: other arguments, or another tool, to which that tool's own policy applies. */
  | { readonly decision: 'edit'; readonly args: JsonObject; readonly name?: string }
  /** The call is not executed; the model is told so, with the reason. */
  | { readonly decision: 'reject'; readonly reason?: string }
  /** The call is not executed; the content becomes the tool's result. */
  | { readonly decision: 'respond'; readonly content: string };

/**
 * The text shown to a person: the payload of an interrupt of kind `approval`, safe to print. The arguments as JSON, to
 * edit, are in the interrupt's `call`.
 */
export interface ApprovalRequest {
  readonly tool: string;
  readonly decisions: readonly DecisionKind[];
  /** All of them, as text; hidden characters are written as `⟨U+202E⟩`. */
  readonly arguments: string;
  /** The schema's output for the arguments, if it differs; the tool gets this. */
  readonly output?: string;
  /** The policy's description of the call. */
  readonly description?: string;
  /** For edits of files: a unified diff, or in parentheses why there is none. */
  readonly diff?: string;
  /** Set when a gate has changed the call: by whom, and the call before. */
  readonly changed?: { readonly by: string; readonly tool: string; readonly arguments: string };
}

const writtenKey = 'written';

/** The call with other arguments, which the model that asked for it never saw: approvals say so. */
export function withUnseenInput(call: ToolCall, input: JsonValue): ToolCall {
  return { ...call, input, metadata: { ...call.metadata, [writtenKey]: call.input } };
}

/** The arguments as the model wrote them, where a layer has put in values that the model never saw. */
export function writtenInput({ metadata }: ToolCall): JsonValue | undefined {
  return metadata?.[writtenKey];
}
