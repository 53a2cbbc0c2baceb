import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, memoryStore, type Agent, type Answers, type RunResult } from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite/index.ts';
import { openInterrupts, type SessionRecord, type Store } from '../../src/store.ts';
import { Course } from './course.ts';
import { Life, sessionId } from './life.ts';
import { modelOfWorld } from './model-of-world.ts';
import { PlainStore } from './model/plain-store.ts';
import type { CallInput } from './model/session.ts';
import { effectText } from './model/tool-calls.ts';
import { inputText, resultText, type Disturbance, type ToolName, type World } from './model/world.ts';
import { inPassingTime } from './passing-time.ts';
import { pluginsOfWorld } from './plugins-of-world.ts';
import { toolsOfWorld } from './tools-of-world.ts';
import { watchedStore } from './watched-store.ts';

/** A world that was played. */
export interface Played {
  readonly course: Course;
  /** The session record after each of its runs. */
  readonly records: readonly SessionRecord[];
}

/** Plays all runs of a world through the core, in as many processes as that takes. */
export async function playWorld(world: World): Promise<Played> {
  const course = new Course(world);
  const folder = world.store === 'sqlite' ? mkdtempSync(join(tmpdir(), 'shallot-world-')) : undefined;
  const store = folder === undefined ? memoryStore() : sqliteStore(join(folder, 'sessions.db'));
  const player = new Player(course, store);
  try {
    return await inPassingTime(() => player.play());
  } catch (error) {
    course.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return { course, records: player.records };
  } finally {
    await player.close();
    await store.close?.();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** No world needs more rounds than this. */
const mostRounds = 80;
const patienceMs = 10_000;

class Player {
  readonly records: SessionRecord[] = [];
  readonly #course: Course;
  readonly #store: Store;
  readonly #plain = new PlainStore();
  readonly #lives: Life[] = [];
  readonly #disturbances: Disturbance[];
  /** The sleeping process, with the round that it is in. */
  #sleeper: { readonly life: Life; readonly round: Promise<unknown> } | undefined;

  constructor(course: Course, store: Store) {
    this.#course = course;
    this.#store = store;
    this.#disturbances = [...course.world.disturbances];
  }

  async play(): Promise<Played> {
    let life = await this.#begin();
    for (let round = 0; this.records.length < this.#course.world.runs.length; round += 1) {
      if (round === mostRounds) throw new Error('the runs come to no end');
      life = await this.#round(life);
    }
    return { course: this.#course, records: this.records };
  }

  async close(): Promise<void> {
    for (const life of this.#lives) life.bury();
    await Promise.all(this.#lives.map(async (life) => life.agent?.close()));
  }

  async #begin(): Promise<Life> {
    const life = new Life(this.#course);
    const { store, toolConcurrency } = this.#course.world;
    life.agent = await createAgent({
      model: modelOfWorld(life),
      plugins: [...pluginsOfWorld(life), toolsOfWorld(life)],
      store:
        store === 'memory' ? this.#store : watchedStore(this.#store, this.#plain, life, store === 'slow'),
      toolConcurrency,
      maxSteps: 50,
      log: 'silent',
    });
    this.#lives.push(life);
    return life;
  }

  /** Plays one round of the run. Returns the process for the next round. */
  async #round(life: Life): Promise<Life> {
    life.begin(this.#disturbance());
    const before = await this.#store.load(sessionId);
    const round = this.#play(life, before);
    const ended = await soon(Promise.race([round, life.gone]));
    life.end();
    this.#course.isDisturbed ||= life.isStruck;
    if (ended === 'asleep') {
      this.#sleeper = { life, round };
    } else {
      if (ended !== 'dead') this.#plain.endClaim();
      // The sleeping process is still the holder of the session until another one has committed something.
      if (life.hasCommitted) await this.#wakeSleeper();
    }
    const record = await this.#store.load(sessionId);
    if (record?.run?.status === 'completed' && record.run.id !== this.records.at(-1)?.run?.id)
      this.records.push(record);
    return ended === 'asleep' || ended === 'dead' ? this.#begin() : life;
  }

  /** Returns the disturbance of the next round. Sessions in memory do not survive their process, so it stays alive. */
  #disturbance(): Disturbance | undefined {
    const next = this.#disturbances.shift();
    if (next === undefined) return undefined;
    const isOfProcess = next.what === 'kill' || next.what === 'sleep' || next.what === 'store-fails';
    // Only one process sleeps at a time.
    const isTooMany = next.what === 'sleep' && this.#sleeper !== undefined;
    return isTooMany || (isOfProcess && this.#course.world.store === 'memory')
      ? { ...next, what: 'abort' }
      : next;
  }

  /** Wakes the sleeping process after another one has taken over its session. */
  async #wakeSleeper(): Promise<void> {
    const sleeper = this.#sleeper;
    if (sleeper === undefined) return;
    this.#sleeper = undefined;
    sleeper.life.wake();
    await soon(sleeper.round);
  }

  /** Begins the next run, or resumes the current one. */
  async #play(life: Life, record: SessionRecord | undefined): Promise<void> {
    const { agent } = life;
    if (agent === undefined) return;
    const run = record?.run;
    const isOver = run === undefined || run.status === 'completed';
    const options = { context: this.records.length, signal: life.signal };
    const answers = isOver ? {} : this.#answers(record);
    this.#course.happened(isOver ? 'run' : 'resume');
    try {
      const result = isOver
        ? await begin(agent, inputText(this.records.length), options, this.#course.world.isStreamed)
        : await resume(agent, answers, options, this.#course.world.isStreamed);
      this.#course.trace.push(`${result.outcome} ${result.stopReason}`);
    } catch (error) {
      this.#course.trace.push(String(error));
      if (!life.isStruck && !life.isZombie)
        this.#course.problems.push(`failed for no reason: ${String(error)}`);
    }
  }

  /** Returns answers to open questions: every question of an act is answered "yes". */
  #answers(record: SessionRecord | undefined): Answers {
    const { run, journal = {} } = record ?? {};
    const { answersApart } = this.#course.world;
    if (run === undefined || (run.status !== 'interrupted' && !answersApart)) return {};
    const open = openInterrupts(run);
    const answered = (answersApart ? open.slice(0, 1) : open).map(({ id, kind, payload, call }) => {
      this.#course.happened(kind === 'unknown-effect' ? 'unknown effect' : 'answer');
      if (kind !== 'unknown-effect') {
        this.#course.questions.set(id, typeof payload === 'string' ? payload : '');
        return [id, 'yes'] as const;
      }
      return [id, this.#whatBecame(call, journal)] as const;
    });
    return Object.fromEntries(answered);
  }

  /** Returns the true answer about a call that may have taken effect. */
  #whatBecame(
    call: { readonly id: string; readonly name: string; readonly input: unknown } | undefined,
    journal: SessionRecord['journal'],
  ): Answers[string] {
    const name = call?.name ?? '';
    const effect = effectText({ name, input: call?.input as CallInput });
    const intent = Object.entries(journal).find(
      ([key, { type }]) => type === 'intent' && key.startsWith(`call:${call?.id}:`),
    );
    const ordinal = Number(intent?.[0].split(':').at(-1));
    const done = this.#course.executions.filter((each) => each.effect === effect && each.isDone).length;
    return done >= ordinal
      ? { action: 'result', result: resultText(name as ToolName) }
      : { action: 'repeat' };
  }
}

async function begin(
  agent: Agent,
  input: string,
  options: { context: unknown; signal: AbortSignal },
  isStreamed: boolean,
): Promise<RunResult> {
  if (!isStreamed) return agent.run(input, { ...options, sessionId });
  return read(agent.stream(input, { ...options, sessionId }));
}

async function resume(
  agent: Agent,
  answers: Answers,
  options: { context: unknown; signal: AbortSignal },
  isStreamed: boolean,
): Promise<RunResult> {
  if (!isStreamed) return agent.resume(sessionId, answers, options);
  return read(agent.streamResume(sessionId, answers, options));
}

async function read(stream: ReturnType<Agent['stream']>): Promise<RunResult> {
  for await (const _event of stream) {
    // The events are not needed.
  }
  return stream.result;
}

/** Returns the result of a round. @throws an error if the round hangs */
async function soon<T>(round: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('a round does not come to its end')), patienceMs);
  try {
    return await Promise.race([round, promise]);
  } finally {
    clearTimeout(timer);
  }
}
