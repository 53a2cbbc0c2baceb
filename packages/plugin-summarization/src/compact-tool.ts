import { defineTool, type Message, type RunInfo, type Tool } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';

/** The model's request for a summary: the ids of its calls, and the subject that the summary must keep. */
export interface CompactRequest {
  readonly callIds: readonly string[];
  readonly focus: string | null;
}

const maxFocusLength = 1000;

/** Returns the tool with which the model requests a summary, which is made before the next step. */
export function compactTool(request: (run: RunInfo, callId: string, focus: string | null) => void): Tool {
  return defineTool({
    name: 'compact_conversation',
    description:
      'Condenses the conversation so far into a summary, to make room. Use it when a piece of work is done and its details are no longer needed. The full conversation is kept in a file.',
    input: {
      type: 'object',
      properties: {
        focus: {
          type: 'string',
          maxLength: maxFocusLength,
          description: 'What the summary must keep above all: what you still need, in a sentence or two.',
        },
      },
      additionalProperties: false,
    },
    effect: 'idempotent',
    execute({ focus }, { run, call }) {
      request(run, call.id, typeof focus === 'string' && focus.trim() !== '' ? focus : null);
      return 'The conversation will be condensed before your next step, if that frees enough.';
    },
  });
}

/** Replaces the results of these calls with the outcome of the summary. */
export function withOutcome(
  messages: readonly Message[],
  { callIds }: CompactRequest,
  outcome: string,
): readonly Message[] {
  return messages.map((message) =>
    message.role === 'tool' && callIds.includes(message.callId)
      ? { ...message, content: [textPart(outcome)] }
      : message,
  );
}
