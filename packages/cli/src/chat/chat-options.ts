import type { AgentCommandOptions } from '../asking/config-loading.ts';
import type { TraceChoice } from '../work/trace-runs.ts';

/** The options of `shallot chat`. */
export interface ChatOptions extends AgentCommandOptions, TraceChoice {
  readonly session?: string;
  /** Continues the session that was changed last. */
  readonly continue?: boolean;
  /** Lets the person choose the session to continue. */
  readonly resume?: boolean;
  readonly abandon?: boolean;
  /** The mode of the permissions. */
  readonly mode?: string;
  /** Shows the model's reasoning. Default: on a terminal. */
  readonly reasoning?: boolean;
}
