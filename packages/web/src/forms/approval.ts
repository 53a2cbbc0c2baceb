import type { Interrupt, JsonValue } from '@shallot/core';

import { readJson } from './draft.ts';
import { isObject } from './field.ts';

const kinds = ['approve', 'edit', 'reject', 'respond'] as const;
const scopes = ['session', 'project'] as const;

/** The decisions for which the user writes a text. */
export type Writing = Exclude<(typeof kinds)[number], 'approve'>;

/** A question about a tool call, in the form of the approval plugin. */
export interface Approval {
  readonly decisions: readonly (typeof kinds)[number][];
  readonly tool: string;
  /** All arguments as text. */
  readonly arguments: string;
  readonly output?: string | undefined;
  readonly description?: string | undefined;
  readonly diff?: string | undefined;
  /** The plugin that has changed the call before the question. */
  readonly changedBy?: string | undefined;
  /** The options for an answer that also stores a rule. */
  readonly always?: {
    readonly scopes: readonly (typeof scopes)[number][];
    readonly rule?: string | undefined;
  };
}

/** Reads a question for approval. Returns undefined for other questions, and for an approval in an unknown form. */
export function approvalOf({ kind, payload, details }: Interrupt): Approval | undefined {
  if (kind !== 'approval' || !isObject(payload)) return undefined;
  const { tool, arguments: shown, decisions, changed, output, description, diff } = payload;
  if (typeof tool !== 'string' || typeof shown !== 'string' || !Array.isArray(decisions)) return undefined;
  const always = isObject(details) ? alwaysOf(details['always']) : undefined;
  return {
    tool,
    arguments: shown,
    decisions: kinds.filter((each) => decisions.includes(each)),
    output: textOf(output),
    description: textOf(description),
    diff: textOf(diff),
    changedBy: isObject(changed) ? textOf(changed['by']) : undefined,
    ...(always === undefined ? {} : { always }),
  };
}

function alwaysOf(value: JsonValue | undefined): Approval['always'] | undefined {
  if (!isObject(value)) return undefined;
  const { scopes: offered, rule } = value;
  const known = scopes.filter((each) => Array.isArray(offered) && offered.includes(each));
  return { scopes: known, rule: textOf(rule) };
}

/** Returns the decision with its text, or the problem with the text. */
export function decisionOf(
  decision: Writing,
  text: string,
): { readonly value: JsonValue } | { readonly problem: string } {
  if (decision === 'respond') return { value: { decision, content: text } };
  const reason = text.trim();
  if (decision === 'reject') return { value: { decision, ...(reason === '' ? {} : { reason }) } };
  const read = readJson(text);
  if ('problem' in read) return read;
  const { value } = read;
  return isObject(value) ? { value: { decision, args: value } } : { problem: 'The arguments are an object.' };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
