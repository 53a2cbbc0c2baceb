import type { JsonValue, ToolCall } from '@shallot/core';
import { messageOf, type ApprovalRequest, type Decision } from '@shallot/core/plugin';

import { askInProcess, type Asking } from './ask-in-process.ts';
import { answerSchema } from './decision.ts';
import { describeCall } from './describe-call.ts';
import type { OnceForCall } from './once-for-call.ts';
import type { Policy, Rule } from './options.ts';

/**
 * Returns a person's decision about a call. It is committed before the call is executed: after a crash, nobody is asked
 * again about a call that may be half done. If nobody can be asked, or the application's function fails, the decision is to
 * reject.
 */
export async function decide(
  { ask, askTimeoutMs }: Pick<Policy, 'ask' | 'askTimeoutMs'>,
  rule: Rule,
  call: ToolCall,
  asking: Asking,
  once: OnceForCall,
): Promise<Decision> {
  const { scope } = asking;
  if (ask === 'deny')
    return { decision: 'reject', reason: 'it needs an approval, and nobody is available to ask' };
  try {
    return await once('decision', async () => {
      const request = await describeCall(call, rule, scope, once);
      return ask === 'interrupt'
        ? askByInterrupt(request, call, asking)
        : askInProcess(ask, askTimeoutMs, request, call, asking);
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

async function askByInterrupt(
  request: ApprovalRequest,
  call: ToolCall,
  { scope, always }: Asking,
): Promise<Decision> {
  const answer = answerSchema(request.decisions, call, { check: scope.check, always });
  const details = always === undefined ? {} : { details: { always: always.details } };
  // The schema allows only decisions.
  return (await scope.interrupt({
    kind: 'approval',
    payload: toJson(request),
    ...details,
    answer,
  })) as Decision;
}

function toJson(request: ApprovalRequest): JsonValue {
  const { changed, ...rest } = request;
  return { ...rest, ...(changed === undefined ? {} : { changed: { ...changed } }) };
}
