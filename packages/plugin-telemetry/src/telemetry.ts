import { definePlugin, type RunInfo, type RunResult, type ToolCall, type ToolResult } from '@shallot/core';
import type { ModelRequest, ModelResponse } from '@shallot/core/model';
import {
  isInterrupt,
  type ModelNext,
  type ModelScope,
  type ReadyAgent,
  type ToolNext,
} from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { chosenSinks } from './chosen-sinks.ts';
import { logFailure, type LogLevels } from './lines/log-sink.ts';
import type { Activity, ModelActivity, Sink, SpanReference } from './observe/activity.ts';
import { addInsight } from './observe/insight.ts';
import { Losses } from './observe/losses.ts';
import { observeRun, type Open, type RunObserver } from './observe/run-observer.ts';
import { telemetryOptions } from './options.ts';
import { captureVariable, contentPlaceOf } from './otel/semconv.ts';

/** Observes runs and passes activities to sinks. It changes nothing, and observes a run only if a sink wants it. */
export const telemetry = definePlugin({
  name: 'telemetry',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 90,
  options: telemetryOptions,
  async setup({ id, options, hooks, aroundRun, state, onReady, onStop, log, redactor }) {
    const losses = new Losses(log);
    const place = options.content ?? contentPlaceOf(process.env[captureVariable]);
    const content = place === true || place === 'spans' || place === 'both';
    let ready: ReadyAgent | undefined;
    onReady((agent) => {
      ready = agent;
    });
    const agent = (): ReadyAgent => {
      if (ready === undefined) throw new Error('no run begins before the agent is ready');
      return ready;
    };
    const events = place === 'events' || place === 'both';
    const sinks = await chosenSinks(options, { content, events, redactor, losses, agent });
    /** The observers by run id, because each plugin has its own view of a run. */
    const observers = new Map<string, RunObserver>();
    const observerOf = (run: RunInfo): RunObserver | undefined =>
      observers.size === 0 ? undefined : observers.get(run.id);
    // The span is kept with the session, not with the run, because a run can be resumed without this plugin.
    const lastSpan = state<TracedRun | null>({ key: 'span', initial: () => null });

    aroundRun((info, next) => {
      const settled = observed(info, next);
      const levels = options.log;
      return levels === false ? settled : settled.then((result) => noteFailure(levels, info, result));
    });

    function observed<T>(info: RunInfo, next: () => Promise<T>): Promise<T> {
      const observer = observeRun(
        sinks,
        losses,
        info,
        info.resumed ? spanOf(info, lastSpan.get(info)) : undefined,
      );
      if (observer === undefined) return next();
      observers.set(info.id, observer);
      const { span } = observer.run;
      if (span !== undefined) lastSpan.set(info, { runId: info.id, ...span });
      return observeFrame(observer, next).finally(() => observers.delete(info.id));
    }

    const insight = options.insight ? addInsight(hooks, { id, observerOf, losses, content }) : undefined;
    hooks.beforeModel.tap({ name: 'step', tree: true }, (_, run) => {
      observerOf(run)?.step();
    });
    /** The activities around plugins' own model calls, by their origin, which is the same object in all layers. */
    const callers = new WeakMap<object, Activity>();
    const callerOf = ({ origin }: ModelScope): Activity | undefined =>
      origin === undefined ? undefined : callers.get(origin);
    // Outermost, where a plugin's call is still in the plugin's own context, because an inner layer may queue calls.
    hooks.wrapModelCall.tap(
      { name: 'origin', internal: true, tree: true },
      (request, next, { run, origin }) => {
        const observer = origin === undefined ? undefined : observerOf(run);
        if (origin !== undefined && observer !== undefined) callers.set(origin, observer.around(origin));
        return next(request);
      },
    );
    // Right outside the model, to record each retry and fallback separately, with the request that the model really
    // receives.
    hooks.wrapModelCall.tap(
      { name: 'call', priority: 0, internal: true, tree: true },
      (request, next, scope) => {
        const observer = observerOf(scope.run);
        return observer === undefined
          ? next(request)
          : observeModelCall(observer, request, next, scope, insight?.around(scope) ?? callerOf(scope));
      },
    );
    hooks.wrapToolCall.tap({ name: 'call', tree: true }, (call, next, scope) => {
      const observer = observerOf(scope.run);
      return observer === undefined
        ? next(call)
        : observeToolCall(observer, call, next, insight?.around(scope));
    });
    onStop(async () => {
      for (const sink of sinks) await closeSink(sink, losses);
      losses.sum();
    });
  },
});

/** The span of a run, as stored with the session. */
interface TracedRun extends SpanReference {
  readonly runId: string;
}

function spanOf(info: RunInfo, traced: TracedRun | null): SpanReference | undefined {
  if (traced?.runId !== info.id) return undefined;
  const { traceId, spanId, traceFlags } = traced;
  return { traceId, spanId, traceFlags };
}

function noteFailure<T>(levels: LogLevels, info: RunInfo, settled: T): T {
  if (isResult(settled)) logFailure(levels, info, settled);
  return settled;
}

async function observeFrame<T>(observer: RunObserver, next: () => Promise<T>): Promise<T> {
  const { run } = observer;
  try {
    const settled = await observer.within(run, next);
    if (isResult(settled)) {
      run.result = settled;
      run.failure = settled.error;
      for (const interrupt of settled.interrupts) observer.note(run, { type: 'interrupt', interrupt });
    }
    return settled;
  } catch (error) {
    run.failure = error;
    throw error;
  } finally {
    observer.close();
  }
}

/** The `next` of `aroundRun` returns the run's result, though its type does not say so. */
function isResult(value: unknown): value is RunResult {
  return typeof value === 'object' && value !== null && 'outcome' in value && 'interrupts' in value;
}

// The promise of `next` is returned unchanged and only observed, because an `async` function around it would add a
// promise for each layer outside. The observer was attached first, so an activity has ended before a layer outside
// continues.

function observeModelCall(
  observer: RunObserver,
  request: ModelRequest,
  next: ModelNext,
  { emit, origin }: ModelScope,
  around: Activity | undefined,
): Promise<ModelResponse> {
  const activity = observer.model({ request, origin, streams: emit !== undefined }, around);
  const options: Parameters<ModelNext>[1] =
    emit === undefined ? undefined : { emit: (chunk) => (noteChunk(observer, activity), emit(chunk)) };
  const answered = observer.within(activity, () => next(request, options));
  answered.then(
    (response) => {
      activity.response = response;
      observer.end(activity);
    },
    (error: unknown) => {
      activity.failure = error;
      observer.end(activity);
    },
  );
  return answered;
}

function noteChunk(observer: RunObserver, activity: Open<ModelActivity>): void {
  if (activity.firstChunkAt === undefined) {
    activity.firstChunkAt = observer.now();
    observer.note(activity, { type: 'first-chunk' });
  }
  observer.chunk(activity);
}

function observeToolCall(
  observer: RunObserver,
  call: ToolCall,
  next: ToolNext,
  around: Activity | undefined,
): Promise<ToolResult> {
  const activity = observer.tool(call, around);
  const executed = observer.within(activity, () => next(call));
  executed.then(
    (result) => {
      activity.result = result;
      activity.failure = result.isError === true ? result.error : undefined;
      observer.end(activity);
    },
    (error: unknown) => {
      if (isInterrupt(error)) activity.interrupted = true;
      else activity.failure = error;
      observer.end(activity);
    },
  );
  return executed;
}

async function closeSink(sink: Sink, losses: Losses): Promise<void> {
  try {
    await sink.close?.();
  } catch (error) {
    losses.count(sink.name, error);
  }
}
