import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ToolCall } from './tool.ts';

/** A person's answer to an approval request. */
export const decisionKinds = ['approve', 'edit', 'reject', 'respond'] as const;

/** The kind of a decision about a call. */
export type DecisionKind = (typeof decisionKinds)[number];

/** A person's decision about a call. */
export type Decision =
  /** Executes the call as it was shown. */
  | { readonly decision: 'approve' }
  /** Executes another call: other arguments, or another tool, to which that tool's own policy applies. */
  | { readonly decision: 'edit'; readonly args: JsonObject; readonly name?: string }
  /** Does not execute the call; the model is told the reason. */
  | { readonly decision: 'reject'; readonly reason?: string }
  /** Does not execute the call; the content becomes the tool's result. */
  | { readonly decision: 'respond'; readonly content: string };

/**
 * The text shown to a person: the payload of an interrupt of kind `approval`, safe to print. The arguments as JSON, to
 * edit, are in the interrupt's `call`.
 */
export interface ApprovalRequest {
  readonly tool: string;
  readonly decisions: readonly DecisionKind[];
  /** All arguments as text; hidden characters are written as `⟨U+202E⟩`. */
  readonly arguments: string;
  /** The schema's output for the arguments, if it differs; the tool receives this. */
  readonly output?: string;
  /** The policy's description of the call. */
  readonly description?: string;
  /** For file edits: a unified diff, or in parentheses the reason why there is none. */
  readonly diff?: string;
  /** Set if a gate changed the call: the plugin, and the previous call. */
  readonly changed?: { readonly by: string; readonly tool: string; readonly arguments: string };
}

const writtenKey = 'written';

/** Returns the call with arguments that the model never saw, which approvals report. */
export function withUnseenInput(call: ToolCall, input: JsonValue): ToolCall {
  return { ...call, input, metadata: { ...call.metadata, [writtenKey]: call.input } };
}

/** Returns the arguments as the model wrote them, if a layer replaced them by values that the model never saw. */
export function writtenInput({ metadata }: ToolCall): JsonValue | undefined {
  return metadata?.[writtenKey];
}
