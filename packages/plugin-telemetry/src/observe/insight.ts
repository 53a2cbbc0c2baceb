import type { Message, RunInfo, RunResult, ToolCall, ToolResult } from '@shallot/core';
import type { ModelRequest, ModelResponse } from '@shallot/core/model';
import {
  hookNames,
  isInterrupt,
  type HookName,
  type Hooks,
  type Scope,
  type TapInfo,
  type TapObserver,
} from '@shallot/core/plugin';

import type { Activity, LayerActivity } from './activity.ts';
import {
  callChanges,
  inputChanges,
  requestChanges,
  responseChanges,
  resultChanges,
  runResultChanges,
  type Changed,
  type LayerChanges,
} from './changes.ts';
import type { Losses } from './losses.ts';
import type { Open, RunObserver } from './run-observer.ts';

export interface InsightParts {
  /** The id of this plugin: its own layers are not shown. */
  readonly id: string;
  readonly observerOf: (run: RunInfo) => RunObserver | undefined;
  readonly losses: Losses;
  /** True if changes include texts and values. */
  readonly content: boolean;
}

/** Finds the layer around another one. */
export interface Insight {
  /** Returns the layer whose `next` entered the layer of this plugin that has this scope; undefined if there is none. */
  readonly around: (scope: object) => Activity | undefined;
}

/**
 * Observes each call of a tap of the other plugins, by tapable's interception. The plugins are not affected, and an
 * error in here counts as lost telemetry, never as a failure of theirs.
 */
export function addInsight(hooks: Hooks, parts: InsightParts): Insight {
  const { id, observerOf, losses } = parts;
  const around = new WeakMap<object, Activity>();
  /** The layer that has just called `next`: a layer inside it is entered before anything else can happen. */
  let calling: LayerActivity | undefined;

  const safely = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      losses.count('insight', error);
      return undefined;
    }
  };
  const enter = (
    tap: TapInfo,
    value: unknown,
    { run, scope }: { readonly run: RunInfo; readonly scope?: Scope<never> },
  ): TapObserver | undefined => {
    const caller = tap.gate ? undefined : calling;
    calling = undefined;
    const observer = observerOf(run);
    if (observer === undefined) return undefined;
    if (tap.plugin === id) {
      if (scope !== undefined && caller !== undefined) around.set(scope, caller);
      return undefined;
    }
    // The end of a run is no part of its last step.
    const parent = tap.hook === 'afterAgent' ? observer.run : caller;
    const layer = observer.layer(tap, parent, scope?.origin);
    const meter = new LayerMeter(layer, value, run, parts.content);
    return {
      next: (passed) => {
        safely(() => meter.calls(passed));
        if (!tap.gate) calling = layer;
      },
      back: (returned) => {
        safely(() => meter.comesBack(returned));
      },
      done: (returned, error) => {
        // Questions to a person are the purpose of gates, and no failures.
        layer.failure = isInterrupt(error) ? undefined : error;
        safely(() => meter.settle(returned));
        observer.end(layer);
      },
    };
  };
  for (const hook of hookNames) {
    hooks[hook].intercept({
      name: 'insight',
      call: () => {
        calling = undefined;
      },
      tap: (tap, value, context) => safely(() => enter(tap, value, context)),
    });
  }
  return { around: (scope) => around.get(scope) };
}

/** Measures one call of a tap, and compares what went in with what came out. */
class LayerMeter {
  readonly #layer: Open<LayerActivity>;
  readonly #given: unknown;
  readonly #run: RunInfo;
  readonly #content: boolean;
  readonly #input: readonly Message[];
  readonly #startedAt = performance.now();
  #passed: unknown;
  #returned: unknown;
  /** The number of calls of `next` in progress, and the time since when there was one. */
  #inside = 0;
  #insideSince = 0;
  #insideMs = 0;

  constructor(layer: Open<LayerActivity>, given: unknown, run: RunInfo, content: boolean) {
    this.#layer = layer;
    this.#given = given;
    this.#run = run;
    this.#content = content;
    this.#input = layer.tap.hook === 'beforeAgent' ? run.newMessages : [];
  }

  calls(passed: unknown): void {
    this.#layer.calls = (this.#layer.calls ?? 0) + 1;
    this.#passed = passed;
    if (this.#inside === 0) this.#insideSince = performance.now();
    this.#inside += 1;
  }

  comesBack(returned: unknown): void {
    this.#returned = returned;
    this.#inside -= 1;
    if (this.#inside === 0) this.#insideMs += performance.now() - this.#insideSince;
  }

  settle(returned: unknown): void {
    const ended = performance.now();
    // The time of inner work that the layer left running is not its own either.
    if (this.#inside > 0) this.#insideMs += ended - this.#insideSince;
    this.#layer.ownMs = Math.max(0, ended - this.#startedAt - this.#insideMs);
    const changes = this.#changes(returned);
    // Copied, because compared values may contain something that JSON cannot, which must fail here and not in a sink.
    if (changes !== undefined) this.#layer.changes = JSON.parse(JSON.stringify(changes)) as LayerChanges;
  }

  #changes(returned: unknown): LayerChanges | undefined {
    const { hook } = this.#layer.tap;
    const request = this.#requestChanges(hook, returned);
    const response = this.#responseChanges(hook, returned);
    if (request === undefined && response === undefined) return undefined;
    return { ...(request && { request }), ...(response && { response }) };
  }

  // The name of the hook determines the types of its argument and its result, which the core has checked.

  #requestChanges(hook: HookName, returned: unknown): Changed | undefined {
    const content = this.#content;
    switch (hook) {
      case 'beforeAgent':
        return inputChanges(this.#input, this.#run.newMessages, content);
      case 'beforeModel':
        return compared<ModelRequest>(this.#given, returned, (a, b) => requestChanges(a, b, content));
      case 'wrapModelCall':
        return compared<ModelRequest>(this.#given, this.#passed, (a, b) => requestChanges(a, b, content));
      case 'wrapToolCall':
        return compared<ToolCall>(this.#given, this.#passed, (a, b) => callChanges(a, b, content));
      default:
        return undefined;
    }
  }

  #responseChanges(hook: HookName, returned: unknown): Changed | undefined {
    const content = this.#content;
    switch (hook) {
      case 'wrapModelCall':
        return compared<ModelResponse>(this.#returned, returned, (a, b) => responseChanges(a, b, content));
      case 'wrapToolCall':
        return compared<ToolResult>(this.#returned, returned, (a, b) => resultChanges(a, b, content));
      case 'afterModel':
        return compared<ModelResponse>(this.#given, returned, (a, b) => responseChanges(a, b, content));
      case 'afterAgent':
        return compared<RunResult>(this.#given, returned, (a, b) => runResultChanges(a, b, content));
      default:
        return undefined;
    }
  }
}

/** Compares two values. A layer that did not call `next`, or that threw, is not compared. */
function compared<T>(
  before: unknown,
  after: unknown,
  compare: (before: T, after: T) => Changed | undefined,
): Changed | undefined {
  if (before === undefined || after === undefined || before === after) return undefined;
  return compare(before as T, after as T);
}
