import { acts } from './acts-by-hook.ts';
import {
  disturbances,
  toolNames,
  type Act,
  type ActName,
  type CallPlan,
  type Disturbance,
  type Place,
  type PluginPlan,
  type RunPlan,
  type StepPlan,
  type TapName,
  type TapPlan,
  type ToolAct,
  type World,
} from './model/world.ts';

/** Acts that cut a run or a call short. They are rare, because otherwise few runs would get far. */
const ends: ReadonlySet<ActName> = new Set(['end', 'limit', 'skip', 'refuse']);

/** By hook: of so many drawn acts of this kind, one is kept; the others become `count`. */
const rarity: Readonly<Record<TapName, number>> = {
  beforeAgent: 7,
  beforeModel: 5,
  wrapModelCall: 3,
  afterModel: 3,
  wrapToolCall: 1,
  gate: 1,
  afterAgent: 1,
};

/** The wraps: their taps are always asynchronous, and their acts precede or follow the call of `next`. */
const wraps: ReadonlySet<TapName> = new Set(['wrapModelCall', 'wrapToolCall']);
const early: ReadonlySet<ActName> = new Set(['skip', 'retry']);

/** Returns the world of a seed. */
export function randomWorld(seed: number): World {
  return new WorldMaker(seed).make();
}

class WorldMaker {
  readonly #seed: number;
  #state: number;
  #acts = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#state = Math.imul(seed, 2_654_435_761);
    // The first numbers of consecutive seeds are alike.
    for (let index = 0; index < 4; index += 1) this.#below(2);
  }

  make(): World {
    const store = this.#one([
      'memory',
      'watched',
      'watched',
      'watched',
      'slow',
      'slow',
      'slow',
      'sqlite',
    ] as const);
    const runs = this.#list(1 + this.#below(2), (run) => this.#run(run));
    const plugins = this.#list(2 + this.#below(3), (index) => this.#plugin(`p${index}`, runs));
    const world: World = {
      seed: this.#seed,
      store,
      isStreamed: this.#isOneOf(3),
      toolConcurrency: this.#one([1, 1, 4]),
      runs,
      plugins,
      disturbances: this.#list(this.#below(6), () => this.#disturbance()),
      answersApart: this.#isOneOf(2),
    };
    return decided(world);
  }

  #run(run: number): RunPlan {
    return {
      steps: this.#list(3 + this.#below(5), (index) =>
        this.#list(1 + this.#below(2), () =>
          this.#list(1 + this.#below(3), () => this.#call(run, index + 1)),
        ),
      ),
    };
  }

  #call(run: number, step: number): CallPlan {
    const count = this.#isOneOf(3) ? 1 + this.#below(2) : 0;
    const tool = this.#isOneOf(15) ? 'show' : this.#one(toolNames.slice(0, 3));
    return {
      tool,
      acts: this.#list(count, (): ToolAct => ({
        id: `t${this.#next()} r${run}s${step}`,
        what: this.#one(['count', 'count', 'ask', 'throw']),
      })),
    };
  }

  #plugin(name: string, runs: readonly RunPlan[]): PluginPlan {
    const hooks = (Object.keys(acts) as TapName[]).filter(() => this.#isOneOf(2));
    return {
      name,
      scope: this.#one(['session', 'run']),
      taps: hooks.map((hook) => this.#tap(name, hook, runs)),
    };
  }

  #tap(name: string, hook: TapName, runs: readonly RunPlan[]): TapPlan {
    const count = 1 + this.#below(4);
    const all = this.#list(count, () => this.#act(name, hook, runs)).flat();
    const isSimple = all.every(({ what }) => what !== 'count' && what !== 'ask' && what !== 'reject');
    const mayBeSync = isSimple && !wraps.has(hook) && hook !== 'gate';
    return { hook, pace: mayBeSync ? 'sync' : this.#one(['async', 'slow']), acts: all };
  }

  /** Returns one or two acts at the same place, since their order matters. */
  #act(name: string, hook: TapName, runs: readonly RunPlan[]): Act[] {
    const run = this.#below(runs.length);
    const isOfRun = hook === 'beforeAgent' || hook === 'afterAgent';
    const place: Place = { run, step: isOfRun ? 0 : 1 + this.#below((runs[run]?.steps.length ?? 0) + 1) };
    const call = hook === 'wrapToolCall' || hook === 'gate' ? this.#below(2) : -1;
    return this.#list(1 + this.#below(2), (): Act => {
      const drawn = this.#one(acts[hook]);
      const what = ends.has(drawn) && !this.#isOneOf(rarity[hook]) ? 'count' : drawn;
      const isLate =
        wraps.has(hook) &&
        !early.has(what) &&
        (this.#isOneOf(2) || (hook === 'wrapToolCall' && what === 'append'));
      return { id: `${name} ${what} ${this.#next()}`, ...place, call, isLate, what };
    });
  }

  #disturbance(): Disturbance {
    // A process dies as often as any two other disturbances occur.
    const what = this.#one([...disturbances, 'kill'] as const);
    return { what, moments: 1 + this.#below(18) };
  }

  #next(): number {
    this.#acts += 1;
    return this.#acts;
  }

  #list<T>(length: number, make: (index: number) => T): T[] {
    return Array.from({ length }, (_, index) => make(index));
  }

  #one<T>(values: readonly T[]): T {
    // The index is in range, and no list is empty.
    return values[this.#below(values.length)] as T;
  }

  #isOneOf(limit: number): boolean {
    return this.#below(limit) === 0;
  }

  /** A linear congruential generator: its high bits are random enough, and equal on all machines. */
  #below(limit: number): number {
    this.#state = Math.imul(this.#state, 1_664_525) + 1_013_904_223;
    return Math.floor(((this.#state >>> 0) / 2 ** 32) * limit);
  }
}

/** Returns the world without the acts and options that would make its outcome depend on chance. */
function decided(world: World): World {
  const isEnd = ({ what }: Act): boolean => what === 'end' || what === 'limit';
  const ends = {
    model: actsOf(world, 'wrapModelCall').filter(isEnd),
    tool: actsOf(world, 'wrapToolCall').filter(isEnd),
  };
  const plugins = world.plugins.map((plugin) => ({
    ...plugin,
    taps: plugin.taps.map((tap) => ({
      ...tap,
      acts: tap.acts.filter((act) => !isLost(tap.hook, act, ends)),
    })),
  }));
  if (ends.tool.length === 0) return { ...world, plugins };
  const runs = world.runs.map(({ steps }, run) => ({
    steps: steps.map((answers, index) =>
      ends.tool.some((end) => end.run === run && end.step === index + 1) ? withoutCounts(answers) : answers,
    ),
  }));
  // Parallel calls, or answers given one at a time, could take effect in any order.
  return { ...world, plugins, runs, toolConcurrency: 1, answersApart: false };
}

/**
 * Returns true if it depends on a disturbance that an act is reached. If a layer ends a step before the answer, a
 * resume asks for no answer; if a layer of a call ends it, a resume executes no further calls.
 */
function isLost(
  hook: TapName,
  { id, what, run, step }: Act,
  { model, tool }: Record<'model' | 'tool', readonly Act[]>,
): boolean {
  const ends = hook === 'wrapModelCall' ? model : hook === 'wrapToolCall' || hook === 'gate' ? tool : [];
  const first = ends.find((end) => end.run === run && end.step === step);
  if (first === undefined) return false;
  const isSecondEnd = hook === 'wrapToolCall' && (what === 'end' || what === 'limit') && id !== first.id;
  return what === 'count' || what === 'skip' || isSecondEnd;
}

function withoutCounts(answers: StepPlan): StepPlan {
  return answers.map((calls) =>
    calls.map((call) => ({ ...call, acts: call.acts.filter(({ what }) => what !== 'count') })),
  );
}

function actsOf({ plugins }: World, hook: TapName): readonly Act[] {
  return plugins.flatMap(({ taps }) => taps.filter((tap) => tap.hook === hook).flatMap(({ acts }) => acts));
}
