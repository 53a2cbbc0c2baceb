import type { Agent, RunResult, RunStream } from '@shallot/core';

import type { Renderer } from '../terminal/renderer.ts';

/** The context for following a run. */
export interface Following {
  readonly agent: Agent;
  /** The same renderer for the whole run, across interrupts. */
  readonly renderer: Renderer;
  readonly signal: AbortSignal;
  /** Asks the open questions of a session. Resolves to true if all are answered. */
  readonly answer: (sessionId: string) => Promise<boolean>;
}

/**
 * Shows a run, asks its questions and resumes it, until none is open. Returns the result, which is interrupted if
 * questions stay open; rejects with the error of the run.
 */
export async function followRun(
  stream: RunStream,
  { agent, renderer, signal, answer }: Following,
): Promise<RunResult> {
  let next = stream;
  for (;;) {
    for await (const event of next) await renderer.event(event);
    const result = await next.result;
    await renderer.end(result);
    if (result.outcome !== 'interrupted' || !(await answer(result.sessionId))) return result;
    next = agent.streamResume(result.sessionId, {}, { signal });
  }
}
