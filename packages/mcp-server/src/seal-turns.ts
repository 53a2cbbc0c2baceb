import { createHash } from 'node:crypto';

import {
  createRequestStateCodec,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Identity } from '@shallot/server';

/** A turn that waits for replies to its questions. The client keeps it. */
export interface WaitingTurn {
  /** The tool that was called. */
  readonly tool: string;
  readonly sessionId: string;
  /** The ids of the questions that the client was shown, by the names under which it replies. */
  readonly asked: Readonly<Record<string, string>>;
}

/** The time that a client has for its replies, in seconds. */
const ttlSeconds = 3600;

/**
 * Returns the codec that seals turns for one sender, so that nobody else can use them. The secret is read when the
 * first turn is sealed or opened.
 */
export function sealTurns(secret: () => string, sender: Identity): RequestStateCodec<WaitingTurn> {
  const { owner = null, name = null } = sender;
  let made: RequestStateCodec<WaitingTurn> | undefined;
  const codec = (): RequestStateCodec<WaitingTurn> =>
    (made ??= createRequestStateCodec<WaitingTurn>({
      key: createHash('sha256').update(`shallot mcp state\n${secret()}`).digest(),
      ttlSeconds,
      bind: (_: ServerContext) => JSON.stringify([owner, name]),
    }));
  return {
    mint: (turn, ctx) => codec().mint(turn, ctx),
    verify: (state, ctx) => codec().verify(state, ctx),
  };
}
