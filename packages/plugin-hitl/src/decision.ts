import type { JsonSchema, Schema, ToolCall } from '@shallot/core';
import { keepScopes, type Decision, type DecisionKind } from '@shallot/core/plugin';

import type { AlwaysForCall } from './permissions/always.ts';

/** The members allowed and required for each decision. */
const members: Readonly<
  Record<DecisionKind, { readonly allowed: readonly string[]; readonly required: readonly string[] }>
> = {
  approve: { allowed: ['always'], required: [] },
  edit: { allowed: ['args', 'name'], required: ['args'] },
  reject: { allowed: ['reason'], required: [] },
  respond: { allowed: ['content'], required: ['content'] },
};

/**
 * The schema of a rule. It excludes only invisible characters, because the process that resumes the run checks the
 * rest.
 */
const alwaysSchema: JsonSchema = {
  type: 'object',
  description: 'with approve: a rule that allows this call, and others like it, from then on',
  properties: {
    scope: { enum: keepScopes, description: 'how long it holds' },
    rule: {
      type: 'string',
      maxLength: 1000,
      pattern: String.raw`^[\w*-]+(\([^\u0000-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*\))?$`,
    },
  },
  required: ['scope', 'rule'],
  additionalProperties: false,
};

/** Returns the JSON Schema of an answer with one of these decisions. */
function decisionSchema(kinds: readonly DecisionKind[], mayKeep: boolean): JsonSchema {
  return {
    type: 'object',
    properties: {
      decision: { enum: kinds },
      args: { type: 'object', description: 'with edit: all arguments of the new call' },
      name: { type: 'string', description: 'with edit: the tool of the new call, if it is another one' },
      reason: { type: 'string', description: 'with reject: the reason given to the model' },
      content: { type: 'string', description: "with respond: the text that replaces the tool's result" },
      ...(mayKeep && { always: alwaysSchema }),
    },
    required: ['decision'],
    additionalProperties: false,
    allOf: kinds.map((kind) => ({
      if: { properties: { decision: { const: kind } }, required: ['decision'] },
      // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's word
      then: {
        propertyNames: {
          enum: ['decision', ...members[kind].allowed.filter((name) => mayKeep || name !== 'always')],
        },
        required: ['decision', ...members[kind].required],
      },
    })),
  };
}

/** The functions that check an answer about a call. */
export interface AnswerChecks {
  /** Returns the fault of a call by the tool's schema; undefined if there is none. */
  readonly check: ((call: Pick<ToolCall, 'name' | 'input'>) => Promise<string | undefined>) | undefined;
  /** Undefined if the answer may not be kept as a rule. */
  readonly always: AlwaysForCall | undefined;
}

/**
 * Returns the schema of an answer about a call. Any process can check its JSON Schema; the process that resumes the run
 * also validates an edit with the tool's schema, so that an invalid one leaves the question open.
 */
export function answerSchema(
  kinds: readonly DecisionKind[],
  call: ToolCall,
  checks: AnswerChecks,
): Schema<Decision> {
  const schema = decisionSchema(kinds, checks.always !== undefined);
  return {
    '~standard': {
      version: 1,
      vendor: 'shallot-hitl',
      async validate(value: unknown) {
        const parsed = await checkDecision(value, kinds, call, checks);
        return 'problem' in parsed ? { issues: [{ message: parsed.problem }] } : { value: parsed.decision };
      },
      jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
    },
  };
}

type Checked = { readonly decision: Decision } | { readonly problem: string };

/** Checks an answer: its shape, and an edit against the schema of its tool. */
export async function checkDecision(
  value: unknown,
  kinds: readonly DecisionKind[],
  call: ToolCall,
  { check, always }: AnswerChecks,
): Promise<Checked> {
  const parsed = parseDecision(value, kinds);
  if ('problem' in parsed) return parsed;
  const problem = await problemOf(parsed.decision, call, { check, always });
  return problem === undefined ? parsed : { problem };
}

async function problemOf(
  decision: Decision,
  call: ToolCall,
  { check, always }: AnswerChecks,
): Promise<string | undefined> {
  if (decision.decision === 'edit')
    return check?.({ name: decision.name ?? call.name, input: decision.args });
  if (decision.decision !== 'approve' || decision.always === undefined) return undefined;
  if (always === undefined) return 'a rule asks about this call each time, so the answer cannot be kept';
  return always.problemOf(decision.always.rule);
}

function parseDecision(value: unknown, kinds: readonly DecisionKind[]): Checked {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return {
      problem: `an answer is an object with a decision, not ${value === null ? 'null' : typeof value}`,
    };
  }
  const { decision, ...rest } = value as Readonly<Record<string, unknown>>;
  const kind = kinds.find((each) => each === decision);
  if (kind === undefined) {
    return { problem: `the decision is ${JSON.stringify(decision)}; it must be one of ${kinds.join(', ')}` };
  }
  const { allowed, required } = members[kind];
  const present = Object.keys(rest).filter((key) => rest[key] !== undefined);
  const odd = present.find((key) => !allowed.includes(key));
  if (odd !== undefined) return { problem: `the decision ${kind} does not take "${odd}"` };
  const missing = required.find((key) => !present.includes(key));
  if (missing !== undefined) return { problem: `the decision ${kind} needs "${missing}"` };
  if (rest['always'] !== undefined && !isAlways(rest['always']))
    return { problem: `"always" must be { scope: "session" or "project", rule: "…" }` };
  const wrong = present.find((key) =>
    key === 'args' ? !isPlainObject(rest[key]) : key !== 'always' && typeof rest[key] !== 'string',
  );
  if (wrong !== undefined) {
    return {
      problem: `"${wrong}" of the decision ${kind} must be ${wrong === 'args' ? 'an object' : 'a string'}`,
    };
  }
  // Every member was checked above.
  return { decision: value as Decision };
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAlways(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const scope: unknown = Reflect.get(value, 'scope');
  return keepScopes.some((each) => each === scope) && typeof Reflect.get(value, 'rule') === 'string';
}
