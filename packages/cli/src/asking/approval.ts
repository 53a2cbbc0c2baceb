import type { Interrupt, JsonObject, JsonValue } from '@shallot/core';
import { decisionKinds, type ApprovalRequest, type DecisionKind } from '@shallot/core/plugin';

/** The data of a question for approval, as far as the payload contains it. */
export interface Approval extends Partial<Omit<ApprovalRequest, 'tool' | 'decisions'>> {
  readonly call: NonNullable<Interrupt['call']>;
  readonly decisions: readonly DecisionKind[];
}

/**
 * Reads a question of the kind `approval` from any plugin: its call, and the decisions from the payload or the answer
 * schema. Returns undefined for other questions.
 */
export function approvalOf({ kind, call, payload, answerSchema }: Interrupt): Approval | undefined {
  if (kind !== 'approval' || call === undefined) return undefined;
  const asked = isObject(payload) ? payload : {};
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
  };
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function decisionsIn(value: JsonValue | undefined): readonly DecisionKind[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const known = decisionKinds.filter((kind) => value.includes(kind));
  return known.length === 0 ? undefined : known;
}

function enumOf({ properties }: JsonObject): JsonValue | undefined {
  const decision = isObject(properties) ? properties['decision'] : undefined;
  return isObject(decision) ? decision['enum'] : undefined;
}

function changeIn(value: JsonValue | undefined): Approval['changed'] {
  if (!isObject(value)) return undefined;
  const { by, tool, arguments: before } = value;
  if (typeof by !== 'string' || typeof tool !== 'string' || typeof before !== 'string') return undefined;
  return { by, tool, arguments: before };
}

function defined<K extends string, V>(key: K, value: V | undefined): { readonly [key in K]?: V } {
  // The object has only this member.
  return (value === undefined ? {} : { [key]: value }) as { readonly [key in K]?: V };
}
