import type { AgentEvent, RunResult } from '@shallot/core';

/** Shows a run to the caller of the command. The returned promises are awaited, so a slow reader slows the run. */
export interface Renderer {
  event(event: AgentEvent): void | Promise<void>;
  /** Called when the run has completed or was interrupted. */
  end(result: RunResult): void | Promise<void>;
  /** Called when the run was aborted, failed, or did not begin. */
  failed(error: unknown): void | Promise<void>;
}
