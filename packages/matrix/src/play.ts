import {
  createAgent,
  isShallotError,
  memoryStore,
  textOf,
  type Agent,
  type AgentEvent,
  type Answers,
  type Interrupt,
  type JsonValue,
  type Message,
  type PluginEntry,
  type RunResult,
} from '@shallot/core';
import { memoryFiles, type Files } from '@shallot/core/files';
import type { ChatModel } from '@shallot/core/model';
import type { SessionRecord, Store } from '@shallot/core/store';
import { pendingInterrupts } from '@shallot/core/work';
import { collectEvents } from '@shallot/testing';

import type { CaseName } from './cases.ts';
import { childOf, delegatingModel, delegation, eventsOfChildren } from './delegation.ts';
import type { Seen } from './outcomes.ts';
import { address, input, scriptModel, scriptTools, World } from './script.ts';

const sessionId = 'matrix';

/** The settings with which the script is played once. */
export interface Play {
  readonly what: CaseName;
  /** The plugins; new ones for each process. */
  readonly plugins: (fallback: ChatModel) => readonly PluginEntry[];
  /** For `crash` and `abort in a commit`: the number of the commit. */
  readonly commit?: number;
  readonly isStreamed?: boolean;
  /** Plays the script in a child run, which the layers of the plugins with these ids surround. */
  readonly childPlugins?: readonly string[];
}

/** The result of a session, and the data for the invariants. */
export interface Played {
  readonly seen: Seen;
  readonly record: SessionRecord;
  readonly world: World;
  readonly events: readonly AgentEvent[];
  /** True if the process crashed as the case demands. */
  readonly isCrashed: boolean;
}

/** Plays the script in one session, in as many processes as it needs. */
export async function play(play: Play): Promise<Played> {
  return new Session(play, await skillAndMemory()).toEnd();
}

async function skillAndMemory(): Promise<Files> {
  const files = memoryFiles();
  await files.write('/AGENTS.md', 'Be brief.');
  await files.write('/skills/tea/SKILL.md', '---\nname: tea\ndescription: Makes tea.\n---\nBoil water.');
  return files;
}

/** A simulated process, with the parts that the script needs. */
interface Life {
  readonly agent: Agent;
  readonly died: Promise<'died'>;
  aborter: AbortController;
}

class Session {
  readonly #play: Play;
  readonly #files: Files;
  readonly #world: World;
  readonly #store = memoryStore();
  readonly #ends: string[] = [];
  readonly #asks = new Set<string>();
  readonly #events: AgentEvent[] = [];
  #commits = 0;

  constructor(play: Play, files: Files) {
    this.#play = play;
    this.#files = files;
    this.#world = new World(play.what);
  }

  async toEnd(): Promise<Played> {
    let life = await this.#begin();
    for (let round = 0; round < 12; round += 1) {
      const record = await this.#store.load(sessionId);
      const end = await this.#goOn(life, record);
      if (end !== 'interrupted') this.#ends.push(end);
      if (end === 'died') {
        const left = await this.#store.load(sessionId);
        // The process only pretends to be dead, so its claim would still count as live.
        if (left?.claim !== undefined) await this.#store.commit(sessionId, left.revision, { claim: null });
        life = await this.#begin();
      }
      const isOver = end === 'completed' || this.#ends.filter((each) => each.startsWith('failed')).length > 1;
      if (isOver) return this.#close(life);
    }
    throw new Error(`The session comes to no end: ${this.#ends.join(', ')}`);
  }

  async #begin(): Promise<Life> {
    const death = Promise.withResolvers<'died'>();
    const life = { aborter: new AbortController() };
    const abort = (): void => life.aborter.abort();
    const fallback = scriptModel('fallback', this.#world, abort);
    const main = scriptModel('main', this.#world, abort);
    const { plugins, childPlugins } = this.#play;
    const agent = await createAgent({
      ...(childPlugins === undefined
        ? { model: main, plugins: plugins(fallback) }
        : { model: delegatingModel(), plugins: [...plugins(fallback), delegation(main, childPlugins)] }),
      tools: scriptTools(this.#world, abort),
      store: this.#watchedStore(death.resolve, abort),
      files: this.#files,
      log: 'silent',
    });
    return Object.assign(life, { agent, died: death.promise });
  }

  #watchedStore(die: (how: 'died') => void, abort: () => void): Store {
    const store = this.#store;
    let isDead = false;
    return {
      load: (id) => store.load(id),
      renew: (id, claim) => store.renew(id, claim),
      requestStop: (id) => store.requestStop(id),
      list: (filter) => store.list(filter),
      delete: (id) => store.delete(id),
      commit: async (id, revision, change) => {
        this.#commits += 1;
        if (this.#commits === this.#play.commit) {
          if (this.#world.strikes('abort in a commit')) abort();
          if (this.#world.strikes('crash')) {
            isDead = true;
            die('died');
          }
        }
        if (isDead) await new Promise(() => {});
        return store.commit(id, revision, change);
      },
    };
  }

  /** Starts or resumes the run. */
  async #goOn(life: Life, record: SessionRecord | undefined): Promise<string> {
    life.aborter = new AbortController();
    const { signal } = life.aborter;
    const answers = this.#answersTo(await pendingInterrupts(this.#store, sessionId));
    const { agent } = life;
    if (this.#play.isStreamed === false) {
      const run =
        record?.run === undefined
          ? agent.run(input(), { sessionId, signal })
          : agent.resume(sessionId, answers, { signal });
      const ended = run.then(
        (result) => ({ result, error: undefined }),
        (error: unknown) => ({ result: undefined, error }),
      );
      return endOf(await Promise.race([life.died, ended]));
    }
    const stream =
      record?.run === undefined
        ? agent.stream(input(), { sessionId, signal })
        : agent.streamResume(sessionId, answers, { signal });
    const seen = await Promise.race([life.died, collectEvents(stream)]);
    if (seen !== 'died') this.#events.push(...seen.events);
    return endOf(seen);
  }

  #answersTo(interrupts: readonly Interrupt[]): Answers {
    return Object.fromEntries(
      interrupts.map(({ id, kind, call }): [string, JsonValue] => {
        if (kind === 'unknown-effect') {
          const isDone = call !== undefined && this.#world.done.has(call.name);
          return [id, isDone ? { action: 'result', result: `${call.name}: done` } : { action: 'repeat' }];
        }
        this.#asks.add(kind);
        return [id, kind === 'approval' ? { decision: 'approve' } : 'yes'];
      }),
    );
  }

  async #close(life: Life): Promise<Played> {
    await life.agent.close();
    const root = await this.#store.load(sessionId);
    const isChild = this.#play.childPlugins !== undefined;
    const record = isChild ? await childOf(this.#store, sessionId) : root;
    if (root === undefined || record === undefined) throw new Error('The session is lost.');
    const isFree = ['abort in a commit', 'crash'].includes(this.#play.what);
    return {
      seen: {
        ends: this.#ends.join(', '),
        asks: [...this.#asks].toSorted().join(', ') || 'none',
        models: isFree ? 'any' : this.#models(),
        ...results(record.messages),
        ...resultsOfPlugins(record.messages),
        address: JSON.stringify([root.messages, record.messages, this.#events]).includes(address)
          ? 'shown'
          : 'nothing',
      },
      record,
      world: this.#world,
      events: isChild ? eventsOfChildren(this.#events) : this.#events,
      isCrashed: this.#ends.includes('died'),
    };
  }

  #models(): string {
    const counts = [...this.#world.asked].map(([id, count]) => `${id} ${count}`);
    return `${counts.join(', ')}, ${this.#world.lastAsked} last`;
  }
}

interface Ended {
  readonly result: RunResult | undefined;
  readonly error: unknown;
}

function endOf(ended: Ended | 'died'): string {
  if (ended === 'died') return ended;
  const { error } = ended;
  const result = ended.result ?? (isShallotError(error) ? error.result : undefined);
  if (result === undefined) throw error;
  return result.outcome === 'failed' ? `failed ${result.error?.code}` : result.outcome;
}

/** Returns the results of the calls that succeed or fail, as the messages show them. */
function results(messages: readonly Message[]): Pick<Seen, 'flaky' | 'malformed'> {
  const [flaky, fix] = [textFor(messages, 'flaky'), textFor(messages, 'fix')];
  return {
    flaky: flaky === 'flaky: done' ? 'done' : flaky.includes('Not yet') ? 'failed' : flaky,
    malformed: fix === 'fix: done' ? 'repaired and done' : fix.includes('JSON') ? 'refused' : fix,
  };
}

function resultsOfPlugins(
  messages: readonly Message[],
): Pick<Seen, 'listing' | 'command' | 'page' | 'reply'> {
  const seen = (id: string, outcome: string, pattern: RegExp): string => {
    const text = textFor(messages, id);
    return pattern.test(text) ? outcome : text === 'no result' ? 'not called' : text;
  };
  return {
    listing: seen('ls', 'listed', /AGENTS\.md/),
    command: seen('shell', 'executed', /^tea\n\[Exit status 0\]$/),
    page: seen('fetch', 'refused', /not on the public internet/),
    reply: seen('ask-user', 'answered', /yes/),
  };
}

function textFor(messages: readonly Message[], id: string): string {
  const texts = messages.flatMap((message) =>
    message.role === 'tool' && message.callId === id ? [textOf(message)] : [],
  );
  return texts[0] ?? 'no result';
}
