import { expect, it } from 'vitest';

import { message, messages } from '../../../../testing/src/store/store-samples.ts';
import { placeOfId, UniqueIds } from './unique-ids.ts';

it('a message is found at its first place, however often somebody asks', () => {
  const list = messages('a', 'b', 'a', 'c');
  for (let lookup = 0; lookup < 20; lookup += 1) {
    expect(['a', 'c', 'd'].map((id) => placeOfId(list, id))).toEqual([0, 3, undefined]);
  }
});

it('a list is gone through for the first eight lookups, and once more for an index', () => {
  const list = messages('a', 'b');
  let reads = 0;
  const watched = list.map((each) =>
    Object.defineProperty({ ...each }, 'id', { get: () => ((reads += 1), each.id) }),
  );
  const counts = Array.from({ length: 11 }, () => {
    reads = 0;
    placeOfId(watched, 'b');
    return reads > 0;
  });
  expect(counts).toEqual([...Array.from({ length: 9 }, () => true), false, false]);
});

it('a message keeps its id unless that is in use, or another message took it', () => {
  let count = 0;
  const ids = new UniqueIds(
    (id, { content }) => id === 'used' && content.length > 0,
    () => `new${(count += 1)}`,
  );
  const a = message('a');
  expect(ids.take(a)).toBe(a);
  const taken = ['a', 'used', 'b', 'new1'].map((id) => ids.take(message(id)));
  expect(taken.map(({ id }) => id)).toEqual(['new1', 'new2', 'b', 'new3']);
  expect(taken.every((each) => Object.isFrozen(each))).toBe(true);
  expect(ids.take({ id: 'used', role: 'user', content: [] }).id).toBe('used');
});
