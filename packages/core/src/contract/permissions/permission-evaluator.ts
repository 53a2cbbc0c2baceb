import type { Files } from '../../files/files.ts';
import type { InterruptedCall } from '../interrupt.ts';
import { serviceKey, type ServiceKey } from '../plugin.ts';
import type { RunInfo } from '../run-info.ts';
import type { StateRecord } from '../store.ts';
import type { ToolCall } from '../tool.ts';
import type { PermissionMode, RuleList } from './permissions.ts';

/** The verdict on a call, and its reason. */
export interface PermissionVerdict {
  readonly is: RuleList;
  /** The rules that decided, as they are written; empty if none applies to the call. */
  readonly rules: readonly string[];
  /** The reason as a clause, for people, such as: the rule "edit(src/**)" asks about it. */
  readonly because: string;
  /** Everything that the call touches, for people; undefined if that is unknown. */
  readonly touches: readonly string[] | undefined;
}

/** A rule in force, and its source. */
export interface RuleInForce {
  readonly list: RuleList;
  readonly rule: string;
  /** `config`, or the file or session that keeps it. */
  readonly from: string;
}

/** A rule that people should look at again. */
export interface RuleDoubt {
  /** `unused`: it never decides. `wide`: it allows more than it seems to. */
  readonly kind: 'unused' | 'wide';
  readonly list: RuleList;
  readonly rule: string;
  readonly why: string;
}

/** The evaluator of an agent's permissions: its approval plugin. There is one at most. */
export interface PermissionEvaluator {
  /**
   * Judges a call as if the model made it now: in a run, with the rules and the mode of its session. `files` defaults to
   * the agent's.
   */
  readonly judge: (
    call: Pick<ToolCall, 'name' | 'input'>,
    context: { readonly files?: Files; readonly run?: RunInfo; readonly mode?: PermissionMode },
  ) => Promise<PermissionVerdict>;
  /** Returns true if a rule, were it kept, would allow a call. */
  readonly covers: (
    rule: string,
    call: Pick<InterruptedCall, 'name' | 'input' | 'output'>,
  ) => Promise<boolean>;
  /**
   * Returns the kept rules that allow a call by now, if its question was asked before they were kept and is still open.
   * `state` is that of the session's record.
   */
  readonly keptFor: (
    call: Pick<InterruptedCall, 'name' | 'input' | 'output'>,
    state: StateRecord | undefined,
  ) => Promise<readonly string[]>;
  /**
   * Returns the reason why an answer about a call cannot keep a rule, for example that the rule does not cover the call,
   * contains a secret, or is wider than `mayKeep` allows; undefined if it can. `state` is that of the session's record.
   */
  readonly whyNotKept: (
    rule: string,
    call: Pick<InterruptedCall, 'name' | 'input' | 'output'>,
    state: StateRecord | undefined,
  ) => Promise<string | undefined>;
  /** Chooses the mode of a session, from its next tool call on. @throws if it is wider than `maxMode` */
  readonly chooseMode: (sessionId: string, mode: PermissionMode) => void;
  /** Returns the mode of a session; `state` is that of its record, if it has one. */
  readonly modeOf: (sessionId: string, state: StateRecord | undefined) => PermissionMode;
  /** Returns the mode in force in a run: that of its session or, in a child run, of the root's session. */
  readonly modeIn: (run: RunInfo) => PermissionMode;
  /** Removes a rule that answers have kept for the project. Resolves to false if there is none. */
  readonly forget: (rule: string) => Promise<boolean>;
  /** Returns the rules in force, without those of sessions. */
  readonly rules: () => readonly RuleInForce[];
  /** Returns rules of the config, and kept ones, that never decide or are wider than they look. */
  readonly doubts: () => readonly RuleDoubt[];
}

/** The key of the evaluator. */
export const permissionEvaluatorKey: ServiceKey<PermissionEvaluator> = serviceKey('shallot/permissions');
