import type { Agent } from '../../src/agent.ts';
import { isShallotError } from '../../src/base/errors.ts';
import { textOf, type Message } from '../../src/contract/messages.ts';
import type { RunResult } from '../../src/contract/result.ts';
import type { SessionRecord, Store } from '../../src/contract/store.ts';
import { memoryStore } from '../../src/sessions/stores/memory-store.ts';
import { watchedStore } from './crash-scenario.ts';

const sessionId = 's';

/** The outcome of a session. */
export interface Came {
  readonly history: readonly string[];
  readonly stopReason: RunResult['stopReason'] | undefined;
  /** Ordered by plugin and key. */
  readonly state: SessionRecord['state'];
}

/** Starts a process, which is an agent of its own on this store. */
export type Start = (store: Store) => Promise<Agent>;

/**
 * Returns the outcomes of a session whose process dies before or after each of its commits in turn, and which another
 * process resumes. The first outcome is that of a process that does not die.
 */
export async function eachDeath(start: Start): Promise<{ readonly name: string; readonly came: Came }[]> {
  const points: { readonly name: string; readonly came: Came }[] = [];
  const alive = await livesTo(start, Infinity, 'before');
  points.push({ name: 'nothing', came: alive.came });
  for (let commit = 1; commit <= alive.commits; commit += 1) {
    for (const when of ['before', 'after'] as const) {
      const { came } = await livesTo(start, commit, when);
      points.push({ name: `death ${when} commit ${commit}`, came });
    }
  }
  return points;
}

async function livesTo(
  start: Start,
  last: number,
  at: 'before' | 'after',
): Promise<{ readonly came: Came; readonly commits: number }> {
  const store = memoryStore();
  const death = Promise.withResolvers<'died'>();
  let commits = 0;
  let isDead = false;
  const watched = watchedStore(store, async (when) => {
    if (when === 'before') commits += 1;
    if (commits === last && when === at) {
      isDead = true;
      death.resolve('died');
    }
    if (isDead) await new Promise(() => {});
  });
  const first = await start(watched);
  const end = await Promise.race([goToEnd(first, store), death.promise]);
  if (end !== 'died') {
    await first.close();
    return { came: await cameOf(store), commits };
  }
  const left = await leftIn(store);
  const second = await start(left);
  await goToEnd(second, left);
  await second.close();
  return { came: await cameOf(left), commits };
}

/** Returns the store as a killed process leaves it, but without its claim. */
export async function leftIn(store: Store): Promise<Store> {
  const record = await store.load(sessionId);
  const left = memoryStore();
  if (record === undefined) return left;
  const { messages, state, journal, run } = record;
  await left.commit(sessionId, 0, {
    append: messages,
    state,
    journal,
    ...(run === undefined ? {} : { run }),
  });
  return left;
}

/** Runs or resumes the session until its run is completed. Failures of the run on the way are ignored. */
export async function goToEnd(agent: Agent, store: Store): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const status = (await store.load(sessionId))?.run?.status;
    if (status === 'completed') return;
    try {
      await (status === undefined ? agent.run('go', { sessionId }) : agent.resume(sessionId));
    } catch (error) {
      if (!isShallotError(error) || error.result?.outcome !== 'failed') throw error;
    }
  }
  throw new Error('the run does not end');
}

export async function cameOf(store: Store): Promise<Came> {
  const { messages = [], run, state = {} } = (await store.load(sessionId)) ?? {};
  return { history: messages.map(line), stopReason: run?.stopReason, state };
}

function line(message: Message): string {
  const { role } = message;
  const calls = role === 'assistant' ? message.content.filter(({ type }) => type === 'tool-call') : [];
  return `${role}: ${textOf(message)}${' [call]'.repeat(calls.length)}`;
}
