import { reasonOf } from '@shallot/core/plugin';

import { appendHistory, historyPath } from '../history/offload.ts';
import { remember, type Job } from '../settings/workshop.ts';
import { source } from './summary-message.ts';

/** Where the messages of a run's session are kept; undefined when they are not. */
export function historyPathOf({ shop, run }: Job): string | undefined {
  const { historyDirectory } = shop.settings;
  return historyDirectory === null ? undefined : historyPath(historyDirectory, run.sessionId);
}

/** Appends what is not in the history file yet, of all before an index. Undefined when there is no file. */
export async function keepHistory(
  job: Job,
  to: number,
  what: 'Summarized' | 'Truncated' | 'Cleared',
): Promise<string | undefined> {
  const { shop, run, request } = job;
  const path = historyPathOf(job);
  if (path === undefined) return undefined;
  const { offloaded } = shop.memory.get(run);
  const known = request.messages.findIndex(({ id }) => id === offloaded?.last);
  const messages = request.messages.slice(known + 1, to).filter((message) => message.source !== source);
  const title = `${what} at ${new Date().toISOString()}`;
  try {
    // What is not known by the session may be in the file all the same.
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
