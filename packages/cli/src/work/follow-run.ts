import type { Agent, RunResult, RunStream } from '@shallot/core';

import type { Renderer } from '../terminal/renderer.ts';

/** What following a run needs. */
export interface Following {
  readonly agent: Agent;
  /** Shows it; the same for the whole run, whatever interrupts it. */
  readonly renderer: Renderer;
  readonly signal: AbortSignal;
  /** Asks what a session waits for. Whether all is answered. */
  readonly answer: (sessionId: string) => Promise<boolean>;
}

/**
 * Shows a run, asks what it asks and goes on with it, until nothing is open. Gives the result, which is interrupted if
 * questions stay open; rejects with what made the run fail.
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
