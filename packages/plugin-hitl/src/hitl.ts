import { definePlugin, type JsonValue, type ToolCall, type ToolResult } from '@shallot/core';
import {
  approvalsKey,
  checkToolPatterns,
  messageOf,
  textPart,
  type ToolNext,
  type ToolScope,
  type Decision,
  type ApprovalRequest,
} from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { askInProcess } from './ask-in-process.ts';
import { answerSchema } from './decision.ts';
import { describeCall } from './describe-call.ts';
import { onceForCall, type OnceForCall } from './once-for-call.ts';
import { hitlOptions, type Policy, type Rule } from './options.ts';
import { checkPreApprovals, whyPreApproved } from './pre-approval.ts';
import { ruleFor } from './rule-for.ts';

/**
 * Asks a person before a tool call is executed, showing it exactly as it would be executed. As a gate, it lets no call
 * of a guarded tool through without approval.
 */
export const hitl = definePlugin({
  name: 'hitl',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 65,
  options: hitlOptions,
  setup({ id, options: policy, hooks, onReady, log, provide, use }) {
    provide(approvalsKey(id), { asksAbout: (tool) => ruleFor(policy, tool) !== undefined });
    onReady((agent) => {
      checkToolPatterns(policy.tools.keys(), agent, { plugin: 'hitl', what: 'The approval policy', log });
      checkPreApprovals(policy, use);
    });
    hooks.wrapToolCall.tapPromise({ name: 'approve', gate: true }, async (call, next, scope) => {
      const rule = ruleFor(policy, call.name);
      if (rule === undefined) return next(call);
      const once = onceForCall(call, scope);
      if ((await whyPreApproved(policy, use, call, scope, once)) !== undefined) return next(call);
      if (!(await isAsked(rule, call, scope, once))) return next(call);
      const decision = await decide(policy, rule, call, scope, once);
      return carryOut(decision, id, call, next);
    });
  },
});

/**
 * Returns true if the policy asks about a call. The result is stored with `once`: the condition may change after the
 * call has started or a person has answered, which must not change the decision.
 */
async function isAsked(
  { when }: Rule,
  call: ToolCall,
  scope: ToolScope,
  once: OnceForCall,
): Promise<boolean> {
  if (when === undefined) return true;
  return once('when', async () => {
    const answer: unknown = await scope.inTime('when', () => when(call, scope.run, scope.output));
    return answer !== false;
  });
}

/**
 * Returns a person's decision about a call. It is committed before the call is executed: after a crash, nobody is asked
 * again about a call that may be half done.
 */
async function decide(
  policy: Policy,
  rule: Rule,
  call: ToolCall,
  scope: ToolScope,
  once: OnceForCall,
): Promise<Decision> {
  const { ask } = policy;
  if (ask === 'deny')
    return { decision: 'reject', reason: 'it needs an approval, and nobody is available to ask' };
  try {
    return await once('decision', async () => {
      const request = await describeCall(call, rule, scope, once);
      return ask === 'interrupt'
        ? askByInterrupt(request, call, scope)
        : askInProcess(ask, policy.askTimeoutMs, request, call, scope);
    });
  } catch (error) {
    if (ask === 'interrupt') throw error;
    scope.run.log.error({ err: error, callId: call.id }, 'the approval request failed; the call was denied');
    return {
      decision: 'reject',
      reason: `it needs an approval, and the request failed: ${messageOf(error)}`,
    };
  }
}

async function askByInterrupt(request: ApprovalRequest, call: ToolCall, scope: ToolScope): Promise<Decision> {
  const answer = answerSchema(request.decisions, call, scope.check);
  // The schema allows only decisions.
  return (await scope.interrupt({ kind: 'approval', payload: toJson(request), answer })) as Decision;
}

function carryOut(
  decision: Decision,
  id: string,
  call: ToolCall,
  next: ToolNext,
): Promise<ToolResult> | ToolResult {
  switch (decision.decision) {
    case 'approve':
      return next(call);
    case 'edit':
      return executeEdited(decision, call, next);
    case 'respond':
      return { content: [textPart(decision.content)] };
    case 'reject':
      return denied(id, call, decision.reason);
  }
}

async function executeEdited(
  { args, name = '' }: Decision & { decision: 'edit' },
  call: ToolCall,
  next: ToolNext,
): Promise<ToolResult> {
  const edited = { ...call, name: name || call.name, input: args };
  const result = await next(edited);
  if (result.denied !== undefined) return result;
  // Precedes the outcome, which may be that another person changed the call again or answered it.
  const note = `A person changed this call. It became ${edited.name} with ${JSON.stringify(args)}`;
  return { ...result, content: [textPart(note), ...result.content] };
}

function denied(by: string, call: ToolCall, reason: string | undefined): ToolResult {
  const why = reason === undefined || reason === '' ? '' : `: ${reason}`;
  return {
    content: [textPart(`The call of ${call.name} was rejected and not executed${why}`)],
    isError: true,
    denied: { by, ...(why === '' ? {} : { reason: reason ?? '' }) },
  };
}

function toJson(request: ApprovalRequest): JsonValue {
  const { changed, ...rest } = request;
  return { ...rest, ...(changed === undefined ? {} : { changed: { ...changed } }) };
}
