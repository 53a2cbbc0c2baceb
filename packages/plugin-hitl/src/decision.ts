import type { JsonSchema, Schema, ToolCall } from '@shallot/core';
import type { Decision, DecisionKind } from '@shallot/core/plugin';

/** The members allowed and required for each decision. */
const members: Readonly<
  Record<DecisionKind, { readonly allowed: readonly string[]; readonly required: readonly string[] }>
> = {
  approve: { allowed: [], required: [] },
  edit: { allowed: ['args', 'name'], required: ['args'] },
  reject: { allowed: ['reason'], required: [] },
  respond: { allowed: ['content'], required: ['content'] },
};

/** Returns the JSON Schema of an answer with one of these decisions. */
function decisionSchema(kinds: readonly DecisionKind[]): JsonSchema {
  return {
    type: 'object',
    properties: {
      decision: { enum: kinds },
      args: { type: 'object', description: 'with edit: all arguments of the new call' },
      name: { type: 'string', description: 'with edit: the tool of the new call, if it is another one' },
      reason: { type: 'string', description: 'with reject: the reason given to the model' },
      content: { type: 'string', description: "with respond: the text that replaces the tool's result" },
    },
    required: ['decision'],
    additionalProperties: false,
    allOf: kinds.map((kind) => ({
      if: { properties: { decision: { const: kind } }, required: ['decision'] },
      // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's word
      then: {
        propertyNames: { enum: ['decision', ...members[kind].allowed] },
        required: ['decision', ...members[kind].required],
      },
    })),
  };
}

type CheckCall = (call: Pick<ToolCall, 'name' | 'input'>) => Promise<string | undefined>;

/**
 * Returns the schema of an answer about a call. Any process can check its JSON Schema; the process that resumes the run
 * also validates an edit with the tool's schema, so that an invalid one leaves the question open.
 */
export function answerSchema(
  kinds: readonly DecisionKind[],
  call: ToolCall,
  checkCall: CheckCall | undefined,
): Schema<Decision> {
  const schema = decisionSchema(kinds);
  return {
    '~standard': {
      version: 1,
      vendor: 'shallot-hitl',
      async validate(value: unknown) {
        const parsed = await checkDecision(value, kinds, call, checkCall);
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
  checkCall: CheckCall | undefined,
): Promise<Checked> {
  const parsed = parseDecision(value, kinds);
  if ('problem' in parsed || parsed.decision.decision !== 'edit') return parsed;
  const { args, name = call.name } = parsed.decision;
  const problem = await checkCall?.({ name, input: args });
  return problem === undefined ? parsed : { problem };
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
  const wrong = present.find((key) =>
    key === 'args' ? !isPlainObject(rest[key]) : typeof rest[key] !== 'string',
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
