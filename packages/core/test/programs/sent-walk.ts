// Two senders send messages to the runs of a session, which are killed, aborted, stopped, asked and answered at random.
// The seed determines all random choices, but not the order in which stores answer.
import { createAgent, defineTool, isShallotError, type Agent, type RunResult } from '../../src/index.ts';
import type { ChatModel } from '../../src/model.ts';
import type { SessionChange, Store } from '../../src/store.ts';
import { pendingInterrupts, sendMessage, sentMessages, unsendMessage } from '../../src/work.ts';
import { checkSent, randomFrom, type Sent } from './check-sent.ts';

const senders = ['ann', 'bob'] as const;

/** The counts of a walk. */
export interface SentWalk {
  readonly taken: number;
  readonly refused: number;
  readonly unsent: number;
  readonly deaths: number;
}

/**
 * @throws an error with the seed if a message is lost, repeated, out of its sender's order, or present although it was
 * withdrawn
 */
export async function walkSent(seed: number, store: Store, sessionId = 's'): Promise<SentWalk> {
  const walk = new Walk(seed, store, sessionId);
  try {
    await walk.run();
    return await walk.check();
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

class Walk {
  readonly #random: () => number;
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #sent: Sent[] = [];
  readonly #unsent = new Set<string>();
  #refused = 0;
  #deaths = 0;
  #count = 0;
  #agent: Agent | undefined;
  #isCalm = false;

  constructor(seed: number, store: Store, sessionId: string) {
    this.#random = randomFrom(seed);
    this.#store = store;
    this.#sessionId = sessionId;
  }

  async run(): Promise<void> {
    for (let round = 0; round < 8; round += 1) await this.#round();
    this.#isCalm = true;
    for (let left = 1; left > 0; left = (await sentMessages(this.#store, this.#sessionId)).length)
      await this.#round();
  }

  async check(): Promise<SentWalk> {
    const { messages = [] } = (await this.#store.load(this.#sessionId)) ?? {};
    checkSent(messages, this.#sent, this.#unsent);
    return {
      taken: this.#sent.length - this.#unsent.size,
      refused: this.#refused,
      unsent: this.#unsent.size,
      deaths: this.#deaths,
    };
  }

  /** Begins or resumes a run in a new process, which may die. */
  async #round(): Promise<void> {
    const disk = dyingStore(
      this.#store,
      this.#isCalm ? Number.POSITIVE_INFINITY : 2 + Math.floor(this.#random() * 14),
    );
    const abort = new AbortController();
    const agent = await createAgent({
      name: 'walk',
      model: this.#model(abort),
      tools: [this.#look(), ask],
      store: disk,
      maxSteps: 6,
      log: 'silent',
    });
    this.#agent = agent;
    const died = Symbol('died');
    const ended = await Promise.race([
      this.#goOn(agent, abort.signal).catch((error: unknown) => {
        if (!isShallotError(error)) throw error;
        return undefined;
      }),
      disk.died.then(() => died),
    ]);
    if (ended === died) this.#deaths += 1;
    else await agent.close();
    // Senders also send between runs, which is refused if the last run has ended.
    await this.#meanwhile();
  }

  async #goOn(agent: Agent, signal: AbortSignal): Promise<RunResult | undefined> {
    const run = (await this.#store.load(this.#sessionId))?.run;
    if (
      run?.status === 'completed' ||
      run === undefined ||
      (run.status === 'aborted' && this.#random() < 0.5)
    ) {
      const left = await sentMessages(this.#store, this.#sessionId);
      // A chat may pass the messages that the last run left unread to the next run, or leave them in the inbox.
      const input = left.length > 0 && this.#random() < 0.5 ? left : 'Go on.';
      return agent.run(input, { sessionId: this.#sessionId, signal });
    }
    const open = await pendingInterrupts(this.#store, this.#sessionId);
    return agent.resume(this.#sessionId, Object.fromEntries(open.map(({ id }) => [id, 'yes'])), { signal });
  }

  /** Creates a model that calls tools, asks, answers, and is slow enough for senders to act meanwhile. */
  #model(abort: AbortController): ChatModel {
    return {
      id: 'walk/1',
      generate: async () => {
        await this.#meanwhile();
        if (!this.#isCalm && this.#random() < 0.06) abort.abort(new Error('enough'));
        if (!this.#isCalm && this.#random() < 0.06)
          void this.#agent?.stop(this.#sessionId).catch(() => false);
        const chance = this.#random();
        if (this.#isCalm || chance < 0.35)
          return {
            message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
            finish: 'stop',
          };
        this.#count += 1;
        const name = chance < 0.5 ? 'ask' : 'look';
        const call = { type: 'tool-call', id: `call_${this.#count}`, name, input: {} } as const;
        return { message: { role: 'assistant', content: [call] }, finish: 'tool-calls' };
      },
    };
  }

  #look(): ReturnType<typeof defineTool> {
    return defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      effect: 'read',
      execute: async () => {
        await this.#meanwhile();
        return 'seen';
      },
    });
  }

  /** Lets the senders send messages and withdraw some of them. */
  async #meanwhile(): Promise<void> {
    if (this.#isCalm) return;
    await Promise.all(senders.map((sender) => this.#send(sender)));
    const some = this.#sent[Math.floor(this.#random() * this.#sent.length)];
    if (
      some !== undefined &&
      this.#random() < 0.2 &&
      (await unsendMessage(this.#store, this.#sessionId, some.id))
    )
      this.#unsent.add(some.id);
  }

  async #send(sender: Sent['sender']): Promise<void> {
    if (this.#random() < 0.5) return;
    this.#count += 1;
    const chance = this.#random();
    const when = chance < 0.5 ? 'next-step' : chance < 0.8 ? 'instead' : 'after-run';
    const sent: Sent = { id: `${sender}_${this.#count}`, sender, when };
    const message = { role: 'user', content: sent.id, id: sent.id } as const;
    try {
      await sendMessage(this.#store, this.#sessionId, message, { when: sent.when });
      this.#sent.push(sent);
    } catch (error) {
      if (!isShallotError(error, 'SESSION_NOT_RUNNING')) throw error;
      this.#refused += 1;
    }
  }
}

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  effect: 'idempotent',
  execute: async (_, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } }),
});

/** Returns the store of a process that dies before or after one of its commits, and gets no answer to it. */
function dyingStore(store: Store, commits: number): Store & { readonly died: Promise<void> } {
  let left = commits;
  const died = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  const alive = async <T>(answer: () => Promise<T>): Promise<T> => (left < 0 ? never : answer());
  return {
    died: died.promise,
    load: (id) => alive(() => store.load(id)),
    head: (id) => alive(async () => store.head?.(id)),
    renew: async () => true,
    requestStop: async () => false,
    watchInbox: (id, heard) => store.watchInbox?.(id, heard) ?? (() => undefined),
    list: (filter) => store.list(filter),
    delete: (id) => store.delete(id),
    send: (id, entry) => alive(async () => (await store.send?.(id, entry)) ?? false),
    inbox: (id, filter) => alive(async () => (await store.inbox?.(id, filter)) ?? []),
    unsend: (id, entry) => alive(async () => (await store.unsend?.(id, entry)) ?? false),
    async commit(id, revision, change) {
      left -= 1;
      if (left < -1) return never;
      // Leaves out the claim, because a dead process must not keep others from the session.
      const { claim: _claim, ...rest } = change;
      const kept: SessionChange = rest;
      if (left >= 0) return store.commit(id, revision, kept);
      if (commits % 2 === 0) await store.commit(id, revision, kept).catch(() => 0);
      died.resolve();
      return never;
    },
  };
}
