import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import type { Usage } from '@shallot/core/model';

import type {
  Activity,
  ModelActivity,
  RunActivity,
  RunSink,
  Sink,
  ToolActivity,
} from '../observe/activity.ts';
import { describeModel } from './describe-model.ts';
import { callTimes, instrument, type CallTimes, type Instrument } from './instruments.ts';
import { meterSource, type OtelApi } from './otel-api.ts';
import type { RunAttributes } from './run-attributes.ts';
import { attribute, operation, unknownModality } from './semconv.ts';
import {
  failureOf,
  responseModel,
  serverAttributes,
  type Attributes,
  type Subject,
} from './span-attributes.ts';

export interface MetricSettings extends Subject {
  /** The attributes of the application. */
  readonly attributes: RunAttributes;
}

/** Records the metrics of the GenAI conventions, while a meter provider is registered. */
export function metricSink(api: OtelApi, { edition, agent, attributes }: MetricSettings): Sink {
  const meterNow = meterSource(api, edition);
  const recorders = new WeakMap<Meter, Recorder>();
  return {
    name: 'OpenTelemetry metrics',
    observe: (run) => {
      const meter = meterNow();
      if (meter === undefined) return undefined;
      const recorder = recorders.get(meter) ?? new Recorder(meter);
      recorders.set(meter, recorder);
      const recording = { recorder, own: attributes.of(run).metrics };
      return edition === 'latest'
        ? new LatestMetrics(recording, describeModel(agent().model.id).model)
        : new Metrics(recording);
    },
  };
}

interface Recording {
  readonly recorder: Recorder;
  /** The application's attributes of the run. */
  readonly own: Attributes;
}

/** Makes each instrument of a meter when it is first used. */
class Recorder {
  readonly #meter: Meter;
  readonly #instruments = new Map<Instrument, (value: number, attributes: Attributes) => void>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  record(what: Instrument, value: number | undefined, attributes: Attributes): void {
    if (value === undefined) return;
    let record = this.#instruments.get(what);
    if (record === undefined) {
      record = recordWith(this.#meter, what);
      this.#instruments.set(what, record);
    }
    record(value, attributes);
  }
}

function recordWith(
  meter: Meter,
  { kind, name, unit, description, buckets }: Instrument,
): (value: number, attributes: Attributes) => void {
  if (kind === 'counter') {
    const counter: Counter = meter.createCounter(name, { unit, description });
    return (value, attributes) => counter.add(value, attributes);
  }
  const advice = buckets === undefined ? {} : { advice: { explicitBucketBoundaries: [...buckets] } };
  const histogram: Histogram = meter.createHistogram(name, { unit, description, ...advice });
  return (value, attributes) => histogram.record(value, attributes);
}

/** The metrics that both editions have: the durations of model calls. */
class CallMetrics {
  readonly recorder: Recorder;
  readonly own: Attributes;
  readonly #times: CallTimes;
  /** The times of the chunks of each streamed call. */
  readonly #chunks = new Map<ModelActivity, number[]>();

  constructor({ recorder, own }: Recording, times: CallTimes) {
    this.recorder = recorder;
    this.own = own;
    this.#times = times;
  }

  chunk(activity: ModelActivity, at: number): void {
    const chunks = this.#chunks.get(activity);
    if (chunks === undefined) this.#chunks.set(activity, [at]);
    else chunks.push(at);
  }

  /** Records the times of a call. Returns the attributes that its other metrics share. */
  recordCall(activity: ModelActivity): Attributes {
    const { request, response, startedAt } = activity;
    const { provider, model } = describeModel(request.model.id);
    const answeredBy = responseModel(response?.metadata);
    const about = {
      ...this.own,
      [attribute.operation]: operation.chat,
      [attribute.provider]: provider,
      [attribute.requestModel]: model,
      ...(answeredBy === undefined ? {} : { [attribute.responseModel]: answeredBy }),
      ...serverAttributes(request.model),
    };
    this.recorder.record(this.#times.duration, secondsOf(activity), { ...about, ...errorOf(activity) });
    // The model's name is known only at the end.
    const [first, ...others] = this.#chunks.get(activity) ?? [];
    this.#chunks.delete(activity);
    if (first === undefined) return about;
    this.recorder.record(this.#times.toFirstChunk, (first - startedAt) / 1000, about);
    let last = first;
    for (const at of others) {
      this.recorder.record(this.#times.perChunk, (at - last) / 1000, about);
      last = at;
    }
    return about;
  }
}

/** Records the metrics of edition 1.41, which are about model calls. */
class Metrics extends CallMetrics implements RunSink {
  constructor(recording: Recording) {
    super(recording, callTimes['1.41']);
  }

  ended(activity: Activity): void {
    if (activity.kind !== 'model') return;
    const about = this.recordCall(activity);
    const { usage } = activity.response ?? {};
    const count = (type: string, tokens: number | undefined): void =>
      this.recorder.record(instrument.tokenUsage, tokens, { ...about, [attribute.tokenType]: type });
    count('input', usage?.input);
    count('output', usage?.output);
  }
}

/** Records the metrics of the latest edition, which are about model calls, tool calls and runs. */
class LatestMetrics extends CallMetrics implements RunSink {
  /** The agent's model. */
  readonly #model: string;
  #modelCalls = 0;
  #toolCalls = 0;

  constructor(recording: Recording, model: string) {
    super(recording, callTimes.latest);
    this.#model = model;
  }

  ended(activity: Activity): void {
    if (activity.kind === 'model') this.#endModel(activity);
    else if (activity.kind === 'tool') this.#endTool(activity);
    else if (activity.kind === 'run') this.#endRun(activity);
  }

  #endModel(activity: ModelActivity): void {
    this.#modelCalls += 1;
    const about = this.recordCall(activity);
    const usage = activity.response?.usage;
    if (usage === undefined) return;
    for (const [what, tokens] of counted(usage)) {
      this.recorder.record(what, tokens, { ...about, [attribute.tokenModality]: unknownModality });
    }
    this.recorder.record(instrument.operationInputTokens, usage.input, about);
    this.recorder.record(instrument.operationOutputTokens, usage.output, about);
  }

  #endTool(activity: ToolActivity): void {
    if (activity.interrupted) return;
    this.#toolCalls += 1;
    this.recorder.record(instrument.toolDuration, secondsOf(activity), {
      ...this.own,
      [attribute.toolName]: activity.call.name,
      [attribute.toolType]: 'function',
      [attribute.agentName]: activity.run.info.agent,
      ...errorOf(activity),
    });
  }

  #endRun(activity: RunActivity): void {
    const about = { ...this.own, [attribute.agentName]: activity.info.agent };
    this.recorder.record(instrument.agentDuration, secondsOf(activity), {
      ...about,
      [attribute.requestModel]: this.#model,
      ...errorOf(activity),
    });
    this.recorder.record(instrument.agentInferenceCalls, this.#modelCalls, about);
    this.recorder.record(instrument.agentToolCalls, this.#toolCalls, about);
  }
}

function counted(usage: Usage): [Instrument, number | undefined][] {
  return [
    [instrument.inputTokens, usage.input],
    [instrument.outputTokens, usage.output],
    [instrument.cacheReadTokens, usage.cacheRead],
    [instrument.cacheWriteTokens, usage.cacheWrite],
    [instrument.reasoningTokens, usage.reasoning],
  ];
}

function secondsOf({ startedAt, endedAt }: Activity): number | undefined {
  return endedAt === undefined ? undefined : (endedAt - startedAt) / 1000;
}

function errorOf(activity: RunActivity | ModelActivity | ToolActivity): Attributes {
  const failure = failureOf(activity);
  return failure === undefined ? {} : { [attribute.errorType]: failure };
}
