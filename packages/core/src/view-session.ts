import type { SessionView } from './agent.ts';
import type { Store } from './contract/store.ts';
import { noUsage, sumUsage } from './contract/usage.ts';
import { openInterrupts } from './sessions/content/open-interrupts.ts';
import { loadRecord } from './sessions/stores/load-record.ts';
import { isResumable } from './sessions/stores/resumable.ts';

/** Returns the contents and status of a session; undefined if it does not exist. */
export async function viewSession(store: Store, sessionId: string): Promise<SessionView | undefined> {
  const record = await loadRecord(store, sessionId);
  if (record === undefined) return undefined;
  const { run } = record;
  return {
    id: sessionId,
    messages: record.messages,
    interrupts: openInterrupts(run),
    state: record.state,
    usage: run === undefined ? noUsage : sumUsage(run.usageBefore, run.usage),
    status: run?.status,
    resumable: run !== undefined && isResumable(run),
  };
}
