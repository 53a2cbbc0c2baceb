import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { isShallotError, ShallotError } from '@shallot/core';
import { isTransient, messageOf, visible } from '@shallot/core/plugin';

const maxLength = 2000;

/** Returns an error of this plugin for any failure of a server. `what` begins its message: "The call of x failed". */
export function describeFailure(error: unknown, server: string, what: string): ShallotError {
  if (isShallotError(error) && error.code !== 'ADDRESS_REFUSED') return error;
  const { code, advice, transient } = judge(error, server);
  return new ShallotError(`mcp/${code}`, {
    message: `${what}: ${reasonIn(error)}${advice}`,
    cause: error,
    ...(transient === undefined ? {} : { transient }),
  });
}

interface Judgement {
  readonly code: string;
  readonly advice: string;
  readonly transient?: boolean;
}

function judge(error: unknown, server: string): Judgement {
  if (isShallotError(error)) return { code: 'ADDRESS_REFUSED', advice: ' of the server' };
  if (error instanceof UnauthorizedError || statusOf(error) === 401) {
    return { code: 'LOGIN_REQUIRED', advice: `. Log in with: shallot mcp login ${server}` };
  }
  if (error instanceof ProtocolError) return { code: 'SERVER_ERROR', advice: '' };
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.RequestTimeout)
      return {
        code: 'TIMEOUT',
        advice: '. Make it faster, or raise callTimeoutMs or startTimeoutMs',
        transient: true,
      };
    if (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected)
      return { code: 'SERVER_GONE', advice: '. It is not known whether it took effect', transient: true };
    if (error.code === SdkErrorCode.InvalidResult) return { code: 'RESULT_INVALID', advice: '' };
  }
  return { code: 'SERVER_FAILED', advice: '', transient: isTransient(error) };
}

function statusOf(error: unknown): number | undefined {
  return error instanceof SdkHttpError ? error.status : undefined;
}

/** Joins the messages of an error and its causes, shortened, because the server controls them. */
function reasonIn(error: unknown): string {
  const reasons: string[] = [];
  for (let each: unknown = error, depth = 0; each !== undefined && depth < 4; depth += 1) {
    const reason = messageOf(each)
      .replace(/\.$/, '')
      .replace(/^Version negotiation (?:probe )?failed: /, '');
    if (!reasons.some((other) => other.includes(reason))) reasons.push(reason);
    each = each instanceof Error ? each.cause : undefined;
  }
  const status = statusOf(error);
  if (status !== undefined && !reasons.some((reason) => reason.includes(String(status))))
    reasons.push(`HTTP status ${status}`);
  const text = reasons.join(': ');
  return visible(text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text);
}
