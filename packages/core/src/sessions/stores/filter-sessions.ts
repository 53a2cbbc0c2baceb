import { showValue } from '../../base/describe-value.ts';
import { encodeText } from '../../base/encode-text.ts';
import { ShallotError } from '../../base/errors.ts';
import type { SessionFilter, SessionSummary } from '../../contract/store.ts';

/** The order of a listing. `due`: the longest waiting first. `name`: by id. `change`: the latest change first. */
export type ListingOrder = 'due' | 'name' | 'change';

/** The place of a row in a listing: the values that its order compares. */
export type ListingPlace = readonly (string | number)[];

/** The queries by which a store finds the rows of its sessions, using an index rather than reading all rows. */
export interface ListingWays<Row> {
  /** Finds the row of one session. */
  bySession(id: string): Promise<readonly Row[]>;
  /** Finds matching rows after a place, in the order of the listing; an empty list if there are no more. */
  nextPage(order: ListingOrder, after: ListingPlace | undefined): Promise<readonly Row[]>;
  placeOf(row: Row, order: ListingOrder): ListingPlace;
  summaryOf(row: Row): SessionSummary;
  /** Returns true if a worker may resume the session now. Called only for `resumable` filters. */
  isResumable(row: Row): boolean;
}

/** Lists the sessions that match a filter, page by page. @throws `OPTION_INVALID` for a cursor of another listing */
export async function* filterSessions<Row>(
  filter: SessionFilter,
  ways: ListingWays<Row>,
): AsyncGenerator<SessionSummary> {
  let left = filter.limit ?? Number.POSITIVE_INFINITY;
  const order = orderOf(filter);
  for await (const page of left > 0 ? pagesOf(filter, order, ways) : []) {
    for (const row of page) {
      const summary = ways.summaryOf(row);
      if (!fitsFilter(filter, summary, () => ways.isResumable(row))) continue;
      yield { ...summary, cursor: JSON.stringify(ways.placeOf(row, order)) };
      left -= 1;
      if (left <= 0) return;
    }
  }
}

/** Returns the order of a listing with this filter. */
export function orderOf({ resumable, prefix = '' }: SessionFilter): ListingOrder {
  if (resumable === true) return 'due';
  return prefix === '' ? 'change' : 'name';
}

/** Returns the place that a cursor names. @throws `OPTION_INVALID` */
export function placeOf(cursor: string): ListingPlace {
  let place: unknown;
  try {
    place = JSON.parse(cursor);
  } catch {
    // The check below refuses it.
  }
  const isPlace = (value: unknown): value is ListingPlace =>
    Array.isArray(value) && value.every((part) => typeof part === 'string' || typeof part === 'number');
  if (isPlace(place)) return place;
  throw new ShallotError('OPTION_INVALID', {
    message: `A listing of sessions goes on after the \`cursor\` of a summary, but \`after\` is ${showValue(cursor)}.`,
  });
}

/**
 * Returns the encoded prefix of a filter, without half of a surrogate pair at its end, which is encoded differently from
 * the whole pair. `fitsFilter` compares the whole prefix.
 */
export function encodedPrefix({ prefix = '' }: SessionFilter): string {
  return encodeText(prefix.replace(/[\uD800-\uDBFF]$/, ''));
}

async function* pagesOf<Row>(
  { id, after }: SessionFilter,
  order: ListingOrder,
  ways: ListingWays<Row>,
): AsyncGenerator<readonly Row[]> {
  if (id !== undefined) {
    yield await ways.bySession(id);
    return;
  }
  let place = after === undefined ? undefined : placeOf(after);
  for (;;) {
    const page = await ways.nextPage(order, place);
    const last = page.at(-1);
    if (last === undefined) return;
    place = ways.placeOf(last, order);
    yield page;
  }
}

/**
 * Returns true if a session matches a filter, whose `id` is not checked. Only the id of a damaged session is known, so it
 * matches by prefix alone.
 */
export function fitsFilter(
  filter: SessionFilter,
  session: Pick<SessionSummary, 'id' | 'status' | 'agent' | 'about' | 'damaged'>,
  isResumable: () => boolean,
): boolean {
  const { prefix = '', status, resumable } = filter;
  if (!session.id.startsWith(prefix)) return false;
  if (session.damaged === true) return true;
  if (status !== undefined && session.status !== status) return false;
  if (session.about?.root !== undefined && !listsChildren(filter)) return false;
  if (!fitsAgent(filter, session.agent?.id)) return false;
  for (const key of ['owner', 'parent', 'title'] as const)
    if (filter[key] !== undefined && session.about?.[key] !== filter[key]) return false;
  return resumable !== true || isResumable();
}

function listsChildren({ id, parent }: SessionFilter): boolean {
  return id !== undefined || parent !== undefined;
}

/** With `resumable`, a run that names no agent matches any agent. */
function fitsAgent({ agent, resumable }: SessionFilter, found: string | undefined): boolean {
  return agent === undefined || found === agent || (found === undefined && resumable === true);
}
