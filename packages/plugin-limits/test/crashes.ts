// Sessions with limits whose process dies again and again, at random commits. All randomness depends on a seed.
import {
  createAgent,
  defineTool,
  memoryStore,
  type Agent,
  type JsonValue,
  type Message,
  type Tool,
} from '@shallot/core';
import type { ChatModel, ModelRequest } from '@shallot/core/model';
import type { SessionRecord, Store } from '@shallot/core/store';
import { pendingInterrupts } from '@shallot/core/work';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';

import limits from '../src/index.ts';

const sessionId = 'crashing';
const runs = 2;
const turnsPerRun = 3;
const callsPerTurn = 8;

const bounds = { calls: 20, callsPerRun: 12, pays: 5, modelCalls: 7 } as const;

/** The state after all runs have ended. */
interface Survived {
  readonly record: SessionRecord;
  /** The ids of executed calls, once per execution. */
  readonly executed: readonly string[];
  /** The number of model calls that were sent, in all processes. */
  readonly sent: number;
  readonly deaths: number;
}

/** Plays the runs of a session in as many processes as die on the way. Returns a line for each wrong count. */
export async function wrongCounts(seed: number): Promise<string[]> {
  const { record, executed, sent, deaths } = await new CrashingSession(randomFrom(seed)).toEnd();
  const counts = JSON.stringify(record.state['limits']?.['session']?.value);
  const calls = new Set(executed);
  const pays = [...calls].filter((id) => Number(id.at(-1)) % 2 === 1).length;
  const refused = record.messages.filter((message) => message.role === 'tool' && message.isError).length;
  const answered = record.messages.filter(({ role }) => role === 'tool').length;
  const checks: Record<string, boolean> = {
    'the process dies': deaths > 0,
    'each call within the limit is executed': calls.size === answered - refused,
    'no more pays than their limit': pays <= bounds.pays,
    'no more calls than the limit': calls.size <= bounds.calls,
    'the calls are counted': new RegExp(`"toolCalls":${calls.size}\\b`).test(counts ?? ''),
    'the pays are counted': new RegExp(`"toolCalls/pay":${pays}\\b`).test(counts ?? ''),
    'no write is done twice': executed.filter((id) => Number(id.at(-1)) % 2 === 1).length === pays,
    'no more model calls than the limit and the deaths allow': sent <= bounds.modelCalls + deaths,
  };
  const wrong = Object.entries(checks).flatMap(([what, holds]) => (holds ? [] : [what]));
  return wrong.length === 0
    ? []
    : [...wrong, `${counts}, executed ${executed.join(' ')}, sent ${sent}, died ${deaths}`];
}

type Random = (limit: number) => number;

function randomFrom(seed: number): Random {
  let state = Math.imul(seed, 2_654_435_761);
  return (limit) => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
}

class CrashingSession {
  readonly #random: Random;
  readonly #store = memoryStore();
  readonly #executed: string[] = [];
  #sent = 0;
  #deaths = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  async toEnd(): Promise<Survived> {
    for (let lives = 0; lives < 60; lives += 1) {
      const death = Promise.withResolvers<'died'>();
      // Later processes do not die, so that the test ends.
      const agent = await this.#begin(
        lives < 40 ? 1 + this.#random(9) : Number.POSITIVE_INFINITY,
        death.resolve,
      );
      const end = await Promise.race([death.promise, this.#goOn(agent)]);
      const record = await this.#store.load(sessionId);
      if (end !== 'died' && record !== undefined) {
        await agent.close();
        return { record, executed: this.#executed, sent: this.#sent, deaths: this.#deaths };
      }
      this.#deaths += 1;
      // The process only pretends to be dead, so its claim would still count as live.
      if (record?.claim !== undefined) await this.#store.commit(sessionId, record.revision, { claim: null });
    }
    throw new Error('The runs come to no end.');
  }

  /** Starts a process that dies before or after its nth commit. */
  #begin(nth: number, die: (how: 'died') => void): Promise<Agent> {
    return createAgent({
      model: this.#model(),
      tools: [this.#tool('look', 'read'), this.#tool('pay', 'write')],
      plugins: [
        limits({
          toolCalls: {
            session: bounds.calls,
            run: bounds.callsPerRun,
            tools: { pay: { session: bounds.pays } },
          },
          modelCalls: { session: bounds.modelCalls },
        }),
      ],
      store: this.#dyingStore(nth, die),
      log: 'silent',
    });
  }

  #dyingStore(nth: number, die: (how: 'died') => void): Store {
    const store = this.#store;
    const isKept = this.#random(2) === 0;
    let commits = 0;
    return {
      ...store,
      commit: async (id, revision, change) => {
        commits += 1;
        for (let turns = this.#random(4); turns > 0; turns -= 1) await Promise.resolve();
        if (commits < nth) return store.commit(id, revision, change);
        if (commits === nth && isKept) await store.commit(id, revision, change);
        die('died');
        return new Promise(() => {});
      },
    };
  }

  #model(): ChatModel {
    return scriptedModel(
      Array.from({ length: 100 }, () => ({ messages }: ModelRequest): ScriptedStep => {
        this.#sent += 1;
        return turnFor(messages);
      }),
    );
  }

  #tool(name: string, effect: Tool['effect']): Tool {
    return defineTool({
      name,
      description: `Does ${name}.`,
      input: { type: 'object' },
      effect,
      execute: (_, { call }) => {
        this.#executed.push(call.id);
        return `${name}: done`;
      },
    });
  }

  async #goOn(agent: Agent): Promise<'over'> {
    for (;;) {
      const record = await this.#store.load(sessionId);
      const isCompleted = record?.run === undefined || record.run.status === 'completed';
      if (isCompleted && inputsIn(record?.messages ?? []) === runs) return 'over';
      if (isCompleted) await agent.run('Go on.', { sessionId });
      else await agent.resume(sessionId, await this.#answers());
    }
  }

  async #answers(): Promise<Record<string, JsonValue>> {
    const open = await pendingInterrupts(this.#store, sessionId);
    return Object.fromEntries(
      open.map(({ id, call }): [string, JsonValue] => {
        const isDone = this.#executed.includes(call?.id ?? '');
        return [id, isDone ? { action: 'result', result: 'pay: done' } : { action: 'repeat' }];
      }),
    );
  }
}

function inputsIn(messages: readonly Message[]): number {
  return messages.filter(({ role }) => role === 'user').length;
}

/** Returns the next step of a turn: eight calls at once, every second one with an effect, and then an answer. */
function turnFor(messages: readonly Message[]): ScriptedStep {
  const run = inputsIn(messages);
  const begin = messages.findLastIndex(({ role }) => role === 'user');
  const turn = messages.slice(begin).filter(({ role }) => role === 'assistant').length;
  if (turn === turnsPerRun) return { text: 'Done.' };
  return {
    toolCalls: Array.from({ length: callsPerTurn }, (_, index) => ({
      name: index % 2 === 0 ? 'look' : 'pay',
      id: `${run}-${turn}-${index}`,
    })),
  };
}
