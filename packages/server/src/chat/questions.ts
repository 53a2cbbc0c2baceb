import type { Interrupt, JsonValue } from '@shallot/core';

import { questionView } from '../api/views.ts';
import { member } from '../http/member.ts';
import type { UiChunk } from './ui-chunk.ts';

/**
 * Returns the chunks of the open questions of a run. The client itself answers questions for approval, one after
 * another if a call has several. All other questions are answered through the API.
 */
export function questionChunks(interrupts: readonly Interrupt[]): readonly UiChunk[] {
  const asked = new Set<string>();
  return interrupts.flatMap((interrupt): readonly UiChunk[] => {
    const toolCallId = approvedCall(interrupt);
    if (toolCallId === undefined)
      return [{ type: 'data-interrupt', id: interrupt.id, data: questionView(interrupt) }];
    if (asked.has(toolCallId)) return [];
    asked.add(toolCallId);
    const approvalDescriptor = questionView(interrupt);
    return [{ type: 'tool-approval-request', approvalId: interrupt.id, toolCallId, approvalDescriptor }];
  });
}

/** Returns the answer to a question for approval. */
export function decisionOf({
  approved,
  reason,
}: {
  readonly approved: boolean;
  readonly reason?: string | undefined;
}): JsonValue {
  if (approved) return { decision: 'approve' };
  return { decision: 'reject', ...(reason === undefined ? {} : { reason }) };
}

/**
 * Returns the id of the call that a question for approval is about, which is a call of this session's run; undefined
 * for other questions.
 */
export function approvedCall({ kind, call, under, answerSchema }: Interrupt): string | undefined {
  if (kind !== 'approval' || call === undefined) return undefined;
  const decisions = member(member(member(answerSchema, 'properties'), 'decision'), 'enum');
  const isDecided = Array.isArray(decisions) && decisions.includes('approve') && decisions.includes('reject');
  return isDecided ? (under?.[0] ?? call.id) : undefined;
}
