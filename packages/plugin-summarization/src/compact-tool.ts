import { defineTool, type RunInfo, type Tool } from '@shallot/core';

/** The tool with which the model asks for a summary; it is made before the next step. */
export function compactTool(request: (run: RunInfo) => void): Tool {
  return defineTool({
    name: 'compact_conversation',
    description:
      'Condenses the conversation so far into a summary, to make room. Use it when a piece of work is done and its details are no longer needed. The full conversation is kept in a file.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'idempotent',
    execute(_, { run }) {
      request(run);
      return 'The conversation is condensed before you go on.';
    },
  });
}
