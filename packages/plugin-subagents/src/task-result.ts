import type { ToolContext } from '@shallot/core';

type ChildResult = Awaited<ReturnType<ToolContext['child']>>;

/** Returns the answer of a task for the model, with its session. */
export function taskResult(toolName: string, agent: string, result: ChildResult): object {
  const { output, sessionId, stopReason, steps, usage } = result;
  const data = { agent, session: sessionId, stopReason, steps, tokens: usage.total };
  return {
    content: `${textOf(result)}\n\n[${toolName} session: ${sessionId}]`,
    data: output === undefined ? data : { ...data, output },
  };
}

/** Returns the answer, with a remark if it is not whole. */
function textOf({ text, stopReason, steps }: ChildResult): string {
  if (stopReason === 'answer' || stopReason === 'ended' || stopReason === 'return-directly') return text;
  const why = `The agent stopped after ${steps} steps (${stopReason}); its answer may not be whole.`;
  return text === '' ? why : `${text}\n\n${why}`;
}
