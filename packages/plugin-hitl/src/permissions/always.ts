import type { RunInfo } from '@shallot/core';
import {
  keepScopes,
  messageOf,
  parsePermissionRule,
  visible,
  type Always,
  type ApprovalDetails,
  type KeptRules,
  type ReadCall,
  type Redactor,
} from '@shallot/core/plugin';

import type { Judgement } from './judge.ts';
import type { LivePermissions } from './live-permissions.ts';
import { proposeRule } from './propose-rule.ts';

/** The parts that answers with `always` need. */
export interface AlwaysParts {
  readonly permissions: LivePermissions;
  readonly project: KeptRules | undefined;
  readonly redactor: Redactor;
}

/** The way in which an answer about one call may be kept as a rule. */
export interface AlwaysForCall {
  /** The details for clients about an answer with `always`. */
  readonly details: NonNullable<ApprovalDetails['always']>;
  /** Returns the problem with a rule; undefined for one that may be kept. */
  readonly problemOf: (rule: string) => string | undefined;
}

/** Returns how an answer about a call may be kept. */
export function alwaysFor(call: ReadCall, run: RunInfo, parts: AlwaysParts): AlwaysForCall {
  const problemOf = (rule: string): string | undefined =>
    problemWith(rule, parts.permissions.judge(call, { run }, [rule]), parts);
  const rule = proposeRule(call, parts.permissions.rulesIn(run));
  const scopes = parts.project === undefined ? (['session'] as const) : keepScopes;
  const isUsable = rule !== undefined && problemOf(rule) === undefined;
  return { details: { scopes, ...(isUsable && { rule }) }, problemOf };
}

/** Returns the problem with a rule for a call that was judged as if it were kept; undefined if it may be kept. */
export function problemWith(
  text: string,
  { rules }: Pick<Judgement, 'rules'>,
  { permissions, redactor }: Pick<AlwaysParts, 'permissions' | 'redactor'>,
): string | undefined {
  const shown = JSON.stringify(visible(text));
  const parsed = parsePermissionRule(text);
  if ('advice' in parsed) return `the rule ${shown} cannot be kept: ${parsed.advice}`;
  if (redactor.text(text) !== text) return 'the rule cannot be kept: it holds a secret';
  const advice = permissions.adviceFor(parsed.rule);
  if (advice !== undefined) return `the rule ${shown} cannot be kept: ${advice}`;
  if (!rules.includes(text)) return `the rule ${shown} cannot be kept: it does not cover this call`;
  const widest = permissions.mayKeep(parsed.rule);
  return (
    widest &&
    `the rule ${shown} cannot be kept: mayKeep of the permissions allows no wider rules than ${widest.join(', ') || 'none'}`
  );
}

/**
 * Keeps a rule. If the project's file cannot be written, a rule for the project holds only for the session, and a
 * warning says so. Returns the scope in which the rule holds.
 */
export async function keepRule(
  { scope, rule }: Always,
  run: RunInfo,
  { permissions, project }: AlwaysParts,
): Promise<Always['scope']> {
  const kept = scope === 'project' ? await keepForProject(rule, run, project) : false;
  if (!kept) permissions.session.keep(run, rule);
  const holds = kept ? 'project' : 'session';
  run.event('rule-kept', {
    rule,
    scope: holds,
    ...(kept && project !== undefined && { from: project.from }),
  });
  return holds;
}

async function keepForProject(rule: string, run: RunInfo, project: KeptRules | undefined): Promise<boolean> {
  try {
    if (project !== undefined) {
      await project.add(rule);
      return true;
    }
    run.warn(
      'RULE_FOR_SESSION',
      `The rule "${rule}" holds for this session: the agent has no project that could keep it.`,
    );
  } catch (error) {
    run.warn(
      'RULE_FOR_SESSION',
      `The rule "${rule}" holds for this session: ${project?.from} cannot be changed: ${messageOf(error)}`,
    );
  }
  return false;
}
