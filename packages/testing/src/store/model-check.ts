import assert from 'node:assert/strict';

import type { Message } from '@shallot/core';
import { recordFormat, type SessionChange, type StateEntry, type Store } from '@shallot/core/store';
import type { Arbitrary } from 'fast-check';

import { rejectsWith, type ConformanceCheck } from '../conformance.ts';
import { message, plain, runRecord, withoutTimes } from './store-samples.ts';
import type { CreateStore } from './store-subject.ts';

const sessions = ['a', '__proto__', 'a/../b'];
const keys = ['k', '__proto__', 'l'];
const statuses = ['running', 'interrupted', 'completed'] as const;

/** The next step. Numbers from 0 to 1 are shares of the existing items. */
type Step =
  | { readonly do: 'delete'; readonly sessionId: string }
  | {
      readonly do: 'commit';
      readonly sessionId: string;
      readonly isStale: boolean;
      readonly appended: number;
      readonly replaced: readonly (readonly [from: number, to: number, by: number])[];
      readonly state: readonly (readonly [plugin: string, key: string, value: number | null])[];
      readonly status: (typeof statuses)[number] | undefined;
    };

/** A minimal immutable session; each commit creates a new one. */
interface ModelSession {
  readonly revision: number;
  readonly messages: readonly Message[];
  readonly state: ReadonlyMap<string, ReadonlyMap<string, StateEntry>>;
  readonly status: (typeof statuses)[number] | undefined;
}

/** Compares the store with a minimal model over generated sequences of changes. */
export function modelCheck(create: CreateStore): ConformanceCheck {
  return {
    name: 'does what a simple model does, whatever the sequence of changes',
    async run() {
      const fc = await import('fast-check');
      const share = fc.double({ min: 0, max: 1, noNaN: true });
      const step: Arbitrary<Step> = fc.oneof(
        {
          weight: 1,
          arbitrary: fc.record({ do: fc.constant('delete'), sessionId: fc.constantFrom(...sessions) }),
        },
        {
          weight: 9,
          arbitrary: fc.record({
            do: fc.constant('commit'),
            sessionId: fc.constantFrom(...sessions),
            isStale: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
            appended: fc.integer({ min: 0, max: 3 }),
            replaced: fc.array(fc.tuple(share, share, fc.integer({ min: 0, max: 4 })), { maxLength: 3 }),
            state: fc.array(
              fc.tuple(
                fc.constantFrom(...keys),
                fc.constantFrom(...keys),
                fc.option(fc.integer(), { nil: null }),
              ),
              { maxLength: 4 },
            ),
            status: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
          }),
        },
      );
      const steps = fc.array(step, { minLength: 1, maxLength: 25 });
      await fc.assert(
        fc.asyncProperty(steps, (steps) => follow(create, steps)),
        { numRuns: 60 },
      );
    },
  };
}

async function follow(create: CreateStore, steps: readonly Step[]): Promise<void> {
  const { store } = await create();
  const used = new Set<string>();
  const model = new Map<string, ModelSession>();
  try {
    for (const [index, step] of steps.entries()) {
      if (step.do === 'delete') {
        assert.equal(await store.delete(step.sessionId), model.delete(step.sessionId));
      } else {
        const revision = await commitBoth(store, model, step, index);
        const key = `${revision} ${step.sessionId}`;
        assert.ok(revision === undefined || !used.has(key), `revision ${revision} is used twice`);
        used.add(key);
      }
      await compare(store, model, step.sessionId);
    }
    await compareLists(store, model);
  } finally {
    await store.close?.();
  }
}

async function commitBoth(
  store: Store,
  model: Map<string, ModelSession>,
  step: Extract<Step, { do: 'commit' }>,
  index: number,
): Promise<number | undefined> {
  const before: ModelSession = model.get(step.sessionId) ?? {
    revision: 0,
    messages: [],
    state: new Map(),
    status: undefined,
  };
  const messages = [...before.messages];
  const replace = step.replaced.map(([a, b, by], part) => {
    const from = Math.round(Math.min(a, b) * messages.length);
    const to = Math.round(Math.max(a, b) * messages.length);
    const others = Array.from({ length: by }, (_, n) => message(`${index}-${part}-${n}`));
    messages.splice(from, to - from, ...others);
    return { from, to, messages: others };
  });
  const append = Array.from({ length: step.appended }, (_, n) => message(`${index}-${n}`));
  messages.push(...append);
  const change: SessionChange = {
    append,
    replace,
    state: toChange(step.state),
    ...(step.status === undefined ? {} : { run: runRecord(String(index), step.status) }),
  };
  if (step.isStale) {
    await rejectsWith(
      store.commit(step.sessionId, before.revision + 1, change),
      'STORE_CONFLICT',
      'a stale commit',
    );
    return undefined;
  }
  const revision = await store.commit(step.sessionId, before.revision, change);
  assert.ok(revision > before.revision, `revision ${revision} comes after ${before.revision}`);
  model.delete(step.sessionId);
  model.set(step.sessionId, {
    revision,
    messages,
    state: mergeState(before.state, step.state),
    status: step.status ?? before.status,
  });
  return revision;
}

type StateSteps = readonly (readonly [plugin: string, key: string, value: number | null])[];

function toChange(steps: StateSteps): Record<string, Record<string, StateEntry | null>> {
  const plugins = Map.groupBy(steps, ([plugin]) => plugin);
  return Object.fromEntries(
    Array.from(plugins, ([plugin, steps]) => [
      plugin,
      Object.fromEntries(steps.map(([, key, value]) => [key, value === null ? null : { version: 1, value }])),
    ]),
  );
}

function mergeState(state: ModelSession['state'], steps: StateSteps): ModelSession['state'] {
  const merged = new Map(Array.from(state, ([plugin, entries]) => [plugin, new Map(entries)]));
  for (const [plugin, key, value] of steps) {
    const entries = merged.get(plugin) ?? new Map<string, StateEntry>();
    if (value === null) entries.delete(key);
    else entries.set(key, { version: 1, value });
    merged.set(plugin, entries);
  }
  return new Map([...merged].filter(([, entries]) => entries.size > 0));
}

async function compare(store: Store, model: ReadonlyMap<string, ModelSession>, id: string): Promise<void> {
  const record = await store.load(id);
  const expected = model.get(id);
  if (expected === undefined) return assert.equal(record, undefined);
  assert.ok(record !== undefined, 'the session is gone');
  const { run: _run, ...rest } = record;
  const { messages, state } = expected;
  assert.deepEqual(withoutTimes(rest), {
    format: recordFormat,
    id,
    revision: expected.revision,
    messages: plain(messages),
    state: plain(
      Object.fromEntries(Array.from(state, ([key, entries]) => [key, Object.fromEntries(entries)])),
    ),
    journal: {},
  });
  assert.equal(record.run?.status, expected.status);
}

async function compareLists(store: Store, model: ReadonlyMap<string, ModelSession>): Promise<void> {
  const listed: unknown[] = [];
  for await (const { id: sessionId, revision, messages, status } of store.list()) {
    listed.push([sessionId, revision, messages, status]);
  }
  const expected = Array.from(model, ([sessionId, { revision, messages, status }]) => [
    sessionId,
    revision,
    messages.length,
    status,
  ]);
  assert.deepEqual(listed, expected.toReversed());
}
