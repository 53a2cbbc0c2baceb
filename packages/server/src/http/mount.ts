import type { Identity } from '../access/identity.ts';

/** The sender of a request to a mounted protocol. */
export interface Sender {
  readonly identity: Identity;
  /** Answers a request to the server's routes as the sender's own, with its rights; it is not counted again. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Answers the requests to one path in another protocol. Host, origin, credentials and rate were checked. */
export type Mount = (request: Request, sender: Sender) => Promise<Response>;
