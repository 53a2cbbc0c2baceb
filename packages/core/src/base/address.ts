/**
 * A place in a tree of runs: a run and its step, or a call in it, with the calls around the run. It distinguishes
 * children that have equal names and run at the same time.
 */
export interface Address {
  /** The name of the agent. */
  readonly agent: string;
  readonly sessionId: string;
  readonly runId: string;
  /** From 1; 0 before the first. */
  readonly step: number;
  /** Undefined outside of tool calls. */
  readonly callId?: string;
  /** The call that began the run; undefined for the root. */
  readonly parent?: CallAddress;
}

/** The address of a tool call. */
export interface CallAddress extends Address {
  readonly callId: string;
}
