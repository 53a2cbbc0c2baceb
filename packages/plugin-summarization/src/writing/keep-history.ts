import { reasonOf } from '@shallot/core/plugin';

import { appendHistory } from '../history/offload.ts';
import { remember, type Job } from '../settings/workshop.ts';
import { source } from './summary-message.ts';

/**
 * Saves the messages before an index that are not in the history file yet. Returns the path; undefined without a file, or
 * if it cannot be written, of which it warns.
 */
export async function keepHistory(
  job: Job,
  to: number,
  what: 'Summarized' | 'Truncated' | 'Cleared',
): Promise<string | undefined> {
  const { shop, run, request } = job;
  const path = await shop.historyPath?.(run);
  if (path === undefined) return undefined;
  const { offloaded } = shop.memory.get(run);
  const known = request.messages.findIndex(({ id }) => id === offloaded?.last);
  const messages = request.messages.slice(known + 1, to).filter((message) => message.source !== source);
  const title = `${what} at ${new Date().toISOString()}`;
  try {
    // The file may contain messages that the session state does not know of.
    const revision = known === -1 ? undefined : offloaded?.revision;
    const written = await appendHistory(
      run.files,
      path,
      { sessionId: run.sessionId, title, messages },
      revision,
    );
    const last = request.messages[Math.max(to - 1, known)]?.id ?? '';
    remember(shop, run, { offloaded: { last, revision: written } });
    return path;
  } catch (error) {
    run.warn(
      'OFFLOAD_FAILED',
      `${messages.length} messages could not be appended to ${path}: ${reasonOf(error)}.`,
    );
    return undefined;
  }
}
