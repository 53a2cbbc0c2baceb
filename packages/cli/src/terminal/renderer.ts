import type { AgentEvent, RunResult } from '@shallot/core';

/** Shows a run to whoever called the command. What it returns is awaited: a slow reader slows the run. */
export interface Renderer {
  event(event: AgentEvent): void | Promise<void>;
  /** The run has ended, completed or interrupted. */
  end(result: RunResult): void | Promise<void>;
  /** The run was aborted or has failed, or did not even begin. */
  failed(error: unknown): void | Promise<void>;
}
