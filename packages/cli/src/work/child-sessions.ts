import type { SessionSummary, Store } from '@shallot/core/store';

/** The session of a subagent, with its depth: 1 for a subagent of the requested session itself. */
export interface ChildSession {
  readonly depth: number;
  readonly session: SessionSummary;
}

/** Returns the sessions of the subagents of a session, each followed by those of its own subagents. */
export async function childSessions(
  store: Store,
  parent: string,
  depth = 1,
): Promise<readonly ChildSession[]> {
  const found: ChildSession[] = [];
  for await (const session of store.list({ parent })) {
    // Sessions that another program began on behalf of a session do not belong to subagents.
    if (session.about?.root === undefined) continue;
    found.push({ depth, session }, ...(await childSessions(store, session.id, depth + 1)));
  }
  return found;
}

/** Returns the subagent of a session with this id or unique prefix; undefined if there is none, or several. */
export async function findChild(
  store: Store,
  parent: string,
  text: string,
): Promise<SessionSummary | undefined> {
  const sessions = (await childSessions(store, parent)).map(({ session }) => session);
  const found = sessions.filter(({ id }) => id.startsWith(text));
  return found.length === 1 ? found[0] : found.find(({ id }) => id === text);
}
