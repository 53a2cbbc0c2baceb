import type { RunInfo, ToolCall } from '@shallot/core';
import {
  option,
  optionsSchema,
  type CallOutput,
  type StandardSchemaWithJson,
  decisionKinds,
  type Decision,
  type DecisionKind,
  type ApprovalDetails,
  type ApprovalRequest,
  type ToolDisplay,
} from '@shallot/core/plugin';

/** Options of the plugin: the calls to ask about, and how. */
export interface HitlOptions {
  /**
   * Calls that require approval if no rule of the agent's `permissions` covers them, by tool name: `true`, `false`,
   * or a policy. A `*` in a name matches any characters; the most exact name decides. Without permissions, calls of
   * tools that no entry names are executed. Default: every call requires approval.
   */
  readonly tools?: Readonly<Record<string, boolean | ToolPolicy>>;
  /**
   * `interrupt` pauses the run until it is resumed with an answer, `deny` denies without asking, a function asks in
   * this process. Default: `interrupt`.
   */
  readonly ask?: 'interrupt' | 'deny' | Ask;
  /**
   * Ids of plugins whose pre-approvals count: a call that one of them pre-approves is executed without a question.
   * `['skills']` trusts the authors of the skills. Default: none.
   */
  readonly preApprovals?: readonly string[];
  /** Milliseconds to wait for the function's answer; after that, the call is denied. Default: 300,000. */
  readonly askTimeoutMs?: number;
}

/**
 * Asks a person in this process. `display` is the tool's data about itself and the call; `always` is set if an
 * approval may also keep a rule. Any return value but an offered decision denies the call.
 */
export type Ask = (
  request: ApprovalRequest & ApprovalDetails & { readonly call: ToolCall; readonly display?: ToolDisplay },
  context: { readonly run: RunInfo; readonly signal: AbortSignal },
) => Decision | Promise<Decision>;

/** Approval policy for the calls of one tool, or of all tools that match a pattern. */
export interface ToolPolicy {
  /** Decisions to offer. Default: all four. */
  readonly decisions?: readonly DecisionKind[];
  /**
   * Returns `false` to let the call pass without a question; any other value asks. `output` is the result of the
   * tool's schema if it differs from the arguments. In code only.
   */
  readonly when?: (call: ToolCall, run: RunInfo, output?: CallOutput) => boolean | Promise<boolean>;
  /** Returns a description to show with the arguments. In code only. */
  readonly describe?: (call: ToolCall, run: RunInfo, output?: CallOutput) => string | Promise<string>;
}

/** A policy with its defaults. */
export interface Rule extends ToolPolicy {
  readonly decisions: readonly DecisionKind[];
}

/** The options with defaults. */
export interface Policy {
  readonly ask: 'interrupt' | 'deny' | Ask;
  readonly askTimeoutMs: number;
  readonly preApprovals: readonly string[];
  /** The entries by name or pattern; `pass` for calls that need no approval. */
  readonly tools: ReadonlyMap<string, Rule | 'pass'>;
}

/** Longer waits should be interrupts. */
const maxTimeoutMs = 86_400_000;

const toolPolicy = option.object({
  decisions: option
    .list(option.oneOf(...decisionKinds), { min: 1 })
    .default(decisionKinds)
    .describe('The decisions to offer.'),
  when: option.callback<NonNullable<ToolPolicy['when']>>(),
  describe: option.callback<NonNullable<ToolPolicy['describe']>>(),
});

/** The options after parsing. Without `tools`, no tool has an entry. */
export type ReadOptions = Omit<Policy, 'tools'> & Partial<Pick<Policy, 'tools'>>;

/** The schema of the options; also available as JSON Schema, for editors of config files. */
export const hitlOptions: StandardSchemaWithJson<HitlOptions, ReadOptions> = optionsSchema({
  tools: option
    .record(option.either(option.boolean(), toolPolicy))
    .describe('The calls to ask about, by tool name; a * matches any characters.')
    .map((tools) => new Map(Object.entries(tools).map(([name, rule]) => [name, toRule(rule)]))),
  ask: option
    .either(option.oneOf('interrupt', 'deny'), option.callback<Ask>())
    .default('interrupt')
    .describe('How to ask: pause the run until it is resumed with an answer, or deny without asking.'),
  preApprovals: option
    .list(option.text('the id of a plugin'))
    .default([])
    .describe('Ids of plugins whose pre-approved calls are executed without asking.'),
  askTimeoutMs: option
    .number({ above: 0, max: maxTimeoutMs })
    .default(300_000)
    .describe('The time limit of an ask function in milliseconds; after that, the call is denied.'),
});

/** The policy that asks about each call, and offers all decisions. */
export const plainRule: Rule = Object.freeze({ decisions: decisionKinds });

function toRule(policy: boolean | Rule): Rule | 'pass' {
  if (typeof policy !== 'boolean') return policy;
  return policy ? plainRule : 'pass';
}
