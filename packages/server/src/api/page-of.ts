import { ShallotError } from '@shallot/core';
import type { SessionFilter, SessionSummary } from '@shallot/core/store';

import type { ServerState } from './server-state.ts';

/** A page of a listing, with the cursor of the next page. */
export interface Page {
  readonly found: readonly SessionSummary[];
  readonly next: { readonly next?: string };
}

/**
 * Returns a page of the sessions that match a filter.
 * @throws `server/REQUEST_INVALID` for a cursor that is not a JSON array of strings and numbers
 */
export async function pageOf({ store }: ServerState, filter: SessionFilter, limit: number): Promise<Page> {
  refuseForeignCursor(filter.after);
  const found: SessionSummary[] = [];
  for await (const summary of store.list({ ...filter, limit: limit + 1 })) found.push(summary);
  const hasMore = found.length > limit;
  if (hasMore) found.pop();
  const cursor = hasMore ? found.at(-1)?.cursor : undefined;
  return { found, next: cursor === undefined ? {} : { next: cursor } };
}

/** Refuses a cursor of another form than those that listings return, because stores trust their own. */
function refuseForeignCursor(cursor: string | undefined): void {
  if (cursor === undefined) return;
  try {
    const place: unknown = JSON.parse(cursor);
    if (Array.isArray(place) && place.every((part) => typeof part === 'string' || typeof part === 'number'))
      return;
  } catch {
    // The error below reports the cursor.
  }
  throw new ShallotError('server/REQUEST_INVALID', {
    message: '"after" of the query is no cursor. Pass `next` of the page before.',
  });
}
