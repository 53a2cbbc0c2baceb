import type { JsonValue } from '../base/json.ts';
import type { Touch } from '../contract/permissions/call-matcher.ts';
import type { PermissionRule } from '../contract/permissions/permission-rule.ts';
import type { RuleList } from '../contract/permissions/permissions.ts';
import { argumentCovers } from './argument-covers.ts';
import { fitsPattern } from './fits-pattern.ts';

/** A call as its tool's matcher reads it. */
export interface ReadCall {
  readonly tool: string;
  /** The arguments that the tool would get; undefined if they are not JSON. */
  readonly input: JsonValue | undefined;
  /** The words of the tool's matcher; empty if it has none. */
  readonly subjects: readonly string[];
  /** Everything that the call touches; undefined if that is unknown. */
  readonly touches: readonly Touch[] | undefined;
}

/** Returns true if a rule covers any part of a call; undefined if this is unknown. */
export function coversPart(rule: PermissionRule, list: RuleList, call: ReadCall): boolean | undefined {
  const whole = coversWhole(rule, list, call);
  if (whole !== false || call.subjects.length === 0) return whole;
  if (call.touches === undefined)
    return isForTool(rule, call) || (rule.isOfTool !== true && call.subjects.includes(rule.name))
      ? undefined
      : false;
  const found = new Set(call.touches.map((touch) => coversTouch(rule, list, touch, call)));
  return found.has(true) || (found.has(undefined) ? undefined : false);
}

/**
 * Returns true if a rule covers a call by its tool alone, or by an argument of a tool without a matcher; undefined if
 * this is unknown.
 */
export function coversWhole(rule: PermissionRule, list: RuleList, call: ReadCall): boolean | undefined {
  if (!isForTool(rule, call)) return false;
  if (rule.pattern === undefined) return true;
  return call.subjects.length === 0 && argumentCovers(rule.pattern, call.input, list);
}

/** Returns true if a rule covers one of the things that a call touches; undefined if this is unknown. */
export function coversTouch(
  rule: PermissionRule,
  list: RuleList,
  touch: Touch,
  call: ReadCall,
): boolean | undefined {
  const isOfSubject = rule.isOfTool !== true && rule.name === touch.subject;
  if (!isOfSubject && !isForTool(rule, call)) return false;
  if (rule.pattern === undefined) return true;
  return rule.pattern !== '' && touch.covers(rule.pattern, list);
}

function isForTool({ name }: PermissionRule, { tool }: ReadCall): boolean {
  return fitsPattern(name, tool);
}
