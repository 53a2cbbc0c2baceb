import type { JsonObject } from '@shallot/core';

/** A right of an identity: begin, stop and steer runs; answer questions; read; delete sessions. */
export type Right = 'run' | 'answer' | 'read' | 'delete';

/** The sender of a request, as `auth` of the server says. */
export interface Identity {
  /**
   * The owner of the sessions that it sees, up to 100 characters. Without one it is an operator, who sees all sessions.
   */
  readonly owner?: string;
  /** The name that is kept with its answers and messages. Default: the owner, or else `operator`. */
  readonly name?: string;
  /** Default: everything. */
  readonly may?: readonly Right[];
  /** Kept with its runs, as `metadata` of the function that makes their context. */
  readonly context?: JsonObject;
}

/** The name that is kept with what an identity does. */
export function nameOf({ name, owner = 'operator' }: Identity): string {
  return (name ?? owner).slice(0, 100);
}
