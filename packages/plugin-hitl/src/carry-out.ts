import type { ToolCall, ToolResult } from '@shallot/core';
import { textPart, type Decision, type ToolNext } from '@shallot/core/plugin';

/** Carries out a person's decision about a call. `id` is that of the plugin. */
export function carryOut(
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
  // The note comes before the result, in which another person may have changed the call again, or answered it.
  const note = `A person changed this call. It became ${edited.name} with ${JSON.stringify(args)}`;
  return { ...result, content: [textPart(note), ...result.content] };
}

/** Returns the result of a call that is not executed. */
export function denied(by: string, call: ToolCall, reason: string | undefined): ToolResult {
  const why = reason === undefined || reason === '' ? '' : `: ${reason}`;
  return {
    content: [textPart(`The call of ${call.name} was rejected and not executed${why}`)],
    isError: true,
    denied: { by, ...(why === '' ? {} : { reason: reason ?? '' }) },
  };
}
