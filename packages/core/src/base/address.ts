/**
 * A place in a tree of runs: a run and its step, or a call in it, with the calls around the run. One value tells apart what happens in
 * children that have equal names, and are at work at once.
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
