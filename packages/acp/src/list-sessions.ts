import { resolve } from 'node:path';

import { RequestError, type ListSessionsRequest, type ListSessionsResponse } from '@agentclientprotocol/sdk';
import type { SessionSummary } from '@shallot/core/store';

import type { ServedAgent } from './served-agent.ts';

/** The sessions on one page of `session/list`. */
const pageSize = 50;

/** Returns the absolute directory of a session, or the default directory if the session has none. */
export function directoryOf(summary: SessionSummary | undefined, { directory }: ServedAgent): string {
  return summary?.about?.cwd ?? directory;
}

/**
 * Returns a page of the stored sessions, of one directory if the request names one. @throws a request error for an invalid
 * cursor
 */
export async function listSessions(
  { cwd, cursor }: ListSessionsRequest,
  served: ServedAgent,
): Promise<ListSessionsResponse> {
  const skipped = Number(cursor ?? 0);
  if (!Number.isSafeInteger(skipped) || skipped < 0)
    throw RequestError.invalidParams({ code: 'OPTION_INVALID' }, 'The cursor is none of session/list.');
  const sessions: ListSessionsResponse['sessions'] = [];
  let seen = 0;
  for await (const summary of served.store.list()) {
    const own = directoryOf(summary, served);
    if (typeof cwd === 'string' && resolve(cwd) !== own) continue;
    seen += 1;
    if (seen <= skipped) continue;
    if (sessions.length === pageSize) return { sessions, nextCursor: String(skipped + pageSize) };
    const { id: sessionId, about, updatedAt } = summary;
    sessions.push({
      sessionId,
      cwd: own,
      title: about?.title ?? null,
      updatedAt: new Date(updatedAt).toISOString(),
    });
  }
  return { sessions };
}
