import { RequestError } from '@agentclientprotocol/sdk';
import { isShallotError } from '@shallot/core';
import type { Redactor } from '@shallot/core/plugin';

/** JSON-RPC code of the protocol for something that does not exist. */
const notFound = -32002;
const internal = -32603;

/** Returns the protocol's form of an error, with its code and place in `data`, without secrets. */
export function protocolError(error: unknown, redactor: Redactor): RequestError {
  if (error instanceof RequestError) return error;
  if (!isShallotError(error)) return new RequestError(internal, redactor.text(String(error)));
  const { code, plugin, at } = error;
  const data = { code, ...(plugin !== undefined && { plugin }), ...(at !== undefined && { at }) };
  return new RequestError(
    code === 'SESSION_NOT_FOUND' ? notFound : internal,
    redactor.text(error.message),
    data,
  );
}

/** Returns the error about a session that does not exist. */
export function unknownSession(sessionId: string): RequestError {
  return new RequestError(
    notFound,
    `There is no session ${JSON.stringify(sessionId)}. List them with session/list.`,
    {
      code: 'SESSION_NOT_FOUND',
    },
  );
}
