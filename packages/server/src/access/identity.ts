import type { JsonObject } from '@shallot/core';

/** A right of an identity: begin, stop and steer runs; answer questions; read; delete sessions. */
export type Right = 'run' | 'answer' | 'read' | 'delete';

/** The sender of a request, as the option `auth` of the server returns it. */
export interface Identity {
  /**
   * The owner of the sessions that the identity sees, up to 100 characters. An identity without an owner is an
   * operator, who sees all sessions.
   */
  readonly owner?: string;
  /** The name that is stored with its answers and messages. Default: the owner, or else `operator`. */
  readonly name?: string;
  /** The rights of the identity. Default: all. */
  readonly may?: readonly Right[];
  /** Data that is stored with its runs. The function that makes their context receives it as `metadata`. */
  readonly context?: JsonObject;
}

/** Returns the name that is stored with the actions of an identity, cut to 100 characters. */
export function nameOf({ name, owner = 'operator' }: Identity): string {
  return (name ?? owner).slice(0, 100);
}
