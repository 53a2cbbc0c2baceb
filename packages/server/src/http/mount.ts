import type { Identity } from '../access/identity.ts';

/** The sender of a request to a mounted protocol. */
export interface Sender {
  readonly identity: Identity;
  /** Sends a request to the server's routes with the identity and rights of the sender. It is not counted again. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Answers requests to one path in another protocol. Host, origin, credentials and rate are already checked. */
export type Mount = (request: Request, sender: Sender) => Promise<Response>;
