import assert from 'node:assert/strict';

import type { Message } from '../../src/index.ts';

/** A message that a store has accepted from one of several senders. */
export interface Sent {
  readonly id: string;
  readonly sender: string;
  readonly when: 'next-step' | 'instead' | 'after-run';
}

/**
 * @throws if a message is not in the session exactly once, is out of its sender's order, or is there although it was
 * withdrawn. Messages sent with `after-run` have their own order.
 */
export function checkSent(
  messages: readonly Message[],
  sent: readonly Sent[],
  unsent: ReadonlySet<string>,
): void {
  const ids = messages.map(({ id }) => id);
  const expected = sent.filter(({ id }) => !unsent.has(id));
  for (const { id } of expected)
    assert.equal(ids.filter((each) => each === id).length, 1, `${id} in ${ids.join(' ')}`);
  for (const id of unsent) assert.ok(!ids.includes(id), `${id} was taken back`);
  for (const sender of new Set(sent.map((each) => each.sender)))
    for (const isLater of [false, true]) {
      const own = expected
        .filter((each) => each.sender === sender && (each.when === 'after-run') === isLater)
        .map(({ id }) => id);
      assert.deepEqual(
        ids.filter((id) => own.includes(id)),
        own,
        `the order of ${sender}, ${isLater ? 'after the run' : 'in the run'}`,
      );
    }
}

/** Returns a function that yields pseudorandom numbers from 0 to 1, reproducible by the seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
