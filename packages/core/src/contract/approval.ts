import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ToolCall } from './tool.ts';

/** The possible answers to an approval request. */
export const decisionKinds = ['approve', 'edit', 'reject', 'respond'] as const;

/** The kind of a decision about a call. */
export type DecisionKind = (typeof decisionKinds)[number];

/** The possible lifetimes of a rule that is kept with an answer. */
export const keepScopes = ['session', 'project'] as const;

/**
 * A rule to keep with an answer: from then on it allows the call and others like it. `rule` has the form of an entry of
 * `permissions.allow`, such as `edit(/src/a.ts)`.
 */
export type Always = Readonly<Record<'rule', string> & Record<'scope', (typeof keepScopes)[number]>>;

/** The `details` of a question of kind `approval`, for clients. */
export interface ApprovalDetails {
  /** The values that `always` may have in the answer; absent if the answer may not have it. */
  readonly always?: {
    readonly scopes: readonly Always['scope'][];
    /** The narrowest rule that allows the call, to propose; absent if there is none. */
    readonly rule?: string;
  };
}

/** A person's decision about a call. */
export type Decision =
  /** Executes the call as it was shown; with `always`, keeps a rule that allows it from then on. */
  | { readonly decision: 'approve'; readonly always?: Always }
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

/** The rules that allowed a call without asking a person. */
export interface Release {
  /** The rules as written, without duplicates. */
  readonly rules: readonly string[];
}

const releaseKey = 'released';

/** Returns the call with a note of the rules that allowed it without asking, for its tool. */
export function withRelease(call: ToolCall, { rules }: Release): ToolCall {
  return { ...call, metadata: { ...call.metadata, [releaseKey]: { rules } } };
}

/**
 * Returns the rules that allowed a call without asking; undefined for a call that a person approved, or that needed no
 * approval.
 */
export function releaseOf({ metadata }: ToolCall): Release | undefined {
  const release = metadata?.[releaseKey];
  return isJsonObject(release) ? { rules: textsOf(release['rules']) ?? [] } : undefined;
}

const approvedKey = 'approved';

/** Returns the call with the note that a person has looked at it and approved it, for its tool. */
export function withApproval(call: ToolCall): ToolCall {
  return { ...call, metadata: { ...call.metadata, [approvedKey]: true } };
}

/** Returns true for a call that a person has looked at and approved, as it is. */
export function isApproved({ metadata }: ToolCall): boolean {
  return metadata?.[approvedKey] === true;
}

const touchesKey = 'touches';

/**
 * Returns the call with a note of everything that it was judged to touch, in the form of `Touch.what`: its tool must
 * touch nothing else. `touches` is undefined if that is unknown.
 */
export function withTouches(call: ToolCall, touches: readonly string[] | undefined): ToolCall {
  const { [touchesKey]: _, ...metadata } = call.metadata ?? {};
  return { ...call, metadata: { ...metadata, ...(touches === undefined ? {} : { [touchesKey]: touches }) } };
}

/** Returns everything that a call was judged to touch; undefined if the call was not judged, or if that is unknown. */
export function touchesOf({ metadata }: ToolCall): readonly string[] | undefined {
  return textsOf(metadata?.[touchesKey]);
}

function textsOf(value: JsonValue | undefined): readonly string[] | undefined {
  return isJsonList(value) ? value.filter((each) => typeof each === 'string') : undefined;
}

const writtenKey = 'written';

/** Returns the call with arguments that the model never saw. It keeps the model's own, which approvals also show. */
export function withUnseenInput(call: ToolCall, input: JsonValue): ToolCall {
  return { ...call, input, metadata: { ...call.metadata, [writtenKey]: call.input } };
}

/** Returns the arguments as the model wrote them, if a layer replaced them by values that the model never saw. */
export function writtenInput({ metadata }: ToolCall): JsonValue | undefined {
  return metadata?.[writtenKey];
}
