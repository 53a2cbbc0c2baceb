import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import {
  decisionKinds,
  keepScopes,
  type ApprovalDetails,
  type ApprovalRequest,
  type DecisionKind,
} from '../../contract/approval.ts';
import type { Interrupt } from '../../contract/interrupt.ts';

/** The data of a question for approval, as far as the payload contains it. */
export interface Approval extends Partial<Omit<ApprovalRequest, 'tool' | 'decisions'>> {
  readonly call: NonNullable<Interrupt['call']>;
  readonly decisions: readonly DecisionKind[];
  /** The values that `always` of an answer may have, with the proposed rule. */
  readonly always?: NonNullable<ApprovalDetails['always']>;
}

/**
 * Reads a question of the kind `approval` from any plugin: its call, and the decisions from the payload or the answer
 * schema. Returns undefined for other questions.
 */
export function approvalOf({ kind, call, payload, details, answerSchema }: Interrupt): Approval | undefined {
  if (kind !== 'approval' || call === undefined) return undefined;
  const asked = isJsonObject(payload) ? payload : {};
  const decisions = decisionsIn(asked['decisions']) ?? decisionsIn(enumOf(answerSchema));
  if (decisions === undefined) return undefined;
  const text = (key: string): string | undefined => {
    const value = asked[key];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    call,
    decisions,
    ...defined('arguments', text('arguments')),
    ...defined('output', text('output')),
    ...defined('description', text('description')),
    ...defined('diff', text('diff')),
    ...defined('changed', changeIn(asked['changed'])),
    ...defined('always', alwaysIn(details)),
  };
}

function decisionsIn(value: JsonValue | undefined): readonly DecisionKind[] | undefined {
  if (!isJsonList(value)) return undefined;
  const known = decisionKinds.filter((kind) => value.includes(kind));
  return known.length === 0 ? undefined : known;
}

function enumOf({ properties }: JsonObject): JsonValue | undefined {
  const decision = isJsonObject(properties) ? properties['decision'] : undefined;
  return isJsonObject(decision) ? decision['enum'] : undefined;
}

function alwaysIn(details: JsonValue | undefined): Approval['always'] {
  const always = isJsonObject(details) ? details['always'] : undefined;
  if (!isJsonObject(always)) return undefined;
  const { scopes, rule } = always;
  const known = keepScopes.filter((scope) => isJsonList(scopes) && scopes.includes(scope));
  if (known.length === 0) return undefined;
  return { scopes: known, ...(typeof rule === 'string' && { rule }) };
}

function changeIn(value: JsonValue | undefined): Approval['changed'] {
  if (!isJsonObject(value)) return undefined;
  const { by, tool, arguments: before } = value;
  if (typeof by !== 'string' || typeof tool !== 'string' || typeof before !== 'string') return undefined;
  return { by, tool, arguments: before };
}

function defined<K extends string, V>(key: K, value: V | undefined): { readonly [key in K]?: V } {
  // The object has only this member.
  return (value === undefined ? {} : { [key]: value }) as { readonly [key in K]?: V };
}
