import type { JsonObject, JsonSchema, ToolCall, ToolResult } from '@shallot/core';
import {
  messageOf,
  textPart,
  visible,
  type ApprovalRequest,
  type ToolNext,
  type ToolScope,
  isJsonObject,
} from '@shallot/core/plugin';

import type { Outcome } from '../calling/outcome.ts';
import type { Hook } from '../hook.ts';
import type { Allowances } from './allowances.ts';
import { keyOf, rootOf, type HookRuns } from './hook-runs.ts';
import { readSaid, showMessage, textOf, warnOfFailure, type Said } from './said.ts';

/** The verdict of a hook about a call. */
export interface Verdict {
  readonly is: 'allow' | 'deny' | 'ask' | 'pass';
  readonly reason: string;
  /** The new arguments, in the words of the format. */
  readonly input?: JsonObject | undefined;
  readonly said?: Said | undefined;
  /** The reason for which the hook failed; the verdict is then that of its `onFailure`. */
  readonly failure?: string;
}

/** Reads the verdict of an outcome, as the format documents it. */
export function verdictOf(hook: Hook, outcome: Outcome): Verdict {
  if (outcome.is === 'failed') return failure(hook, outcome.reason);
  const said = readSaid(hook, outcome);
  const { specific, output } = said;
  const decision = specific['permissionDecision'] ?? older.get(output['decision']) ?? output['decision'];
  const reason =
    textOf(specific, 'permissionDecisionReason') ??
    textOf(output, 'reason') ??
    said.blocks ??
    'it gave no reason';
  if (said.ends !== undefined) return { is: 'deny', reason: said.ends.reason ?? reason, said };
  if (said.blocks !== undefined || decision === 'deny') return { is: 'deny', reason, said };
  const input = isJsonObject(specific['updatedInput']) ? specific['updatedInput'] : undefined;
  const is = decision === 'ask' || decision === 'allow' ? decision : 'pass';
  return { is, reason, input, said };
}

function failure({ onFailure }: Hook, why: string): Verdict {
  const is = ({ pass: 'pass', stop: 'deny', ask: 'ask' } as const)[onFailure];
  return { is, reason: `the hook failed: ${why}`, failure: why };
}

/** The words of the format's first version for verdicts. */
const older: ReadonlyMap<unknown, string> = new Map([
  ['approve', 'allow'],
  ['block', 'deny'],
]);

export interface GateParts {
  readonly id: string;
  readonly runs: HookRuns;
  readonly allowances: Allowances;
}

/** Passes a call through a hook: it is denied, asked about, changed, or passed on. */
export async function throughHook(
  hook: Hook,
  call: ToolCall,
  next: ToolNext,
  scope: ToolScope,
  { id, runs, allowances }: GateParts,
): Promise<ToolResult> {
  const { run, output, signal } = scope;
  const root = rootOf(run);
  const outcome = await scope.once(keyOf(hook, call), () =>
    runs.call(hook, { ...runs.words.toForeign(call, root), tool_use_id: call.id }, run, signal),
  );
  const verdict = verdictOf(hook, outcome);
  if (verdict.failure !== undefined && verdict.is === 'pass') warnOfFailure(hook, verdict.failure, run);
  const { said, input } = verdict;
  if (said !== undefined) showMessage(hook, said, run);
  if (said?.ends !== undefined) run.end(said.ends.reason);
  if (verdict.is === 'deny') return denied(id, call, verdict.reason);
  let passed = call;
  if (input !== undefined)
    try {
      passed = withInput(call, runs.words.fromForeign(call.name, input, root));
    } catch (error) {
      return denied(id, call, messageOf(error));
    }
  if (verdict.is === 'ask') {
    const answer = await scope.interrupt({
      kind: 'approval',
      payload: requestFor(hook, passed, verdict.reason),
      answer: answerSchema,
    });
    if (!isApproval(answer)) return denied(id, call, reasonOf(answer));
  }
  const because = `the hook ${hook.label} allows it: ${verdict.reason}`;
  const result =
    verdict.is === 'pass'
      ? await next(passed)
      : await allowances.during(passed, run, { because, output: output?.value }, () => next(passed));
  const context = said?.context === undefined ? [] : [textPart(said.context)];
  const noted = passed === call || result.denied !== undefined ? {} : noteOf(passed, result, id);
  return context.length === 0 && passed === call
    ? result
    : { ...result, ...noted, content: [...result.content, ...context] };
}

/** Returns a note for the result with the arguments that a hook put in place of the model's; the last change counts. */
function noteOf({ input }: ToolCall, { metadata }: ToolResult, id: string): Pick<ToolResult, 'metadata'> {
  return { metadata: { [id]: { input }, ...metadata } };
}

/** Returns the call as hooks have changed it. */
export function executedCall(call: ToolCall, { metadata }: ToolResult, id: string): ToolCall {
  const note = metadata?.[id];
  const input = isJsonObject(note) ? note['input'] : undefined;
  return input === undefined ? call : { ...call, input };
}

/** Returns the call with new arguments; the same call if they are equal, because that is no edit. */
function withInput(call: ToolCall, input: JsonObject): ToolCall {
  return JSON.stringify(input) === JSON.stringify(call.input) ? call : { ...call, input };
}

function requestFor(hook: Hook, { name, input }: ToolCall, reason: string): ApprovalRequest & JsonObject {
  return {
    tool: name,
    decisions: ['approve', 'reject'],
    arguments: visible(JSON.stringify(input, undefined, 2)),
    description: visible(`The hook ${hook.label} asks: ${reason}`),
  };
}

const answerSchema: JsonSchema = {
  type: 'object',
  properties: {
    decision: { enum: ['approve', 'reject'] },
    reason: { type: 'string', description: 'with reject: the reason given to the model' },
  },
  required: ['decision'],
  additionalProperties: false,
};

function isApproval(answer: unknown): boolean {
  return memberOf(answer, 'decision') === 'approve';
}

function reasonOf(answer: unknown): string {
  const reason = memberOf(answer, 'reason');
  return typeof reason === 'string' && reason !== '' ? reason : 'a person rejected it';
}

function memberOf(value: unknown, member: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined;
}

function denied(by: string, call: ToolCall, reason: string): ToolResult {
  const text = `The call of ${call.name} was blocked by a hook and not executed: ${reason}`;
  return { content: [textPart(text)], isError: true, denied: { by, reason } };
}
