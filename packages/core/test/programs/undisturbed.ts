import { expect } from 'vitest';

import type { GivenAnswer } from '../../src/contract/interrupt.ts';
import type { Message } from '../../src/contract/messages.ts';
import type { SessionRecord } from '../../src/contract/store.ts';
import { effectOf } from './crash-scenario.ts';
import type { Effect } from './effects.ts';

/** The lasting data of a run, for comparison with other runs. */
export interface Kept {
  readonly history: unknown;
  /** The plugin state of the session and of the run. */
  readonly state: unknown;
}

/**
 * Returns the lasting data of a record, without those parts of messages that differ from run to run: ids, times of
 * answers, and answers to questions that only a disturbance causes.
 */
export function keptIn({ messages, state, run }: SessionRecord): Kept {
  // The process that is killed has a plugin more, which kills it.
  const { core: _, ...session } = state;
  return {
    history: messages.map(({ id: _id, metadata, ...message }) => ({
      ...message,
      answers: answersIn(metadata),
    })),
    state: { session, run: run?.state },
  };
}

function answersIn(metadata: Message['metadata']): unknown {
  const { answers = [] } = (metadata?.['core'] ?? {}) as { readonly answers?: readonly GivenAnswer[] };
  return answers.filter(({ kind }) => kind !== 'unknown-effect').map(({ at: _at, ...given }) => given);
}

/** Checks that a session equals that of an undisturbed run. */
export function expectUndisturbed(record: SessionRecord | undefined, kept: Kept): void {
  expect(record && keptIn(record)).toEqual(kept);
  expect(new Set(record?.messages.map(({ id }) => id)).size).toBe(record?.messages.length);
  expect(record).toMatchObject({ journal: {}, run: { status: 'completed', answers: {}, interrupts: [] } });
  expect(record?.claim).toBeUndefined();
}

/** Checks that no write is missing, and that none was repeated except by its own retry. */
export function expectSingleWrites(effects: readonly Effect[]): void {
  for (const tool of ['pay', 'remove', 'note']) {
    const times = effects.filter((effect) => effect.tool === tool).length;
    if (times !== 1) expect.fail(`${tool} was done ${times} times`);
  }
  const keys = effects.filter(({ tool }) => effectOf(tool) === 'write').map(({ key }) => key);
  if (new Set(keys).size < keys.length) expect.fail(`a write was done twice: ${keys.join(', ')}`);
}
