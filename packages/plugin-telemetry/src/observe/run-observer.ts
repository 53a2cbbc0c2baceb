import { AsyncLocalStorage } from 'node:async_hooks';

import type { RunInfo, Tool, ToolCall } from '@shallot/core';
import type { TapInfo } from '@shallot/core/plugin';

import type {
  Activity,
  LayerActivity,
  ModelActivity,
  Note,
  RunActivity,
  RunSink,
  Sink,
  SpanReference,
  StepActivity,
  ToolActivity,
} from './activity.ts';
import type { Losses } from './losses.ts';

/** An activity in progress, as its observer changes it: sinks see it as `Activity`. */
export type Open<T extends Activity> = { -readonly [K in keyof T]: T[K] };

/** The innermost model call or tool call that the running code is a part of. */
const current = new AsyncLocalStorage<Activity>();

/**
 * Begins to observe a run. Returns undefined if no sink wants it.
 * @param continues the span that a resumed run continues
 */
export function observeRun(
  sinks: readonly Sink[],
  losses: Losses,
  info: RunInfo,
  continues: SpanReference | undefined,
): RunObserver | undefined {
  if (sinks.length === 0) return undefined;
  const run = newRun(info, continues);
  // Both clocks are read at once, before the sinks, which may take a while.
  const epoch = run.startedAt - performance.now();
  const told: ToldSink[] = [];
  for (const sink of sinks) {
    try {
      const runSink = sink.observe(run);
      losses.countRejection(sink.name, runSink);
      if (runSink !== undefined) told.push({ name: sink.name, sink: runSink });
    } catch (error) {
      losses.count(sink.name, error);
    }
  }
  return told.length === 0 ? undefined : new RunObserver(run, told, losses, epoch);
}

interface ToldSink {
  readonly name: string;
  readonly sink: RunSink;
}

function newRun(info: RunInfo, continues: SpanReference | undefined): Open<RunActivity> {
  const run: Partial<Open<RunActivity>> = {
    kind: 'run',
    id: 1,
    parent: undefined,
    startedAt: Date.now(),
    endedAt: undefined,
    failure: undefined,
    span: undefined,
    info,
    continues,
    result: undefined,
  };
  run.run = run as RunActivity;
  // All fields are set now.
  return run as Open<RunActivity>;
}

/** Keeps the tree of one run's activities, and reports them to its sinks. Errors of sinks are caught here. */
export class RunObserver {
  readonly run: Open<RunActivity>;
  readonly #sinks: readonly ToldSink[];
  readonly #losses: Losses;
  readonly #hearsChunks: boolean;
  readonly #open = new Set<Open<Activity>>();
  readonly #attempts = new Map<string, number>();
  #step: Open<StepActivity> | undefined;
  /** The tools that the agent's latest model call was offered. */
  #tools: readonly Tool[] = [];
  #ids = 1;
  /**
   * The offset from the monotonic clock to the time of day, read when the run began. Times within a run are then
   * monotonic, and clock changes since the start of the process, perhaps weeks ago, are included.
   */
  readonly #epoch: number;

  constructor(run: Open<RunActivity>, sinks: readonly ToldSink[], losses: Losses, epoch: number) {
    this.run = run;
    this.#sinks = sinks;
    this.#losses = losses;
    this.#hearsChunks = sinks.some(({ sink }) => sink.chunk !== undefined);
    this.#epoch = epoch;
    this.#started(run);
  }

  /** Returns the time in milliseconds since the epoch, with fractions. */
  now(): number {
    return this.#epoch + performance.now();
  }

  /**
   * Returns the step that the run is in. Begins it if it is new, and ends the one before. Returns the run itself
   * before the first step.
   */
  step(): Activity {
    const { step } = this.run.info;
    if (step === 0) return this.run;
    if (this.#step?.step === step) return this.#step;
    if (this.#step !== undefined) this.end(this.#step);
    this.#attempts.clear();
    this.#step = { ...this.#base(this.run), kind: 'step', step };
    this.#started(this.#step);
    return this.#step;
  }

  model(
    asked: Pick<ModelActivity, 'request' | 'origin' | 'streams'>,
    around: Activity | undefined,
  ): Open<ModelActivity> {
    const { request, origin, streams } = asked;
    const parent = around ?? this.around(origin);
    if (origin === undefined) this.#tools = request.tools ?? [];
    const key = origin === undefined ? '' : `${origin.plugin}/${origin.purpose}`;
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, attempt);
    const activity: Open<ModelActivity> = {
      ...this.#base(parent),
      kind: 'model',
      step: this.run.info.step,
      attempt,
      request,
      origin,
      streams,
      firstChunkAt: undefined,
      // The call that writes a summary has a message of that source as well.
      compacted: origin?.purpose !== 'summarization' && isCompacted(request),
      response: undefined,
    };
    this.#started(activity);
    return activity;
  }

  tool(call: ToolCall, around: Activity | undefined): Open<ToolActivity> {
    const activity: Open<ToolActivity> = {
      ...this.#base(around ?? this.step()),
      kind: 'tool',
      step: this.run.info.step,
      call,
      tool: this.#tools.find(({ name }) => name === call.name),
      skill: skillOf(call),
      result: undefined,
      interrupted: false,
    };
    this.#started(activity);
    return activity;
  }

  layer(tap: TapInfo, around: Activity | undefined, origin: ModelActivity['origin']): Open<LayerActivity> {
    const activity: Open<LayerActivity> = {
      ...this.#base(around ?? this.around(origin)),
      kind: 'layer',
      step: this.run.info.step,
      tap,
      ownMs: undefined,
      calls: tap.hook.startsWith('wrap') ? 0 : undefined,
      changes: undefined,
    };
    this.#started(activity);
    return activity;
  }

  note(activity: Activity, note: Note): void {
    const at = this.now();
    this.#tell((sink) => sink.noted?.(activity, note, at));
  }

  /** Notes a chunk of a response, with its time if a sink needs it. */
  chunk(activity: ModelActivity): void {
    if (!this.#hearsChunks) return;
    const at = this.now();
    this.#tell((sink) => sink.chunk?.(activity, at));
  }

  /** Ends an activity, unless it has already ended. */
  end(activity: Open<Activity>): void {
    if (!this.#open.delete(activity)) return;
    activity.endedAt = this.now();
    this.#tell((sink) => sink.ended?.(activity));
  }

  /** Ends all open activities, then the run. */
  close(): void {
    for (const activity of [...this.#open].toReversed()) if (activity !== this.run) this.end(activity);
    this.end(this.run);
  }

  /** Runs `work` as part of an activity and returns its result. It is run once, whatever the sinks around it do. */
  within<T>(activity: Activity, work: () => Promise<T>): Promise<T> {
    let entered = activity.kind === 'run' ? work : (): Promise<T> => current.run(activity, work);
    for (const { name, sink } of this.#sinks) {
      if (sink.within === undefined) continue;
      const inner = entered;
      entered = () => this.#surround(name, (enter) => sink.within?.(activity, enter), inner);
    }
    return entered();
  }

  #surround<T>(
    name: string,
    surround: (enter: () => Promise<T>) => unknown,
    work: () => Promise<T>,
  ): Promise<T> {
    let result: Promise<T> | undefined;
    let returned: unknown;
    try {
      returned = surround(() => (result ??= work()));
    } catch (error) {
      this.#losses.count(name, error);
    }
    const done = (result ??= work());
    if (returned !== done) this.#losses.countRejection(name, withoutFailureOf(done, returned));
    return done;
  }

  /**
   * Returns the activity that the running code is part of: a model call or tool call, else the step. A plugin's own model call is
   * part of the layer that makes it, if that layer is observed.
   */
  around(origin: ModelActivity['origin']): Activity {
    const running = current.getStore();
    const isOurs = running?.run === this.run && running.endedAt === undefined;
    const around = isOurs ? running : this.step();
    if (origin === undefined) return around;
    const layers = [...this.#open].filter(
      (each) => each.kind === 'layer' && each.tap.plugin === origin.plugin,
    );
    return layers.findLast((layer) => isWithin(layer, around)) ?? around;
  }

  #base(
    parent: Activity,
  ): Pick<Activity, 'id' | 'parent' | 'run' | 'startedAt' | 'endedAt' | 'failure' | 'span'> {
    this.#ids += 1;
    return {
      id: this.#ids,
      parent,
      run: this.run,
      startedAt: this.now(),
      endedAt: undefined,
      failure: undefined,
      span: undefined,
    };
  }

  #started(activity: Open<Activity>): void {
    this.#open.add(activity);
    this.#tell((sink) => sink.started?.(activity));
  }

  #tell(what: (sink: RunSink) => unknown): void {
    for (const { name, sink } of this.#sinks) {
      try {
        this.#losses.countRejection(name, what(sink));
      } catch (error) {
        this.#losses.count(name, error);
      }
    }
  }
}

/** Returns a promise that a sink returned for work, without a rejection by the work itself, which is not the sink's. */
function withoutFailureOf(work: Promise<unknown>, returned: unknown): unknown {
  if (!(returned instanceof Promise)) return undefined;
  return returned.catch(async (error: unknown) => {
    const [done] = await Promise.allSettled([work]);
    if (done.status === 'fulfilled' || done.reason !== error) throw error;
  });
}

function isWithin(activity: Activity | undefined, outer: Activity): boolean {
  return activity !== undefined && (activity === outer || isWithin(activity.parent, outer));
}

/**
 * The messages that are searched for a summary, which is always near the beginning. Searching all would cost more,
 * the longer the conversation is.
 */
const headLength = 4;

function isCompacted({ messages }: ModelActivity['request']): boolean {
  for (let at = 0; at < headLength; at += 1) if (messages[at]?.source === 'summarization') return true;
  return false;
}

/** Returns the skill that a call loads; undefined for other calls. The tool of the skills plugin takes the skill's name. */
function skillOf({ name, input }: ToolCall): string | undefined {
  if (name !== 'skill' || typeof input !== 'object' || input === null || !('name' in input)) return undefined;
  return typeof input['name'] === 'string' ? input['name'] : undefined;
}
