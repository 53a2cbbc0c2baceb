import type { SessionSummary, Store } from '@shallot/core/store';

/** Returns the entry of a session in the listing; undefined if it does not exist. */
export async function summaryOf(store: Store, id: string): Promise<SessionSummary | undefined> {
  for await (const summary of store.list({ id })) return summary;
  return undefined;
}
