import type { Agent } from '../../src/agent.ts';
import { isShallotError } from '../../src/base/errors.ts';
// Runs of the crash scenario that are disturbed again and again at random: killed, aborted, stopped, failed by their
// model or a hook, and answered late and in part. The seed determines all random choices.
import type { AgentOptions } from '../../src/contract/agent-options.ts';
import type { Interrupt } from '../../src/contract/interrupt.ts';
import type { Outcome } from '../../src/contract/result.ts';
import type { SessionRecord } from '../../src/contract/store.ts';
import type { RunStream } from '../../src/run/event-stream.ts';
import { openInterrupts } from '../../src/sessions/content/open-interrupts.ts';
import { memoryStore } from '../../src/sessions/stores/memory-store.ts';
import { answerInterrupts } from '../../src/workers/answer-interrupts.ts';
import { askingPlugin, askingTool, places, type Place } from './asking.ts';
import {
  answerTo,
  scenarioAgent,
  scenarioModel,
  scenarioPlugins,
  scenarioTools,
  sessionId,
  watchedStore,
} from './crash-scenario.ts';
import { breakingPlugin, endingPlugin, ends, type End } from './deciding.ts';
import type { Effect, Effects } from './effects.ts';
import { Moments, type Random } from './moments.ts';
import { expectSingleWrites, expectUndisturbed, keptIn } from './undisturbed.ts';

/** The disturbances of a process at one of its moments; a kill is as likely as any two others. */
const disturbances = ['kill', 'kill', 'abort', 'stop', 'fail', 'break', 'none'] as const;
type Disturbance = (typeof disturbances)[number];

/** The differences between the agent of a walk and that of the crash scenario. */
interface Variation {
  readonly asking: readonly Place[];
  readonly end: End;
  /** The priorities of all plugins inside the one that counts. */
  readonly priorities: readonly number[];
  readonly toolConcurrency: number;
}

/**
 * Disturbs a run until it is completed, and checks that its end equals that of an undisturbed run. Returns the trace of
 * the walk. An error begins with the seed, by which the walk can be repeated.
 */
export async function walk(seed: number): Promise<readonly string[]> {
  const random = randomFrom(seed);
  const variation = variationFrom(random);
  const path = new Walk(random, variation);
  try {
    const calm = new Walk(() => 0, variation);
    const kept = keptIn(await calm.toEnd(0));
    const record = await path.toEnd(24);
    expectSingleWrites(path.effects);
    expectUndisturbed(record, kept);
    path.trace.push(`completed, end in ${variation.end}: ${record.run?.stopReason}`);
  } catch (error) {
    const what = `seed ${seed}, ${JSON.stringify(variation)}: ${path.trace.join(', ')}`;
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  return path.trace;
}

/** A linear congruential generator: its high bits are random enough, and equal on all machines. */
function randomFrom(seed: number): Random {
  let state = Math.imul(seed, 2_654_435_761);
  return (limit) => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
}

function variationFrom(random: Random): Variation {
  return {
    asking: places.filter(() => random(2) === 0),
    end: ends[random(ends.length)] ?? 'nowhere',
    priorities: Array.from({ length: 8 }, () => random(70)),
    toolConcurrency: 1 + random(4),
  };
}

/** The run of one session, in as many processes as it takes. */
class Walk {
  readonly trace: string[] = [];
  readonly effects: Effect[] = [];
  readonly #random: Random;
  readonly #variation: Variation;
  readonly #store = memoryStore();
  /** The questions whose answers have been stored. */
  readonly #answered: Interrupt[] = [];

  constructor(random: Random, variation: Variation) {
    this.#random = random;
    this.#variation = variation;
  }

  /**
   * Continues until the run is completed. After `disturbed` rounds there are no more disturbances, and all questions
   * are answered.
   */
  async toEnd(disturbed: number): Promise<SessionRecord> {
    let life = await this.#begin();
    for (let round = 0; round < disturbed + 40; round += 1) {
      const outcome = await this.#goOn(life, round < disturbed);
      const record = await this.#store.load(sessionId);
      if (outcome === 'completed' && record !== undefined) {
        await life.agent.close();
        return record;
      }
      if (outcome !== 'died') continue;
      // The process died after its last commit.
      if (record?.run?.status === 'completed') return record;
      // Releases the claim: this process only simulates its death, so its claim would still count as live.
      if (record?.claim !== undefined) await this.#store.commit(sessionId, record.revision, { claim: null });
      life = await this.#begin();
    }
    throw new Error('the run does not end');
  }

  async #begin(): Promise<Life> {
    const moments = new Moments(this.#random);
    const effects: Effects = {
      all: () => this.effects,
      put: async (effect) => {
        await moments.pass();
        this.effects.push(effect);
        await moments.pass();
      },
    };
    const store = watchedStore(this.#store, () => moments.pass());
    const agent = await scenarioAgent(store, effects, variedOptions(this.#variation, effects, moments));
    return { agent, effects, moments };
  }

  /** Starts or resumes the run, until it pauses or is disturbed. */
  async #goOn({ agent, effects, moments }: Life, isDisturbed: boolean): Promise<Outcome | 'died'> {
    const record = await this.#store.load(sessionId);
    const kind = isDisturbed ? (disturbances[this.#random(disturbances.length)] ?? 'none') : 'none';
    const given = openInterrupts(record?.run).filter(() => !isDisturbed || this.#random(3) > 0);
    let answers = Object.fromEntries(given.map((each) => [each.id, answerTo(each, effects, record)]));
    if (given.length > 0 && this.#random(4) === 1) {
      await answerInterrupts(this.#store, sessionId, answers);
      answers = {};
    }
    const aborter = new AbortController();
    const { signal } = aborter;
    const disturb = {
      kill: () => moments.die(),
      abort: () => aborter.abort(),
      stop: () => void agent.stop(sessionId),
      fail: () => moments.failModel(),
      break: () => moments.breakHook(),
      none: () => {},
    };
    moments.strikeAt(1 + this.#random(12), disturb[kind]);
    const stream =
      record?.run === undefined
        ? agent.stream('Begin.', { sessionId, signal })
        : agent.streamResume(sessionId, answers, { signal });
    const outcome = await Promise.race([moments.died, outcomeOf(stream, kind, this.#random(2) === 0)]);
    this.trace.push(`${kind}: ${outcome}`);
    await this.#checkQuestions(given);
    return outcome;
  }

  /**
   * Checks that no answered question is asked again. An answer counts once its question is no longer open, because a
   * kill may lose it.
   */
  async #checkQuestions(given: readonly Interrupt[]): Promise<void> {
    const open = openInterrupts((await this.#store.load(sessionId))?.run);
    this.#answered.push(...given.filter((each) => !open.some(({ id }) => id === each.id)));
    for (const question of open) {
      if (this.#answered.some((each) => isSameQuestion(each, question)))
        throw new Error(`asked twice: ${JSON.stringify(question)}`);
      const before = this.#answered.filter(({ call }) => call?.id === question.call?.id);
      const kinds = new Set(before.map(({ kind }) => kind));
      if (question.kind === inDoubt && kinds.has(inDoubt) && kinds.has('tool')) this.trace.push(doubtedAgain);
    }
  }
}

const inDoubt = 'unknown-effect';

/**
 * The trace of a rare case: a call was repeated by the answer about its unknown effect, its tool got answers to its own
 * questions, and the process died again.
 */
export const doubtedAgain = 'in doubt again after answers to the tool';

/** Questions about unknown effects are equal only if their ids are: each is about another execution of the call. */
function isSameQuestion(a: Interrupt, b: Interrupt): boolean {
  if (a.id === b.id) return true;
  const said = ({ kind, call, payload }: Interrupt): string => JSON.stringify([kind, call?.id, payload]);
  return a.kind !== inDoubt && said(a) === said(b);
}

/** A simulated process. */
interface Life {
  readonly agent: Agent;
  readonly effects: Effects;
  readonly moments: Moments;
}

function variedOptions(
  { asking, end, priorities, toolConcurrency }: Variation,
  effects: Effects,
  moments: Moments,
): Partial<AgentOptions> {
  const model = scenarioModel();
  const [counts, ...others] = scenarioPlugins(effects);
  const varied = [...others, askingPlugin(asking), endingPlugin(end), breakingPlugin(moments)];
  return {
    model: {
      id: model.id,
      async generate(request, call) {
        await moments.passModel();
        return model.generate(request, call);
      },
    },
    tools: scenarioTools(effects).map((tool) => (asking.includes('tool') ? askingTool(tool) : tool)),
    plugins: [counts, ...varied.map((use, index) => ({ use, priority: priorities[index] ?? 0 }))],
    toolConcurrency,
  };
}

/** Returns the outcome of a run. Throws its error unless the disturbance explains it. */
async function outcomeOf(stream: RunStream, disturbance: Disturbance, isRead: boolean): Promise<Outcome> {
  try {
    if (isRead) await readAll(stream);
    const { outcome } = await stream.result;
    return outcome;
  } catch (error) {
    const outcome = isShallotError(error) ? error.result?.outcome : undefined;
    const isDue =
      outcome === 'failed'
        ? disturbance === 'fail' || disturbance === 'break'
        : disturbance === 'abort' || disturbance === 'stop';
    if (outcome === undefined || !isDue) throw error;
    return outcome;
  }
}

async function readAll(stream: RunStream): Promise<void> {
  for await (const _ of stream);
}
