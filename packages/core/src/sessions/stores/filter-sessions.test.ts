import { describe, expect, it } from 'vitest';

import type { SessionFilter, SessionSummary } from '../../contract/store.ts';
import {
  encodedPrefix,
  filterSessions,
  fitsFilter,
  orderOf,
  placeOf,
  type ListingWays,
} from './filter-sessions.ts';

const summary = (id: string, rest: object = {}): SessionSummary => ({
  id,
  revision: 1,
  createdAt: 0,
  updatedAt: 0,
  messages: 0,
  interrupts: 0,
  ...rest,
});

/** A listing of rows by name, two on a page. */
function waysOf(
  rows: readonly SessionSummary[],
): ListingWays<SessionSummary> & { readonly pages: unknown[] } {
  const pages: unknown[] = [];
  return {
    pages,
    bySession: async (id) => rows.filter((row) => row.id === id),
    async nextPage(order, after) {
      pages.push([order, after]);
      const from = after === undefined ? 0 : rows.findIndex(({ id }) => id === after[0]) + 1;
      return rows.slice(from, from + 2);
    },
    placeOf: ({ id }) => [id],
    summaryOf: (row) => row,
    isResumable: ({ id }) => id !== 'b',
  };
}

async function list(filter: SessionFilter, ways: ListingWays<SessionSummary>): Promise<SessionSummary[]> {
  const found: SessionSummary[] = [];
  for await (const each of filterSessions(filter, ways)) found.push(each);
  return found;
}

describe('a listing of sessions', () => {
  const rows = ['a', 'b', 'c', 'd', 'e'].map((id) => summary(id));
  const ids = async (filter: SessionFilter): Promise<string> =>
    (await list(filter, waysOf(rows))).map(({ id }) => id).join('');

  it('has all pages, those after a cursor, or as many sessions as are asked for', async () => {
    expect(await ids({})).toBe('abcde');
    expect(await ids({ limit: 3 })).toBe('abc');
    expect(await ids({ limit: 1 })).toBe('a');
    expect(await ids({ limit: 0 })).toBe('');
    expect(await ids({ id: 'd' })).toBe('d');
    expect(await ids({ id: 'z' })).toBe('');
    const [, second] = await list({}, waysOf(rows));
    expect(await ids({ after: second?.cursor ?? '' })).toBe('cde');
    expect(await ids({ resumable: true, limit: 2 })).toBe('ac');
  });

  it('reads no page that nobody asks for', async () => {
    const ways = waysOf(rows);
    await list({ limit: 2 }, ways);
    expect(ways.pages).toEqual([['change', undefined]]);
    await list({ limit: 0 }, ways);
    expect(ways.pages).toHaveLength(1);
  });

  it('has an order by what is asked', () => {
    expect(orderOf({})).toBe('change');
    expect(orderOf({ prefix: '' })).toBe('change');
    expect(orderOf({ prefix: 'a' })).toBe('name');
    expect(orderOf({ prefix: 'a', resumable: true })).toBe('due');
  });

  it('goes on only after a cursor', () => {
    expect(placeOf('[1,"a"]')).toEqual([1, 'a']);
    for (const cursor of ['', 'a', '1', '{}', '[null]', '["a",{}]'])
      expect(() => placeOf(cursor)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('looks up a prefix without half a character at its end', () => {
    expect(encodedPrefix({ prefix: 'a\uD83E' })).toBe(encodedPrefix({ prefix: 'a' }));
    expect(encodedPrefix({ prefix: '🦉' })).not.toBe(encodedPrefix({ prefix: '' }));
  });
});

describe('a session fits a filter', () => {
  const child = { about: { root: 'r', parent: 'p' } };
  const due = { resumable: true } as const;
  it.each<[SessionFilter, object, boolean]>([
    [{}, {}, true],
    [{ prefix: 's' }, {}, true],
    [{ prefix: 't' }, {}, false],
    [{ prefix: 't' }, { damaged: true }, false],
    [{ status: 'failed' }, { damaged: true }, true],
    [{ status: 'failed' }, { status: 'failed' }, true],
    [{ status: 'failed' }, { status: 'parked' }, false],
    [{ status: 'failed' }, {}, false],
    [{}, child, false],
    [{ id: 's' }, child, true],
    [{ parent: 'p' }, child, true],
    [{ parent: 'q' }, child, false],
    [{ owner: 'o' }, { about: { owner: 'o' } }, true],
    [{ owner: 'o' }, { about: { owner: 'p' } }, false],
    [{ owner: 'o' }, {}, false],
    [{ title: 't' }, { about: { title: 't' } }, true],
    [{ title: 't' }, { about: { title: 'u' } }, false],
    [{ agent: 'a' }, { agent: { id: 'a' } }, true],
    [{ agent: 'a' }, { agent: { id: 'b' } }, false],
    [{ agent: 'a' }, {}, false],
    [{ agent: 'a', ...due }, {}, true],
    [{ agent: 'a', ...due }, { agent: { id: 'b' } }, false],
  ])('%j %j: %s', (filter, session, fits) => {
    expect(fitsFilter(filter, summary('s', session), () => true)).toBe(fits);
  });

  it('if a worker may take it, where that is asked', () => {
    expect(fitsFilter(due, summary('s'), () => false)).toBe(false);
    expect(fitsFilter({}, summary('s'), () => false)).toBe(true);
  });
});
